package binancesim

import "time"

// ParsedParams returns the decoded parameters of a request.
func ParsedParams(query, body string) (values map[string]string, signed string, ok bool) {
	p, failed := parseParams(query, body)
	return p.values, p.signed, failed == nil
}

// ParsedBatch returns how many elements a batch has, or -1.
func ParsedBatch(text string) int {
	elements, failed := batchElements(&params{values: map[string]string{"batchOrders": text}})
	if failed != nil {
		return -1
	}
	return len(elements)
}

// DecodeCommand returns the method and the streams of a client's message.
func DecodeCommand(data []byte) (method string, names []string, ok bool) {
	in, names, failed := decodeCommand(data)
	return in.Method, names, failed == nil
}

// ParsedAPIRequest returns the method of a message to the WebSocket API and the id of
// its answer.
func ParsedAPIRequest(data []byte) (method, id string, ok bool) {
	in, failed := decodeAPIRequest(data)
	return in.Method, string(in.ID), failed == nil
}

// ParseFrame parses one line of a recording.
func ParseFrame(line []byte) (at time.Duration, stream string, data []byte, ok bool) {
	f, ok := parseFrame(line)
	return f.at, f.stream, f.data, ok
}
