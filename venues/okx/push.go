package okx

import (
	"bytes"
	"fmt"

	"github.com/valyala/fastjson"

	"venuegate/venues/internal/payload"
)

// How a push begins, as the venue prints it.
var (
	pushHead  = []byte(`{"arg":`)
	argHead   = []byte(`{"channel":"`)
	argMiddle = []byte(`","instId":"`)
	argTail   = []byte(`"}`)
)

// splitPush finds the argument of a push; false if it is none, or is printed in
// another order.
func splitPush(message []byte) (arg []byte, ok bool) {
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

// parsePush is the slow twin of splitPush.
func parsePush(message []byte) (arg []byte, ok bool) {
	var parser fastjson.Parser
	o, err := payload.Parse(&parser, message)
	if err != nil || !o.Has("data") || !o.Has("arg") {
		return nil, false
	}
	named := payload.Of(o.Value().Get("arg"))
	name := topic{Channel: named.OptionalText("channel"), InstID: named.OptionalText("instId")}
	return []byte(name.text()), named.Err() == nil
}

// pushOf parses a push and holds its channel and instrument against what is
// meant. Its rows are objects.
func pushOf(parser *fastjson.Parser, data []byte, channel, instID string) (*payload.Object, []*payload.Object, error) {
	o, err := argOf(parser, data, channel, instID)
	if err != nil {
		return nil, nil, err
	}
	cells, err := rowsOf(o)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]*payload.Object, 0, len(cells))
	for _, cell := range cells {
		if cell.Type() != fastjson.TypeObject {
			return nil, nil, payload.Missing("data")
		}
		rows = append(rows, payload.Of(cell))
	}
	return o, rows, nil
}

// argOf parses a push and holds what it is about against what is meant.
func argOf(parser *fastjson.Parser, data []byte, channel, instID string) (*payload.Object, error) {
	o, err := payload.Parse(parser, data)
	if err != nil {
		return nil, err
	}
	arg := o.Object("arg")
	name, about := arg.Text("channel"), arg.Text("instId")
	switch {
	case arg.Err() != nil:
		return nil, arg.Err()
	case name != channel || about != instID:
		return nil, fmt.Errorf("%q of %q: %w", payload.Bounded(name), payload.Bounded(about), payload.ErrForeign)
	}
	return o, nil
}

// rowsOf is the rows of a push, at least one.
func rowsOf(o *payload.Object) ([]*fastjson.Value, error) {
	value := o.Value().Get("data")
	if value == nil || value.Type() != fastjson.TypeArray || len(value.GetArray()) == 0 {
		return nil, payload.Missing("data")
	}
	return value.GetArray(), nil
}
