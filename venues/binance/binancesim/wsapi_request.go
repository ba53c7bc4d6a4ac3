package binancesim

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// apiRequest is a message to the WebSocket API. The client's id is not interpreted;
// null stands for a malformed one.
type apiRequest struct {
	ID     json.RawMessage
	Method string
	params params
}

var apiNull = json.RawMessage("null")

// Parameters whose form the venue prescribes: integers as JSON numbers, decimals
// as strings.
var (
	apiIntegers = map[string]bool{"timestamp": true, "recvWindow": true, "goodTillDate": true}
	apiDecimals = map[string]bool{
		"price": true, "quantity": true, "triggerPrice": true, "activatePrice": true, "callbackRate": true,
	}
)

// decodeAPIRequest decodes a message as far as possible, so that a rejection still
// carries the client's id.
func decodeAPIRequest(data []byte) (in apiRequest, failed *apiError) {
	in.ID = apiNull
	var body struct {
		ID     json.RawMessage            `json:"id"`
		Method string                     `json:"method"`
		Params map[string]json.RawMessage `json:"params"`
	}
	if json.Unmarshal(data, &body) != nil {
		return in, errBadMessage
	}
	if !isAPIID(body.ID) {
		return in, errMandatory("id")
	}
	in.ID = body.ID
	if body.Method == "" {
		return in, errMandatory("method")
	}
	in.Method = strings.TrimPrefix(body.Method, "v1/")
	in.params, failed = parseAPIParams(body.Params)
	return in, failed
}

// isAPIID reports whether an id is a string, an integer or null.
func isAPIID(id json.RawMessage) bool {
	if len(id) == 0 {
		return false
	}
	_, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil || id[0] == '"' || bytes.Equal(id, apiNull)
}

// parseAPIParams parses the parameters. The signature covers all others, sorted by
// name.
func parseAPIParams(raw map[string]json.RawMessage) (params, *apiError) {
	p := params{values: map[string]string{}}
	if len(raw) > paramsMax {
		return p, bad(-1101, "Too many parameters; expected '%d' and received '%d'.", paramsMax, len(raw))
	}
	names := make([]string, 0, len(raw))
	for name, value := range raw {
		text, ok := apiValue(name, value)
		if !ok {
			return params{}, errMandatory(name)
		}
		if name == "signature" {
			p.signature, p.signatures = text, 1
			continue
		}
		p.values[name] = text
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = name + "=" + p.values[name]
	}
	p.signed = strings.Join(names, "&")
	return p, nil
}

// apiValue returns a parameter as text: a string, a number or a boolean.
func apiValue(name string, raw json.RawMessage) (text string, ok bool) {
	switch raw[0] {
	case '"':
		return text, json.Unmarshal(raw, &text) == nil && !apiIntegers[name]
	case '{', '[', 'n':
		return "", false
	default:
		return string(raw), !apiDecimals[name]
	}
}
