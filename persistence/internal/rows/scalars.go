package rows

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"io"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// The methods below append or read what a member contains after its number. Those that
// read call fail if it is malformed.

func (c *codec) writeUvarint(n uint64) { c.out = binary.AppendUvarint(c.out, n) }

func (c *codec) writeVarint(n int64) { c.out = binary.AppendVarint(c.out, n) }

func (c *codec) writeBytes(b []byte) {
	c.writeUvarint(uint64(len(b)))
	c.out = append(c.out, b...)
}

func (c *codec) readByte() byte {
	if part := c.take(1); part != nil {
		return part[0]
	}
	return 0
}

// take returns the next n bytes; nil if fewer are left.
func (c *codec) take(n uint64) []byte {
	if c.err != nil {
		return nil
	}
	if n > uint64(len(c.in)) {
		c.fail(io.ErrUnexpectedEOF)
		return nil
	}
	part := c.in[:n:n]
	c.in = c.in[n:]
	return part
}

func (c *codec) readUvarint() uint64 {
	n, size := binary.Uvarint(c.in)
	c.skipVarint(size)
	return n
}

func (c *codec) readVarint() int64 {
	n, size := binary.Varint(c.in)
	c.skipVarint(size)
	return n
}

func (c *codec) skipVarint(size int) {
	if size <= 0 {
		c.fail(fmt.Errorf("%w: a number", errMalformed))
		return
	}
	c.take(uint64(size))
}

// readCount reads the number of elements of a list, each of which has at least one byte.
func (c *codec) readCount() int {
	n := c.readUvarint()
	if n > uint64(len(c.in)) {
		c.fail(io.ErrUnexpectedEOF)
	}
	if c.err != nil {
		return 0
	}
	return int(n)
}

func (c *codec) readBytes() []byte { return c.take(c.readUvarint()) }

// A time is a varint of milliseconds since the time of the reference, or since 1970 if
// the value has none. The times of a record are close to each other.

func (c *codec) writeTime(t venues.Time) {
	checkTime(c, t)
	c.writeVarint(t.UnixMilli() - c.reference.millis)
}

func (c *codec) readTime() (t venues.Time) {
	since := c.readVarint()
	ms := since + c.reference.millis
	if seconds := ms / 1000; ms < since && c.reference.millis > 0 || seconds < secondsMin || seconds >= secondsEnd {
		c.fail(fmt.Errorf("%w: a time of %d milliseconds", errMalformed, ms))
		return t
	}
	return venues.Time{Time: time.UnixMilli(ms).UTC()}
}

// A time is stored if it has a year of four digits: 0 to 9999.
var (
	secondsMin = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	secondsEnd = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
)

func checkTime(c *codec, t venues.Time) {
	if seconds := t.Unix(); seconds < secondsMin || seconds >= secondsEnd {
		c.fail(fmt.Errorf("a time in the year %d", t.UTC().Year()))
	}
}

// A decimal is two varints: the exponent, doubled, and the coefficient, without trailing zeros
// after the point. As the first is even, 1 marks the other form, of a decimal with more digits
// than fit: the length of its text and the text.

const (
	decimalText = 1
	// decimalDigitsMax is the limit of venues.ParseVenueDecimal for the digits on
	// each side of the decimal point.
	decimalDigitsMax = 2 * venues.DecimalDigitsMax
	// decimalExponentMin bounds the length of the text that isStorable parses for a
	// decimal with trailing zeros.
	decimalExponentMin = -1024
)

// isStorable reports whether venues.ParseVenueDecimal parses the text of d.
func isStorable(d decimal.Decimal) bool {
	exponent := int(d.Exponent())
	if exponent > decimalDigitsMax || exponent < decimalExponentMin {
		return false
	}
	if exponent >= -decimalDigitsMax {
		return d.NumDigits()+exponent <= decimalDigitsMax
	}
	_, err := venues.ParseVenueDecimal(d.String())
	return err == nil
}

func (c *codec) writeDecimal(d decimal.Decimal) {
	if !isStorable(d) {
		c.fail(fmt.Errorf("a decimal of more than %d digits", decimalDigitsMax))
		return
	}
	if d.NumDigits() > venues.DecimalDigitsMax {
		c.writeVarint(decimalText)
		begin := len(c.out)
		c.out = venues.AppendDecimal(append(c.out, 0), d)
		c.out[begin] = byte(len(c.out) - begin - 1) // isStorable bounds it.
		return
	}
	exponent, coefficient := int64(d.Exponent()), d.CoefficientInt64()
	for exponent < 0 && coefficient%10 == 0 && coefficient != 0 {
		coefficient /= 10
		exponent++
	}
	c.writeVarint(2 * exponent)
	c.writeVarint(coefficient)
}

func (c *codec) readDecimal() decimal.Decimal {
	form := c.readVarint()
	if form == decimalText {
		d, err := venues.ParseVenueDecimal(string(c.take(uint64(c.readByte()))))
		if err != nil {
			c.fail(err)
		}
		return d
	}
	exponent := form / 2
	if form%2 != 0 || exponent > decimalDigitsMax || exponent < decimalExponentMin {
		c.fail(fmt.Errorf("%w: a decimal of form %d", errMalformed, form))
		return decimal.Decimal{}
	}
	d := decimal.New(c.readVarint(), int32(exponent))
	if c.err == nil && !isStorable(d) {
		c.fail(fmt.Errorf("%w: a decimal of more than %d digits", errMalformed, decimalDigitsMax))
	}
	return d
}

// stringCache returns the same string for equal short texts, which saves most
// allocations: customers and symbols repeat.
type stringCache struct {
	// pairs holds, for each hash, the two texts that were used last, the newest first.
	pairs [256][2]string
}

// cachedBytesMax bounds the length of a cached text.
const cachedBytesMax = 64

var cacheSeed = maphash.MakeSeed()

func (s *stringCache) get(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if len(text) > cachedBytesMax {
		return string(text)
	}
	pair := &s.pairs[maphash.Bytes(cacheSeed, text)%uint64(len(s.pairs))]
	switch {
	case pair[0] == string(text):
	case pair[1] == string(text):
		pair[0], pair[1] = pair[1], pair[0]
	default:
		pair[0], pair[1] = string(text), pair[0]
	}
	return pair[0]
}
