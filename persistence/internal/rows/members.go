package rows

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// The functions of records_*.go describe the stored types: the members of each JSON
// object, in the order in which they are stored. A test compares them with the JSON tags
// of the types.
//
// Each function and method below describes one member by its name and its field in Go.
// When encoding, it appends the member as encoding/json does without escaping HTML; when
// decoding, it reads the member if it comes next. Those with the suffix Omit leave out a
// zero field, like omitempty and omitzero. Some are functions because they need a type
// parameter, which methods cannot have.

// text describes a string.
func text[S ~string](c *codec, name string, field *S) {
	switch {
	case !c.decoding:
		c.writeText(name, string(*field))
	case c.isNext(name):
		*field = S(c.readText())
		c.nextMember()
	}
}

func textOmit[S ~string](c *codec, name string, field *S) {
	if c.decoding || *field != "" {
		text(c, name, field)
	}
}

// flagOmit describes a bool, left out if false.
func (c *codec) flagOmit(name string, field *bool) {
	switch {
	case !c.decoding && *field:
		c.out = append(c.appendName(name), "true,"...)
	case c.decoding && c.isNext(name):
		if *field = c.acceptWord("true"); !*field && !c.acceptWord("false") {
			c.fail(fmt.Errorf("%w: member %q is neither true nor false", errMalformed, name))
		}
		c.nextMember()
	}
}

// integer describes an int.
func (c *codec) integer(name string, field *int) {
	switch {
	case !c.decoding:
		c.out = append(strconv.AppendInt(c.appendName(name), int64(*field), 10), ',')
	case c.isNext(name):
		var err error
		if *field, err = strconv.Atoi(string(c.readDigits())); err != nil {
			c.fail(err)
		}
		c.nextMember()
	}
}

func (c *codec) integerOmit(name string, field *int) {
	if c.decoding || *field != 0 {
		c.integer(name, field)
	}
}

// count describes an unsigned number, such as a sequence.
func (c *codec) count(name string, field *uint64) {
	switch {
	case !c.decoding:
		c.out = append(strconv.AppendUint(c.appendName(name), *field, 10), ',')
	case c.isNext(name):
		var err error
		if *field, err = strconv.ParseUint(string(c.readDigits()), 10, 64); err != nil {
			c.fail(err)
		}
		c.nextMember()
	}
}

// decimal describes a decimal: a JSON string in plain notation. The decimal
// library would also read bare numbers and exponents.
func (c *codec) decimal(name string, field *decimal.Decimal) {
	switch {
	case !c.decoding:
		c.writeDecimal(name, *field)
	case c.isNext(name):
		*field = c.readDecimal()
		c.nextMember()
	}
}

func (c *codec) decimalOmit(name string, field *decimal.Decimal) {
	if c.decoding || !field.IsZero() {
		c.decimal(name, field)
	}
}

// optional describes a decimal that is null when it is unknown.
func (c *codec) optional(name string, field *venues.Optional) {
	switch {
	case !c.decoding && !field.Valid:
		c.writeNull(name)
	case !c.decoding:
		c.writeDecimal(name, field.Decimal)
	case c.isNext(name):
		if *field = (venues.Optional{}); !c.acceptWord("null") {
			*field = venues.Some(c.readDecimal())
		}
		c.nextMember()
	}
}

func (c *codec) optionalOmit(name string, field *venues.Optional) {
	if c.decoding || *field != (venues.Optional{}) {
		c.optional(name, field)
	}
}

// time describes a time in milliseconds; the zero time is null.
func (c *codec) time(name string, field *venues.Time) {
	switch {
	case !c.decoding:
		c.out = c.appendName(name)
		c.writeTime(*field)
	case c.isNext(name):
		*field = c.readTime()
		c.nextMember()
	}
}

func (c *codec) timeOmit(name string, field *venues.Time) {
	if c.decoding || !field.IsZero() {
		c.time(name, field)
	}
}

// timesOmit describes a map from names to times.
func (c *codec) timesOmit(name string, field *map[string]venues.Time) {
	switch {
	case !c.decoding && len(*field) > 0:
		c.out = append(c.appendName(name), '{')
		for _, key := range slices.Sorted(maps.Keys(*field)) {
			c.out = append(quote(c.out, key), ':')
			c.writeTime((*field)[key])
		}
		c.writeEnd('}')
		c.out = append(c.out, ',')
	case c.decoding && c.isNext(name):
		*field = map[string]venues.Time{}
		c.expect('{')
		for more := !c.accept('}'); more && c.err == nil; more = c.nextElement('}') {
			key := c.readText()
			c.expect(':')
			(*field)[key] = c.readTime()
		}
		c.nextMember()
	}
}

// bytes describes bytes in base64; nil is null.
func (c *codec) bytes(name string, field *[]byte) {
	switch {
	case !c.decoding && *field == nil:
		c.writeNull(name)
	case !c.decoding:
		out := append(c.appendName(name), '"')
		c.out = append(base64.StdEncoding.AppendEncode(out, *field), '"', ',')
	case c.isNext(name):
		if *field = nil; !c.acceptWord("null") {
			*field = c.readBytes()
		}
		c.nextMember()
	}
}

func (c *codec) bytesOmit(name string, field *[]byte) {
	if c.decoding || len(*field) > 0 {
		c.bytes(name, field)
	}
}

// json describes any JSON value, stored without white space; nil is null.
func (c *codec) json(name string, field *json.RawMessage) {
	switch {
	case !c.decoding && *field == nil:
		c.writeNull(name)
	case !c.decoding:
		out := bytes.NewBuffer(c.appendName(name))
		if err := json.Compact(out, *field); err != nil {
			c.fail(err)
		}
		c.out = append(out.Bytes(), ',')
	case c.isNext(name):
		*field = bytes.Clone(c.readAny())
		c.nextMember()
	}
}

// object describes a struct.
func object[T any](c *codec, name string, field *T, members func(*codec, *T)) {
	switch {
	case !c.decoding:
		c.out = c.appendName(name)
		writeObject(c, field, members)
		c.out = append(c.out, ',')
	case c.isNext(name):
		readObject(c, field, members)
		c.nextMember()
	}
}

// pointer describes a pointer to a struct; nil is null.
func pointer[T any](c *codec, name string, field **T, members func(*codec, *T)) {
	switch {
	case !c.decoding && *field == nil:
		c.writeNull(name)
	case !c.decoding:
		object(c, name, *field, members)
	case c.isNext(name) && c.acceptWord("null"):
		*field = nil
		c.nextMember()
	case c.isNext(name):
		*field = new(T)
		object(c, name, *field, members)
	}
}

func pointerOmit[T any](c *codec, name string, field **T, members func(*codec, *T)) {
	if c.decoding || *field != nil {
		pointer(c, name, field, members)
	}
}

// texts describes a list of texts; nil is null.
func texts[S ~string](c *codec, name string, field *[]S) {
	array(c, name, field, func(c *codec, element *S) {
		if c.decoding {
			*element = S(c.readText())
			return
		}
		c.out = quote(c.out, string(*element))
	})
}

func textsOmit[S ~string](c *codec, name string, field *[]S) {
	if c.decoding || len(*field) > 0 {
		texts(c, name, field)
	}
}

// objectsOmit describes a list of structs.
func objectsOmit[T any](c *codec, name string, field *[]T, members func(*codec, *T)) {
	if !c.decoding && len(*field) == 0 {
		return
	}
	array(c, name, field, func(c *codec, element *T) {
		if c.decoding {
			readObject(c, element, members)
			return
		}
		writeObject(c, element, members)
	})
}

// array describes a list, each element of which the function element encodes or
// decodes; nil is null.
func array[T any](c *codec, name string, field *[]T, element func(*codec, *T)) {
	switch {
	case !c.decoding && *field == nil:
		c.writeNull(name)
	case !c.decoding:
		c.out = append(c.appendName(name), '[')
		for i := range *field {
			element(c, &(*field)[i])
			c.out = append(c.out, ',')
		}
		c.writeEnd(']')
		c.out = append(c.out, ',')
	case c.isNext(name) && c.acceptWord("null"):
		*field = nil
		c.nextMember()
	case c.isNext(name):
		*field = []T{}
		c.expect('[')
		for more := !c.accept(']'); more && c.err == nil; more = c.nextElement(']') {
			var zero T
			*field = append(*field, zero)
			element(c, &(*field)[len(*field)-1])
		}
		c.nextMember()
	}
}
