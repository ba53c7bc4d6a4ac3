package payload

import (
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
	"github.com/valyala/fastjson"

	"venuegate/venues"
)

// Object reads the members of a JSON object of a stream. Names are case sensitive,
// because some differ in case only ("e" and "E"). The first failure is kept and later
// reads return zero values, so that a decoder checks once.
type Object struct {
	value *fastjson.Value
	err   error
}

// Err returns the first failure.
func (o *Object) Err() error { return o.err }

// Value returns the underlying value, for what Object does not support.
func (o *Object) Value() *fastjson.Value { return o.value }

// Parse parses a message that must be an object. The result is valid until the parser is
// used again.
func Parse(parser *fastjson.Parser, data []byte) (*Object, error) {
	value, err := parser.ParseBytes(data)
	if err != nil {
		return nil, fmt.Errorf("parse message: %w", err)
	}
	if value.Type() != fastjson.TypeObject {
		return nil, fmt.Errorf("message is a JSON %s", value.Type())
	}
	return &Object{value: value}, nil
}

// Fail records a failure, if it is the first.
func (o *Object) Fail(field string, err error) {
	if o.err == nil {
		o.err = fmt.Errorf("%s: %w", field, err)
	}
}

// Object returns a member that must be an object.
func (o *Object) Object(field string) *Object {
	value := o.value.Get(field)
	if value == nil || value.Type() != fastjson.TypeObject {
		o.Fail(field, ErrMissing)
		return &Object{value: fastjson.MustParse("{}"), err: o.err}
	}
	return &Object{value: value, err: o.err}
}

// OptionalList returns a member that must be an array of objects; nil if it is missing.
func (o *Object) OptionalList(field string) []*Object {
	value := o.value.Get(field)
	if value == nil {
		return nil
	}
	items, err := value.Array()
	if err != nil {
		o.Fail(field, err)
		return nil
	}
	list := make([]*Object, 0, len(items))
	for _, item := range items {
		if item.Type() != fastjson.TypeObject {
			o.Fail(field, ErrMissing)
			return nil
		}
		list = append(list, &Object{value: item})
	}
	return list
}

// List returns a member that must be an array of objects.
func (o *Object) List(field string) []*Object {
	if !o.Has(field) {
		o.Fail(field, ErrMissing)
		return nil
	}
	return o.OptionalList(field)
}

// Has reports whether a member exists.
func (o *Object) Has(field string) bool { return o.value.Exists(field) }

// Text returns a member that must be a string.
func (o *Object) Text(field string) string {
	value := o.value.Get(field)
	if value == nil {
		o.Fail(field, ErrMissing)
		return ""
	}
	return o.StringOf(field, value)
}

// Expect records ErrUnrelated unless a member is the string want.
func (o *Object) Expect(field, want string) {
	if text := o.Text(field); o.err == nil && text != want {
		o.Fail(field, fmt.Errorf("%q: %w", Bounded(text), ErrUnrelated))
	}
}

// OptionalText returns a string, empty if it is missing or null.
func (o *Object) OptionalText(field string) string {
	value := o.value.Get(field)
	if value == nil || value.Type() == fastjson.TypeNull {
		return ""
	}
	return o.StringOf(field, value)
}

// StringOf returns the text of a value, which must be a string.
func (o *Object) StringOf(field string, value *fastjson.Value) string {
	bytes, err := value.StringBytes()
	if err != nil {
		o.Fail(field, err)
		return ""
	}
	return string(bytes)
}

// Decimal returns a member that must be a decimal in a string.
func (o *Object) Decimal(field string) decimal.Decimal {
	text := o.Text(field)
	if o.err != nil {
		return decimal.Decimal{}
	}
	value, err := venues.ParseVenueDecimal(text)
	if err != nil {
		o.Fail(field, err)
	}
	return value
}

// Optional returns a decimal in a string, unknown if it is missing or empty.
func (o *Object) Optional(field string) venues.Optional {
	text := o.OptionalText(field)
	if text == "" {
		return venues.Optional{}
	}
	value, err := venues.ParseVenueDecimal(text)
	if err != nil {
		o.Fail(field, err)
		return venues.Optional{}
	}
	return venues.Some(value)
}

// OptionalPositive is Optional, with zero as unknown.
func (o *Object) OptionalPositive(field string) venues.Optional {
	return venues.SomePositive(o.Optional(field).Decimal)
}

// Integer returns a whole number, zero if it is missing.
func (o *Object) Integer(field string) int64 {
	value := o.value.Get(field)
	if value == nil {
		return 0
	}
	n, err := value.Int64()
	if err != nil {
		o.Fail(field, err)
	}
	return n
}

// Sequence returns a sequence number, which must exist.
func (o *Object) Sequence(field string) uint64 {
	value := o.value.Get(field)
	if value == nil {
		o.Fail(field, ErrMissing)
		return 0
	}
	n, err := value.Uint64()
	if err != nil {
		o.Fail(field, err)
	}
	return n
}

// ID returns a positive integer as text.
func (o *Object) ID(field string) string {
	n := o.Integer(field)
	if n <= 0 {
		o.Fail(field, ErrMissing)
	}
	return strconv.FormatInt(n, 10)
}

// Flag returns a boolean, false if it is missing.
func (o *Object) Flag(field string) bool {
	value := o.value.Get(field)
	if value == nil {
		return false
	}
	on, err := value.Bool()
	if err != nil {
		o.Fail(field, err)
	}
	return on
}

// Time returns a time in milliseconds, printed as a number or as a string.
func (o *Object) Time(field string) time.Time {
	value := o.value.Get(field)
	if value == nil {
		return time.Time{}
	}
	if value.Type() == fastjson.TypeString {
		n, err := strconv.ParseInt(o.StringOf(field, value), 10, 64)
		if err != nil {
			o.Fail(field, err)
		}
		return Millis(n)
	}
	return Millis(o.Integer(field))
}

// PositiveDecimal returns a member that must be a decimal above zero in a string.
func (o *Object) PositiveDecimal(field string) decimal.Decimal {
	value := o.Decimal(field)
	if o.err == nil && !value.IsPositive() {
		o.Fail(field, ErrMissing)
	}
	return value
}

// TimeText returns a member that must be a time in milliseconds, printed as a string.
func (o *Object) TimeText(field string) time.Time {
	text := o.Text(field)
	if o.err != nil {
		return time.Time{}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		o.Fail(field, err)
	case Millis(n).IsZero():
		o.Fail(field, ErrMissing)
	}
	return Millis(n)
}

// Levels appends the levels of `[["price","qty",...],...]` to into; parse converts each.
func (o *Object) Levels(field string, into []venues.Level, parse func(price, qty string) (venues.Level, error)) []venues.Level {
	value := o.value.Get(field)
	if value == nil || value.Type() != fastjson.TypeArray {
		o.Fail(field, ErrMissing)
		return into
	}
	for _, row := range value.GetArray() {
		cells, err := row.Array()
		if err != nil || len(cells) < 2 {
			o.Fail(field, ErrMissing)
			return into
		}
		level, err := parse(o.StringOf(field, cells[0]), o.StringOf(field, cells[1]))
		if err != nil {
			o.Fail(field, err)
			return into
		}
		into = append(into, level)
	}
	return into
}

// ObjectOf returns the Object of a value, which must be an object.
func ObjectOf(value *fastjson.Value) *Object { return &Object{value: value} }
