package bybit

import (
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
	"github.com/valyala/fastjson"

	"venuegate/venues"
)

// event reads the fields of a JSON object of a stream. Names are case sensitive,
// as the venue's are ("e" and "E" differ). The first failure stays in err and
// later reads give zero values, so that a decoder checks once.
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

func (o *event) fail(field string, err error) {
	if o.err == nil {
		o.err = fmt.Errorf("%s: %w", field, err)
	}
}

// object enters a member that must be an object.
func (o *event) object(field string) *event {
	value := o.value.Get(field)
	if value == nil || value.Type() != fastjson.TypeObject {
		o.fail(field, errMissing)
		return &event{value: fastjson.MustParse("{}"), err: o.err}
	}
	return &event{value: value, err: o.err}
}

// list reads a member that must be an array of objects.
func (o *event) list(field string) []*event {
	value := o.value.Get(field)
	if value == nil {
		o.fail(field, errMissing)
		return nil
	}
	items, err := value.Array()
	if err != nil {
		o.fail(field, err)
		return nil
	}
	list := make([]*event, 0, len(items))
	for _, item := range items {
		if item.Type() != fastjson.TypeObject {
			o.fail(field, errMissing)
			return nil
		}
		list = append(list, &event{value: item})
	}
	return list
}

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
	value := o.value.Get(field)
	if value == nil || value.Type() == fastjson.TypeNull {
		return ""
	}
	return o.stringOf(field, value)
}

func (o *event) stringOf(field string, value *fastjson.Value) string {
	bytes, err := value.StringBytes()
	if err != nil {
		o.fail(field, err)
		return ""
	}
	return string(bytes)
}

// decimal reads a decimal string that must be there.
func (o *event) decimal(field string) decimal.Decimal {
	text := o.text(field)
	if o.err != nil {
		return decimal.Decimal{}
	}
	value, err := venues.ParseVenueDecimal(text)
	if err != nil {
		o.fail(field, err)
	}
	return value
}

// optional reads a decimal string that may be absent or empty.
func (o *event) optional(field string) venues.Optional {
	text := o.optionalText(field)
	if text == "" {
		return venues.Optional{}
	}
	value, err := venues.ParseVenueDecimal(text)
	if err != nil {
		o.fail(field, err)
		return venues.Optional{}
	}
	return venues.Some(value)
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

// sequence reads a number of a sequence, which must be there.
func (o *event) sequence(field string) uint64 {
	value := o.value.Get(field)
	if value == nil {
		o.fail(field, errMissing)
		return 0
	}
	n, err := value.Uint64()
	if err != nil {
		o.fail(field, err)
	}
	return n
}

// flag reads a boolean; absence is false.
func (o *event) flag(field string) bool {
	value := o.value.Get(field)
	if value == nil {
		return false
	}
	on, err := value.Bool()
	if err != nil {
		o.fail(field, err)
	}
	return on
}

// time reads milliseconds, printed as a number or here and there as a string.
func (o *event) time(field string) time.Time {
	value := o.value.Get(field)
	if value == nil {
		return time.Time{}
	}
	if value.Type() == fastjson.TypeString {
		n, err := strconv.ParseInt(o.stringOf(field, value), 10, 64)
		if err != nil {
			o.fail(field, err)
		}
		return millis(n)
	}
	return millis(o.integer(field))
}

// levels reads `[["price","qty"],...]` behind into.
func (o *event) levels(field string, scale venues.Scale, into []venues.Level) []venues.Level {
	value := o.value.Get(field)
	if value == nil || value.Type() != fastjson.TypeArray {
		o.fail(field, errMissing)
		return into
	}
	rows := value.GetArray()
	for _, row := range rows {
		cells, err := row.Array()
		if err != nil || len(cells) < 2 {
			o.fail(field, errMissing)
			return into
		}
		level, err := parseLevel(o.stringOf(field, cells[0]), o.stringOf(field, cells[1]), scale)
		if err != nil {
			o.fail(field, err)
			return into
		}
		into = append(into, level)
	}
	return into
}
