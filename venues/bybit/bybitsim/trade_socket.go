package bybitsim

import (
	"net/http"
	"strings"
)

// tradeReply is the answer of the order entry socket.
type tradeReply struct {
	ReqID   string            `json:"reqId,omitempty"`
	RetCode int               `json:"retCode"`
	RetMsg  string            `json:"retMsg"`
	Op      string            `json:"op"`
	Data    any               `json:"data,omitempty"`
	ExtInfo *struct{}         `json:"retExtInfo,omitempty"`
	Header  map[string]string `json:"header,omitempty"`
	ConnID  string            `json:"connId"`
}

// tradeOps are the operations of the order entry socket with the REST calls that
// do the same.
var tradeOps = map[string]string{
	"order.create": "/v5/order/create", "order.amend": "/v5/order/amend", "order.cancel": "/v5/order/cancel",
}

// tradeOp answers the order entry socket. A fault that matches its path and the
// operation strikes the answer.
func (s *Sim) tradeOp(cl *client, in opBody) {
	reply := tradeReply{ReqID: in.TradeReqID, RetMsg: "OK", Op: in.Op, ConnID: cl.connID}
	switch path, known := tradeOps[in.Op]; {
	case in.Op == "ping":
		reply.Op, reply.Data = "pong", []string{millisText(s.clock.Now())}
	case in.Op == "auth":
		if failed := s.authSocket(cl, in); failed != nil {
			reply.RetCode, reply.RetMsg = failed.code, failed.message
		}
	case !known:
		reply.RetCode, reply.RetMsg = 10404, "op not found"
	case cl.account == nil:
		reply.RetCode, reply.RetMsg = errPermission.code, errPermission.message
	default:
		s.tradeCall(cl, in, path, &reply)
	}
	cl.session.Send(in.Op, encode(reply))
}

func (s *Sim) tradeCall(cl *client, in opBody, path string, reply *tradeReply) {
	c := &call{method: http.MethodPost, path: path, ip: cl.ip, now: s.clock.Now(), account: *cl.account}
	reply.Data, reply.ExtInfo = struct{}{}, &struct{}{}
	result, failed := s.tradeHandle(c, in)
	reply.Header = map[string]string{"Traceid": strings.Repeat("0", 32), "Timenow": millisText(s.clock.Now())}
	if c.allowed != nil {
		for name, value := range c.allowed.headers() {
			reply.Header[name] = value
		}
	}
	if failed != nil {
		reply.RetCode, reply.RetMsg = failed.code, failed.message
		return
	}
	reply.Data = result
}

func (s *Sim) tradeHandle(c *call, in opBody) (any, *apiError) {
	window := in.Header["X-BAPI-RECV-WINDOW"]
	if window == "" {
		window = recvWindowDefault
	}
	if failed := checkTime(in.Header["X-BAPI-TIMESTAMP"], window, c.now); failed != nil {
		return nil, failed
	}
	if len(in.Args) != 1 {
		return nil, errTypes
	}
	if !c.account.Permissions.Trade {
		return nil, errPermission
	}
	c.body = in.Args[0]
	left, failed := s.limiter.endpoint(c.account.ID, c.path, trading, c.now)
	c.allowed = &left
	if failed != nil {
		return nil, failed
	}
	return s.handle(c)
}
