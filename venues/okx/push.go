package okx

import (
	"bytes"
	"fmt"

	"github.com/valyala/fastjson"

	"venuegate/venues/internal/payload"
)

// Parts of the beginning of a push in the form that the venue sends:
//
//	{"arg":{"channel":"books","instId":"BTC-USDT-SWAP"},...
var (
	pushHead  = []byte(`{"arg":`)
	argHead   = []byte(`{"channel":"`)
	argMiddle = []byte(`","instId":"`)
	argTail   = []byte(`"}`)
)

// scanArg returns the argument of a push without parsing it; false if the message is not a
// push or has another order of members.
func scanArg(message []byte) (arg []byte, ok bool) {
	rest, ok := bytes.CutPrefix(message, pushHead)
	if !ok || !bytes.HasPrefix(rest, argHead) {
		return nil, false
	}
	end := bytes.Index(rest, argTail)
	if end < 0 || !bytes.Contains(rest[:end], argMiddle) {
		return nil, false
	}
	return rest[:end+len(argTail)], true
}

// parseArg returns the argument of a push with members in any order.
func parseArg(message []byte) (arg []byte, ok bool) {
	var parser fastjson.Parser
	o, err := payload.Parse(&parser, message)
	if err != nil || !o.Has("data") || !o.Has("arg") {
		return nil, false
	}
	named := payload.ObjectOf(o.Value().Get("arg"))
	name := topicArg{Channel: named.OptionalText("channel"), InstID: named.OptionalText("instId")}
	return []byte(name.text()), named.Err() == nil
}

// parseRows parses a push whose rows are objects, and checks its channel and instrument.
func parseRows(parser *fastjson.Parser, data []byte, channel, instID string) (*payload.Object, []*payload.Object, error) {
	o, err := parseTopicPush(parser, data, channel, instID)
	if err != nil {
		return nil, nil, err
	}
	cells, err := dataRows(o)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]*payload.Object, 0, len(cells))
	for _, cell := range cells {
		if cell.Type() != fastjson.TypeObject {
			return nil, nil, payload.Missing("data")
		}
		rows = append(rows, payload.ObjectOf(cell))
	}
	return o, rows, nil
}

// parseTopicPush parses a push and checks its channel and instrument.
func parseTopicPush(parser *fastjson.Parser, data []byte, channel, instID string) (*payload.Object, error) {
	o, err := payload.Parse(parser, data)
	if err != nil {
		return nil, err
	}
	arg := o.Object("arg")
	name, instrument := arg.Text("channel"), arg.Text("instId")
	switch {
	case arg.Err() != nil:
		return nil, arg.Err()
	case name != channel || instrument != instID:
		return nil, fmt.Errorf("%q of %q: %w", payload.Bounded(name), payload.Bounded(instrument), payload.ErrUnrelated)
	}
	return o, nil
}

// dataRows returns the rows of a push, at least one.
func dataRows(o *payload.Object) ([]*fastjson.Value, error) {
	value := o.Value().Get("data")
	if value == nil || value.Type() != fastjson.TypeArray || len(value.GetArray()) == 0 {
		return nil, payload.Missing("data")
	}
	return value.GetArray(), nil
}
