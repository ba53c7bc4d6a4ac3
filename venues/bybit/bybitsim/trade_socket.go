package bybitsim

import (
	"cmp"
	"maps"
	"net/http"
	"strings"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

const (
	// requestIDLenMax bounds the length of a client's request id.
	requestIDLenMax = 36
	// requestIDsMax is how many request ids of a connection are kept.
	requestIDsMax = 10_000
)

// tradeReply is the answer of the order entry socket.
type tradeReply struct {
	ReqID   string            `json:"reqId,omitempty"`
	RetCode int               `json:"retCode"`
	RetMsg  string            `json:"retMsg"`
	Op      string            `json:"op"`
	Data    any               `json:"data,omitempty"`
	ExtInfo any               `json:"retExtInfo,omitempty"`
	Header  map[string]string `json:"header,omitempty"`
	ConnID  string            `json:"connId"`
}

// tradeOps are the operations of the order entry socket with the REST calls that
// do the same.
var tradeOps = map[string]string{
	"order.create": "/v5/order/create", "order.amend": "/v5/order/amend", "order.cancel": "/v5/order/cancel",
	"order.create-batch": "/v5/order/create-batch", "order.amend-batch": "/v5/order/amend-batch", "order.cancel-batch": "/v5/order/cancel-batch",
}

// tradeOp answers the order entry socket. Faults of requests match its operations,
// "auth" included, by the path of the socket.
func (s *Sim) tradeOp(cl *client, in opBody) {
	if in.Op == "ping" {
		pong := tradeReply{ReqID: in.TradeReqID, RetMsg: "OK", Op: "pong", Data: []string{millisText(s.Clock.Now())}, ConnID: cl.connID}
		cl.session.Send(commandTopic, simnet.Encode(pong))
		return
	}
	repeated := !cl.isNew(in.TradeReqID)
	s.Server.Operate(cl.session, simnet.Operation{
		Name: in.Op, AnswerDelay: s.options.AckDelay,
		Execute: func() []byte { return simnet.Encode(s.tradeAnswer(cl, in, repeated)) },
		Reject:  func(fault simcore.InjectedFault) []byte { return s.injectedAnswer(cl, in, fault) },
	})
}

// isNew records a request id and reports whether it is new on the connection. Only
// the session's goroutine may call it.
func (cl *client) isNew(reqID string) bool {
	if reqID == "" {
		return true
	}
	if cl.requestIDs[reqID] {
		return false
	}
	if cl.requestIDs == nil || len(cl.requestIDs) >= requestIDsMax {
		cl.requestIDs = map[string]bool{}
	}
	cl.requestIDs[reqID] = true
	return true
}

// tradeAnswer executes a message. What the gateway rejects has neither data nor
// header.
func (s *Sim) tradeAnswer(cl *client, in opBody, repeated bool) tradeReply {
	path, known := tradeOps[in.Op]
	account := cl.account.Load()
	var failed *apiError
	switch now := s.Clock.Now(); {
	case in.Op == "auth":
		failed = s.authSocket(cl, in)
	case !known:
		failed = errNoOp
	case account == nil || !account.Permissions.Trade:
		failed = errKeyPermission
	case len(in.TradeReqID) > requestIDLenMax:
		failed = errTypes
	case repeated:
		failed = errRequestID
	default:
		if failed = s.limiter.tradeSocket(cl.ip, now); failed == nil {
			return s.tradeCall(cl, in, &call{method: http.MethodPost, path: path, ip: cl.ip, now: now, account: *account})
		}
	}
	return gatewayReply(cl, in, failed)
}

func gatewayReply(cl *client, in opBody, failed *apiError) tradeReply {
	reply := tradeReply{ReqID: in.TradeReqID, RetMsg: "OK", Op: in.Op, ConnID: cl.connID}
	if failed != nil {
		reply.RetCode, reply.RetMsg = failed.code, failed.message
	}
	return reply
}

// tradeCall executes an order call of a client that may trade.
func (s *Sim) tradeCall(cl *client, in opBody, c *call) tradeReply {
	result, failed := s.tradeHandle(c, in)
	return s.orderReply(cl, in, c, result, failed)
}

func (s *Sim) orderReply(cl *client, in opBody, c *call, result any, failed *apiError) tradeReply {
	reply := gatewayReply(cl, in, failed)
	reply.Data, reply.ExtInfo = struct{}{}, struct{}{}
	switch extended, ok := result.(withExtInfo); {
	case failed != nil:
	case ok:
		reply.Data, reply.ExtInfo = extended.result, extended.info
	default:
		reply.Data = result
	}
	reply.Header = map[string]string{"Traceid": strings.Repeat("0", 32), "Timenow": millisText(s.Clock.Now())}
	if c.rateLimit != nil {
		maps.Copy(reply.Header, c.rateLimit.headers())
	}
	return reply
}

func (s *Sim) tradeHandle(c *call, in opBody) (any, *apiError) {
	window := cmp.Or(in.Header["X-BAPI-RECV-WINDOW"], recvWindowDefault)
	if failed := checkTime(in.Header["X-BAPI-TIMESTAMP"], window, c.now); failed != nil {
		return nil, failed
	}
	if len(in.Args) != 1 {
		return nil, errTypes
	}
	c.body = in.Args[0]
	endpoint := routes[route{c.method, c.path}]
	left, failed := s.limiter.endpoint(c.account.ID, c.path, &endpoint, c.now)
	c.rateLimit = &left
	if failed != nil {
		return nil, failed
	}
	return s.perform(c)
}

// injectedAnswer returns the answer of an injected fault. A status fault answers with
// the page of a gateway, which no client can decode.
func (s *Sim) injectedAnswer(cl *client, in opBody, fault simcore.InjectedFault) []byte {
	switch fault.Do {
	case simcore.FaultStatus:
		_, page := s.StatusPage(fault)
		return []byte(page)
	case simcore.FaultBan:
		_ = s.limiter.ban(cl.ip, s.Clock.Now(), fault.Args.Delay(banDefault)) // with the error of the socket, not of REST
		return simnet.Encode(gatewayReply(cl, in, errAddressLimit))
	case simcore.FaultReject:
		return simnet.Encode(s.orderReply(cl, in, &call{}, nil, rejectedError(fault)))
	default:
		return simnet.Encode(s.orderReply(cl, in, &call{}, nil, errMaintenance))
	}
}
