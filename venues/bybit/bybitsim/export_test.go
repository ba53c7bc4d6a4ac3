package bybitsim

// UUIDOf and NumberOf are the spelling of order ids.
var (
	UUIDOf   = uuidOf
	NumberOf = numberOf
)

// ParsedOp is what the decoder of socket messages makes of one.
func ParsedOp(data []byte) (op string, names []string, ok bool) {
	in, ok := decodeOp(data)
	if !ok {
		return "", nil, false
	}
	names, ok = in.names()
	return in.Op, names, ok
}

// ParsedOrder says whether the body of an order can be read.
func ParsedOrder(data []byte) bool {
	c := call{body: data}
	return c.decode(&createBody{}) == nil
}

// ParsedFrame is one line of a recording.
func ParsedFrame(line []byte) (topic string, data []byte, ok bool) {
	f, ok := parseFrame(line)
	return f.topic, f.data, ok
}

// Flush tells the private streams what is due.
func (s *Sim) Flush() { s.users.flush() }
