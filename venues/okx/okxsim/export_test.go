package okxsim

import (
	"time"

	"venuegate/venues/simcore"
)

// ParsedOrder is whether an order of a client makes a request of the exchange.
func (s *Sim) ParsedOrder(body []byte) (request simcore.OrderRequest, ok bool) {
	var arg orderArg
	if decode(body, &arg) != nil {
		return request, false
	}
	request, failed := arg.parse(s, &call{account: s.DemoAccount()})
	return request, failed == nil
}

// ParsedAlgo is how many legs an algo order of a client has, or -1.
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

// Difference is what turns one side of a book into another.
func Difference(before, after []simcore.Level, descending bool) [][4]string {
	rows := difference(before, after, descending)
	out := make([][4]string, len(rows))
	for i := range rows {
		out[i] = rows[i]
	}
	return out
}

// ParsedCommand is the operation of a client's message and how many channels it
// names.
func ParsedCommand(data []byte) (op string, channels int, ok bool) {
	in, ok := decodeCommand(data)
	return in.Op, len(in.channels), ok
}

// CheckedLogin is the code with which a login is refused, empty for success.
func (s *Sim) CheckedLogin(data []byte) string {
	in, ok := decodeCommand(data)
	if !ok {
		return "60012"
	}
	_, code, _ := s.checkLogin(&in)
	return code
}

// ParsedFrame is the time and the channel of a line of a recording.
func ParsedFrame(line []byte) (at time.Duration, channel string, ok bool) {
	f, ok := parseFrame(line)
	return f.at, f.channel, ok
}

// AdmittedOperation is the body of the call that an operation of the demo account
// makes, and whether it is that of a batch; false if it is refused.
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
