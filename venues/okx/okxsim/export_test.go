package okxsim

import (
	"time"

	"venuegate/venues/simcore"
)

// ParsedOrder returns the request of the exchange for an order of a client.
func (s *Sim) ParsedOrder(body []byte) (request simcore.OrderRequest, ok bool) {
	var arg orderArg
	if decode(body, &arg) != nil {
		return request, false
	}
	request, failed := arg.parse(s, &call{account: s.DemoAccount()})
	return request, failed == nil
}

// ParsedAlgo returns how many legs an algo order of a client has, or -1.
func (s *Sim) ParsedAlgo(body []byte) int {
	var arg algoArg
	if decode(body, &arg) != nil {
		return -1
	}
	_, requests, failed := arg.parse(s, &call{account: s.DemoAccount()})
	if failed != nil {
		return -1
	}
	return len(requests)
}

// DecodeCommand returns the operation of a client's message and how many channels it
// names.
func DecodeCommand(data []byte) (op string, channels int, ok bool) {
	in, ok := decodeCommand(data)
	return in.Op, len(in.channels), ok
}

// CheckedLogin returns the error code of a login, empty for success.
func (s *Sim) CheckedLogin(data []byte) string {
	in, ok := decodeCommand(data)
	if !ok {
		return "60012"
	}
	_, code, _ := s.checkLogin(&in)
	return code
}

// ParseFrame returns the time and the channel of a line of a recording.
func ParseFrame(line []byte) (at time.Duration, channel string, ok bool) {
	f, ok := parseFrame(line)
	return f.at, f.channel, ok
}

// AdmittedOperation returns the body of the call of an operation of the demo account,
// and whether it is that of a batch; ok is false if it is rejected.
func (s *Sim) AdmittedOperation(data []byte) (body []byte, batch, ok bool) {
	in, ok := decodeCommand(data)
	is, known := operations[in.Op]
	if !ok || !known {
		return nil, false, false
	}
	c := &call{method: is.method, path: is.path, query: func(string) string { return "" }, now: s.Clock.Now(), account: s.DemoAccount(), onSocket: true}
	failed := s.admitOperation(c, &in, routes[is])
	return c.body, routes[is].single != "", failed == nil
}
