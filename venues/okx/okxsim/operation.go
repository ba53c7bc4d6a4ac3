package okxsim

import (
	"encoding/json"
	"net/http"
	"slices"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// operations are the trade calls of a private socket and the calls of the REST
// interface that they are: what those may do, and under which limits.
var operations = map[string]route{
	"order":               {http.MethodPost, "/api/v5/trade/order"},
	"batch-orders":        {http.MethodPost, "/api/v5/trade/batch-orders"},
	"amend-order":         {http.MethodPost, "/api/v5/trade/amend-order"},
	"batch-amend-orders":  {http.MethodPost, "/api/v5/trade/amend-batch-orders"},
	"cancel-order":        {http.MethodPost, "/api/v5/trade/cancel-order"},
	"batch-cancel-orders": {http.MethodPost, "/api/v5/trade/cancel-batch-orders"},
}

// operationPrefix begins the names under which faults find operations, their
// answers and logins, as in op:order: apart from the topics of channels.
const operationPrefix = "op:"

// operationBody answers a trade call on a socket.
type operationBody struct {
	ID      string `json:"id"`
	Op      string `json:"op"`
	Code    string `json:"code"`
	Msg     string `json:"msg"`
	Data    any    `json:"data"`
	InTime  string `json:"inTime"`
	OutTime string `json:"outTime"`
}

var (
	errArgs            = refuse("60013", "Invalid args")
	errSocketInternal  = refuse("64007", "Operation failed due to WebSocket internal error. Please try again later.")
	errSocketLogIn     = refuse("60011", "Please log in")
	errSocketLogin     = refuse("60009", "Login failed.")
	errSocketParameter = refuse("60033", "Parameter id error.")
)

// operate executes a trade call of a logged-in private socket.
func (s *Sim) operate(cl *client, in *commandBody) {
	is, known := operations[in.Op]
	account, loggedIn := s.hub.traderOf(cl)
	switch {
	case !known:
		s.refuseCommand(cl, in.ID, "60019", "Invalid op: "+in.Op[:min(len(in.Op), echoBytesMax)])
		return
	case cl.socket != socketPrivate:
		s.refuseCommand(cl, in.ID, "60028", "The current operation is not supported by this URL. Please use the correct WebSocket URL for the operation.")
		return
	case !loggedIn:
		s.refuseCommand(cl, in.ID, errSocketLogIn.code, errSocketLogIn.message)
		return
	}
	c := &call{
		method: is.method, path: is.path, ip: cl.ip, query: func(string) string { return "" },
		now: s.Clock.Now(), account: account, onSocket: true,
	}
	at := routes[is]
	if failed := s.admitOperation(c, in, at); failed != nil {
		s.hub.tell(cl, operationPrefix+in.Op, s.answer(in, c, nil, failed))
		return
	}
	s.hub.told(cl)
	s.Server.Operate(cl.session, simnet.Operation{
		Name: operationPrefix + in.Op,
		Execute: func() []byte {
			result, failed := s.handle(c, at)
			return s.answer(in, c, result, failed)
		},
		Refuse: func(fault simcore.FaultInfo) []byte { return s.refuseOperation(in, c, at, fault) },
	})
}

// admitOperation does what happens before an operation may do anything. The
// body of the call is the arguments of a batch, or the only one.
func (s *Sim) admitOperation(c *call, in *commandBody, at endpoint) *apiError {
	var args []json.RawMessage
	switch {
	case in.ID == "" || !validClientID(in.ID):
		return errSocketParameter
	case s.limiter.isBanned(c.ip, c.now):
		return errRateLimit
	case !permitted(c.account, at.security):
		return errPermission
	case json.Unmarshal(in.Args, &args) != nil || len(args) == 0 || slices.ContainsFunc(args, isNoObject):
		return errArgs
	}
	switch isBatch := at.single != ""; {
	case isBatch:
		c.body = in.Args
	case len(args) == 1:
		c.body = args[0]
	default:
		return errArgs
	}
	if !s.spend(c, at) {
		return errRateLimit
	}
	return c.readDeadline(in.ExpTime, at.expires)
}

func isNoObject(raw json.RawMessage) bool { return raw[0] != '{' }

// answer tells what became of an operation. Unlike a REST answer it leaves the
// words to the items.
func (s *Sim) answer(in *commandBody, c *call, result any, failed *apiError) []byte {
	body := operationBody{ID: in.ID, Op: in.Op, Code: "0", Data: []struct{}{}, InTime: micros(c.now)}
	if acks, ok := result.(ackList); ok {
		body.Code, _ = acks.code()
		body.Data = acks
	}
	if failed != nil {
		body.Code, body.Msg = failed.code, failed.message
	}
	body.OutTime = micros(s.Clock.Now())
	return simnet.Encode(body)
}

// refuseOperation is the answer that a scripted fault wants. A socket has no
// status: in its place stands a text of the script as it is, or the venue's word
// for an operation that it lost.
func (s *Sim) refuseOperation(in *commandBody, c *call, at endpoint, fault simcore.FaultInfo) []byte {
	if fault.Do != simcore.FaultStatus {
		result, failed := s.refusal(c, at, fault)
		return s.answer(in, c, result, failed)
	}
	if text := fault.Args.Text(); text != "" {
		return []byte(text)
	}
	return s.answer(in, c, nil, errSocketInternal)
}

// loginFault is what a scripted fault makes of a login: a refusal, silence, or
// neither.
func (s *Sim) loginFault(cl *client) (refusal *apiError, silent bool) {
	fault, struck := s.Faults.StrikeRequest(cl.session.Path(), operationPrefix+"login")
	if !struck {
		return nil, false
	}
	switch fault.Do {
	case simcore.FaultDelay:
		return nil, !s.Server.Delay(fault)
	case simcore.FaultTimeoutBefore, simcore.FaultTimeoutAfter:
		return nil, true
	case simcore.FaultDropConnection:
		cl.session.Close(closeAbnormal, "")
		return nil, true
	case simcore.FaultReject:
		refusal = errSocketLogin
		if fault.Args.CodeText() != "" {
			refusal = rejection(fault)
		}
		return refusal, false
	default:
		return errSocketInternal, false
	}
}
