package binancesim

import "time"

// ParsedParams is what the decoder of parameters makes of a request.
func ParsedParams(query, body string) (values map[string]string, signed string, ok bool) {
	p, failed := parseParams(query, body)
	return p.values, p.signed, failed == nil
}

// ParsedBatch is how many elements a batch has, or -1.
func ParsedBatch(text string) int {
	elements, failed := batchElements(params{values: map[string]string{"batchOrders": text}})
	if failed != nil {
		return -1
	}
	return len(elements)
}

// ParsedCommand is the method and the streams of a client's message.
func ParsedCommand(data []byte) (method string, names []string, ok bool) {
	in, names, failed := decodeCommand(data)
	return in.Method, names, failed == nil
}

// ParsedAPIRequest is the method of a message to the WebSocket API and the id to
// answer with.
func ParsedAPIRequest(data []byte) (method, id string, ok bool) {
	in, failed := decodeAPIRequest(data)
	return in.Method, string(in.ID), failed == nil
}

// ParsedFrame is one line of a recording.
func ParsedFrame(line []byte) (at time.Duration, stream string, data []byte, ok bool) {
	f, ok := parseFrame(line)
	return f.at, f.stream, f.data, ok
}
