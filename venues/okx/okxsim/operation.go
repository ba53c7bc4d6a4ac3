package okxsim

import (
	"encoding/json"
	"net/http"
	"slices"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// operations are the trade operations of a private socket with the REST calls that
// do the same under the same permissions and limits.
var operations = map[string]route{
	"order":               {http.MethodPost, "/api/v5/trade/order"},
	"batch-orders":        {http.MethodPost, "/api/v5/trade/batch-orders"},
	"amend-order":         {http.MethodPost, "/api/v5/trade/amend-order"},
	"batch-amend-orders":  {http.MethodPost, "/api/v5/trade/amend-batch-orders"},
	"cancel-order":        {http.MethodPost, "/api/v5/trade/cancel-order"},
	"batch-cancel-orders": {http.MethodPost, "/api/v5/trade/cancel-batch-orders"},
}

// operationPrefix is the prefix of the names by which faults match operations, their
// answers and logins, as in op:order. It distinguishes them from channels.
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
	errArgs            = rejectWith("60013", "Invalid args")
	errSocketInternal  = rejectWith("64007", "Operation failed due to WebSocket internal error. Please try again later.")
	errSocketLogIn     = rejectWith("60011", "Please log in")
	errSocketLogin     = rejectWith("60009", "Login failed.")
	errSocketParameter = rejectWith("60033", "Parameter id error.")
)

// operate executes a trade call of a logged-in private socket.
func (s *Sim) operate(cl *client, in *commandBody) {
	is, known := operations[in.Op]
	account, loggedIn := s.hub.traderOf(cl)
	switch {
	case !known:
		s.rejectCommand(cl, in.ID, "60019", "Invalid op: "+in.Op[:min(len(in.Op), echoBytesMax)])
		return
	case cl.socket != socketPrivate:
		s.rejectCommand(cl, in.ID, "60028", "The current operation is not supported by this URL. Please use the correct WebSocket URL for the operation.")
		return
	case !loggedIn:
		s.rejectCommand(cl, in.ID, errSocketLogIn.code, errSocketLogIn.message)
		return
	}
	c := &call{
		method: is.method, path: is.path, ip: cl.ip, query: func(string) string { return "" },
		now: s.Clock.Now(), account: account, onSocket: true,
	}
	at := routes[is]
	if failed := s.admitOperation(c, in, at); failed != nil {
		s.hub.send(cl, operationPrefix+in.Op, s.answer(in, c, nil, failed))
		return
	}
	s.hub.markSent(cl)
	s.Server.Operate(cl.session, simnet.Operation{
		Name: operationPrefix + in.Op,
		Execute: func() []byte {
			result, failed := s.handle(c, at)
			return s.answer(in, c, result, failed)
		},
		Reject: func(fault simcore.InjectedFault) []byte { return s.injectedAnswer(in, c, at, fault) },
	})
}

// admitOperation checks an operation and sets the body of its call: the arguments of
// a batch, or the only one.
func (s *Sim) admitOperation(c *call, in *commandBody, at endpoint) *apiError {
	var args []json.RawMessage
	switch {
	case in.ID == "" || !validClientID(in.ID):
		return errSocketParameter
	case s.limiter.banned(c.ip, c.now):
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

// answer returns the answer to an operation. Unlike a REST answer it has no text at
// the top level, only in the items.
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

// injectedAnswer returns the answer of an injected fault. A socket has no HTTP status:
// a status fault sends the text of the script, or the venue's internal error.
func (s *Sim) injectedAnswer(in *commandBody, c *call, at endpoint, fault simcore.InjectedFault) []byte {
	if fault.Do != simcore.FaultStatus {
		result, failed := s.injectedError(c, at, fault)
		return s.answer(in, c, result, failed)
	}
	if text := fault.Args.Text(); text != "" {
		return []byte(text)
	}
	return s.answer(in, c, nil, errSocketInternal)
}

// injectedLoginFault applies an injected fault to a login: a rejection, no answer, or
// neither.
func (s *Sim) injectedLoginFault(cl *client) (rejection *apiError, silent bool) {
	fault, struck := s.InjectedFaults.MatchRequest(cl.session.Path(), operationPrefix+"login")
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
		rejection = errSocketLogin
		if fault.Args.CodeText() != "" {
			rejection = rejectedError(fault)
		}
		return rejection, false
	default:
		return errSocketInternal, false
	}
}
