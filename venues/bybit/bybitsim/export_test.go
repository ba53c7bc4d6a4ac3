package bybitsim

// UUIDOf and NumberOf encode and decode order ids.
var (
	UUIDOf   = uuidOf
	NumberOf = numberOf
)

// DecodeOp decodes a socket message.
func DecodeOp(data []byte) (op string, names []string, ok bool) {
	in, ok := decodeOp(data)
	if !ok {
		return "", nil, false
	}
	names, ok = in.names()
	return in.Op, names, ok
}

// DecodesOrder reports whether the body of an order can be decoded.
func DecodesOrder(data []byte) bool {
	c := call{body: data}
	return c.decode(&createBody{}) == nil
}

// ParseFrame parses one line of a recording.
func ParseFrame(line []byte) (topic string, data []byte, ok bool) {
	f, ok := parseFrame(line)
	return f.topic, f.data, ok
}

// Flush publishes what is due on the private streams.
func (s *Sim) Flush() { s.users.flush() }
