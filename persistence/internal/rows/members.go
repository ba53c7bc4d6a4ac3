package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// The functions of records_*.go describe the stored types: the members of each object, in
// the ascending order of their numbers. The numbers are stored and therefore never
// change; that of a removed member is not used again. A test sets every field of the
// types and compares what is decoded.
//
// Each function and method below describes one member by its number and its field in
// Go. When encoding, it appends the member unless the field is zero; when decoding, it
// reads the member if it comes next. Some are functions because they need a type
// parameter, which methods cannot have. customer, id, sequence and at describe fields that
// are part of the key and not of the value.

var (
	errMalformed = errors.New("malformed value")
	errKey       = errors.New("a field differs from the key")
)

// put begins a member.
func (c *codec) put(number byte) {
	if number <= c.last {
		c.fail(fmt.Errorf("member %d after member %d", number, c.last))
	}
	c.last = number
	c.out = append(c.out, number)
}

// isNext reports whether the member with that number comes next.
func (c *codec) isNext(number byte) bool { return c.next == number }

// advance reads the number of the next member. One that is out of order matches no later
// member, so that it ends the object as an unknown one.
func (c *codec) advance() {
	c.next = 0
	if c.err != nil || c.depth == 0 && len(c.in) == 0 {
		return
	}
	number := c.readByte()
	if number == 0 && c.depth == 0 {
		c.fail(fmt.Errorf("%w: the end of an object outside of one", errMalformed))
		return
	}
	c.next = number
}

// readMembers reads the members of an object up to its end.
func readMembers[T any](c *codec, v *T, members func(*codec, *T)) {
	c.next = 0
	c.advance()
	members(c, v)
	if c.next != 0 {
		c.fail(fmt.Errorf("unknown member %d", c.next))
	}
}

// writeObject appends an object, which ends with a zero byte.
func writeObject[T any](c *codec, v *T, members func(*codec, *T)) {
	last := c.last
	c.last = 0
	members(c, v)
	c.last = last
	c.out = append(c.out, 0)
}

func readObject[T any](c *codec, v *T, members func(*codec, *T)) {
	next := c.next
	c.depth++
	readMembers(c, v, members)
	c.depth--
	if c.err == nil {
		c.next = next
	}
}

// customer describes the customer of a record.
func (c *codec) customer(field *string) { c.keyed(field, c.identity.Customer) }

// id describes the id of a record or journal row.
func (c *codec) id(field *string) { c.keyed(field, c.identity.ID) }

func (c *codec) keyed(field *string, inKey string) {
	switch {
	case c.decoding:
		*field = inKey
	case *field != inKey:
		c.fail(errKey)
	}
}

// sequence describes the sequence of an event.
func (c *codec) sequence(field *uint64) {
	if c.decoding {
		*field = c.identity.seq
	}
}

// at describes the time of a journal row.
func (c *codec) at(field *venues.Time) {
	if c.decoding {
		*field = c.identity.at
		return
	}
	checkTime(c, *field)
}

// text describes a string.
func text[S ~string](c *codec, number byte, field *S) {
	switch {
	case c.decoding && c.isNext(number):
		*field = S(c.readText())
		c.advance()
	case !c.decoding && *field != "":
		c.put(number)
		c.writeText(string(*field))
	}
}

// flag describes a bool. It has no bytes but the number.
func (c *codec) flag(number byte, field *bool) {
	switch {
	case c.decoding && c.isNext(number):
		*field = true
		c.advance()
	case !c.decoding && *field:
		c.put(number)
	}
}

// integer describes an int.
func (c *codec) integer(number byte, field *int) {
	switch {
	case c.decoding && c.isNext(number):
		*field = int(c.readVarint())
		c.advance()
	case !c.decoding && *field != 0:
		c.put(number)
		c.writeVarint(int64(*field))
	}
}

// count describes an unsigned number, such as a sequence.
func (c *codec) count(number byte, field *uint64) {
	switch {
	case c.decoding && c.isNext(number):
		*field = c.readUvarint()
		c.advance()
	case !c.decoding && *field != 0:
		c.put(number)
		c.writeUvarint(*field)
	}
}

func (c *codec) decimal(number byte, field *decimal.Decimal) {
	switch {
	case c.decoding && c.isNext(number):
		*field = c.readDecimal()
		c.advance()
	case !c.decoding && !field.IsZero():
		c.put(number)
		c.writeDecimal(*field)
	}
}

// optional describes a decimal that may be unknown.
func (c *codec) optional(number byte, field *venues.Optional) {
	switch {
	case c.decoding && c.isNext(number):
		*field = venues.Some(c.readDecimal())
		c.advance()
	case !c.decoding && field.Valid:
		c.put(number)
		c.writeDecimal(field.Decimal)
	}
}

// time describes a time in milliseconds.
func (c *codec) time(number byte, field *venues.Time) {
	switch {
	case c.decoding && c.isNext(number):
		*field = c.readTime()
		c.advance()
	case !c.decoding && !field.IsZero():
		c.put(number)
		c.writeTime(*field)
	}
}

// times describes a map from names to times.
func (c *codec) times(number byte, field *map[string]venues.Time) {
	switch {
	case !c.decoding && len(*field) > 0:
		c.put(number)
		c.writeUvarint(uint64(len(*field)))
		for _, key := range slices.Sorted(maps.Keys(*field)) {
			c.writeText(key)
			c.writeTime((*field)[key])
		}
	case c.decoding && c.isNext(number):
		n := c.readCount()
		*field = make(map[string]venues.Time, n)
		for range n {
			key := c.readText()
			(*field)[key] = c.readTime()
		}
		c.advance()
	}
}

// bytes describes bytes. Empty ones are not nil.
func (c *codec) bytes(number byte, field *[]byte) {
	switch {
	case c.decoding && c.isNext(number):
		*field = append([]byte{}, c.readBytes()...)
		c.advance()
	case !c.decoding && *field != nil:
		c.put(number)
		c.writeBytes(*field)
	}
}

// json describes any JSON value, stored without white space; nil is null.
func (c *codec) json(number byte, field *json.RawMessage) {
	switch {
	case c.decoding && c.isNext(number):
		*field = c.readJSON()
		c.advance()
	case !c.decoding && *field != nil && string(*field) != "null":
		c.put(number)
		var compact bytes.Buffer
		if err := json.Compact(&compact, *field); err != nil {
			c.fail(err)
		}
		c.writeJSON(compact.Bytes())
	}
}

// object describes a struct. One without members is left out.
func object[T any](c *codec, number byte, field *T, members func(*codec, *T)) {
	if c.decoding {
		if c.isNext(number) {
			readObject(c, field, members)
			c.advance()
		}
		return
	}
	before, last := len(c.out), c.last
	c.put(number)
	begin := len(c.out)
	if writeObject(c, field, members); len(c.out) == begin+1 {
		c.out, c.last = c.out[:before], last
	}
}

// pointer describes a pointer to a struct.
func pointer[T any](c *codec, number byte, field **T, members func(*codec, *T)) {
	switch {
	case c.decoding && c.isNext(number):
		*field = new(T)
		readObject(c, *field, members)
		c.advance()
	case !c.decoding && *field != nil:
		c.put(number)
		writeObject(c, *field, members)
	}
}

// texts describes a list of texts. An empty one is not nil.
func texts[S ~string](c *codec, number byte, field *[]S) {
	array(c, number, field, func(c *codec, element *S) {
		if c.decoding {
			*element = S(c.readText())
			return
		}
		c.writeText(string(*element))
	})
}

// objects describes a list of structs.
func objects[T any](c *codec, number byte, field *[]T, members func(*codec, *T)) {
	array(c, number, field, func(c *codec, element *T) {
		if c.decoding {
			readObject(c, element, members)
			return
		}
		writeObject(c, element, members)
	})
}

// array describes a list, each element of which the function element encodes or decodes.
func array[T any](c *codec, number byte, field *[]T, element func(*codec, *T)) {
	switch {
	case !c.decoding && *field != nil:
		c.put(number)
		c.writeUvarint(uint64(len(*field)))
		for i := range *field {
			element(c, &(*field)[i])
		}
	case c.decoding && c.isNext(number):
		n := c.readCount()
		*field = []T{}
		for range n {
			if c.err != nil {
				break
			}
			var zero T
			*field = append(*field, zero)
			element(c, &(*field)[len(*field)-1])
		}
		c.advance()
	}
}
