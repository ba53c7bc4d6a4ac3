package okx

import (
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
	"github.com/valyala/fastjson"

	"venuegate/venues"
)

// event reads the fields of a JSON object of a public stream. The first failure
// stays in err and later reads give zero values, so that a decoder checks once.
type event struct {
	value *fastjson.Value
	err   error
}

// parseEvent parses a message that must be an object. What it gives lives until
// the parser's next use.
func parseEvent(parser *fastjson.Parser, data []byte) (*event, error) {
	value, err := parser.ParseBytes(data)
	if err != nil {
		return nil, fmt.Errorf("parse message: %w", err)
	}
	if value.Type() != fastjson.TypeObject {
		return nil, fmt.Errorf("message is a JSON %s", value.Type())
	}
	return &event{value: value}, nil
}

// pushOf parses a push and holds its channel and instrument against what is
// meant. Its rows are objects.
func pushOf(parser *fastjson.Parser, data []byte, channel, instID string) (*event, []*event, error) {
	o, err := argOf(parser, data, channel, instID)
	if err != nil {
		return nil, nil, err
	}
	cells, err := o.data()
	if err != nil {
		return nil, nil, err
	}
	rows := make([]*event, 0, len(cells))
	for _, cell := range cells {
		if cell.Type() != fastjson.TypeObject {
			return nil, nil, missing("data")
		}
		rows = append(rows, &event{value: cell})
	}
	return o, rows, nil
}

func argOf(parser *fastjson.Parser, data []byte, channel, instID string) (*event, error) {
	o, err := parseEvent(parser, data)
	if err != nil {
		return nil, err
	}
	arg := &event{value: o.value.Get("arg")}
	if arg.value == nil || arg.value.Type() != fastjson.TypeObject {
		return nil, missing("arg")
	}
	name, about := arg.text("channel"), arg.text("instId")
	switch {
	case arg.err != nil:
		return nil, arg.err
	case name != channel || about != instID:
		return nil, fmt.Errorf("%q of %q: %w", bounded(name), bounded(about), errForeign)
	}
	return o, nil
}

// data is the rows of a push, at least one.
func (o *event) data() ([]*fastjson.Value, error) {
	value := o.value.Get("data")
	if value == nil || value.Type() != fastjson.TypeArray || len(value.GetArray()) == 0 {
		return nil, missing("data")
	}
	return value.GetArray(), nil
}

func (o *event) fail(field string, err error) {
	if o.err == nil {
		o.err = fmt.Errorf("%s: %w", field, err)
	}
}

// has says whether a member exists.
func (o *event) has(field string) bool { return o.value.Exists(field) }

// text reads a string that must be there.
func (o *event) text(field string) string {
	value := o.value.Get(field)
	if value == nil {
		o.fail(field, errMissing)
		return ""
	}
	return o.stringOf(field, value)
}

// optionalText reads a string that may be absent.
func (o *event) optionalText(field string) string {
	if !o.has(field) {
		return ""
	}
	return o.text(field)
}

func (o *event) stringOf(field string, value *fastjson.Value) string {
	bytes, err := value.StringBytes()
	if err != nil {
		o.fail(field, err)
		return ""
	}
	return string(bytes)
}

// positive reads a decimal above zero, which must be there.
func (o *event) positive(field string) decimal.Decimal {
	value, err := venues.ParseVenueDecimal(o.text(field))
	switch {
	case o.err != nil:
		return decimal.Decimal{}
	case err != nil:
		o.fail(field, err)
	case !value.IsPositive():
		o.fail(field, errMissing)
	}
	return value
}

// integer reads a whole number; absence is zero.
func (o *event) integer(field string) int64 {
	value := o.value.Get(field)
	if value == nil {
		return 0
	}
	n, err := value.Int64()
	if err != nil {
		o.fail(field, err)
	}
	return n
}

// time reads milliseconds, printed as a string.
func (o *event) time(field string) time.Time {
	n, err := strconv.ParseInt(o.text(field), 10, 64)
	switch {
	case o.err != nil:
		return time.Time{}
	case err != nil:
		o.fail(field, err)
	case millis(n).IsZero():
		o.fail(field, errMissing)
	}
	return millis(n)
}

// levels reads `[["price","contracts",...],...]` behind into.
func (o *event) levels(field string, k *contract, into []venues.Level) []venues.Level {
	value := o.value.Get(field)
	if value == nil || value.Type() != fastjson.TypeArray {
		o.fail(field, errMissing)
		return into
	}
	for _, row := range value.GetArray() {
		cells, err := row.Array()
		if err != nil || len(cells) < 2 {
			o.fail(field, errMissing)
			return into
		}
		level, err := parseLevel(o.stringOf(field, cells[0]), o.stringOf(field, cells[1]), k)
		if err != nil {
			o.fail(field, err)
			return into
		}
		into = append(into, level)
	}
	return into
}
