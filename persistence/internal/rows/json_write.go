package rows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// The functions below append JSON without white space. Each element and each member of
// an object is followed by a comma, which writeEnd replaces after the last one.

// writeObject appends an object with the members of v.
func writeObject[T any](c *codec, v *T, members func(*codec, *T)) {
	c.out = append(c.out, '{')
	members(c, v)
	c.writeEnd('}')
}

// writeEnd appends the end of an object or array, in place of the comma after the last
// element.
func (c *codec) writeEnd(end byte) {
	if last := len(c.out) - 1; c.out[last] == ',' {
		c.out[last] = end
		return
	}
	c.out = append(c.out, end)
}

// appendName returns the output with the name of a member and a colon appended.
func (c *codec) appendName(name string) []byte {
	out := append(c.out, '"')
	out = append(out, name...)
	return append(out, `":`...)
}

func (c *codec) writeNull(name string) { c.out = append(c.appendName(name), "null,"...) }

func (c *codec) writeText(name, value string) {
	c.out = append(quote(c.appendName(name), value), ',')
}

// quote appends a JSON string. Most texts are plain; comments and messages of
// venues may not be.
func quote(dst []byte, text string) []byte {
	if !isPlain(text) {
		return quoteEscaped(dst, text)
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

func quoteEscaped(dst []byte, text string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // cannot fail for a string
	return append(dst, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

func (c *codec) writeDecimal(name string, d decimal.Decimal) {
	if !isStorable(d) {
		c.fail(fmt.Errorf("member %q: a decimal of more than %d digits", name, decimalDigitsMax))
		return
	}
	c.out = append(venues.AppendDecimal(append(c.appendName(name), '"'), d), '"', ',')
}

const (
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

// A time is stored with a year of four digits: 0 to 9999.
var (
	secondsMin = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	secondsEnd = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
)

func (c *codec) writeTime(t venues.Time) {
	if seconds := t.Unix(); seconds < secondsMin || seconds >= secondsEnd {
		c.fail(fmt.Errorf("a time in the year %d", t.UTC().Year()))
		return
	}
	c.out = append(venues.AppendTime(c.out, t.Time), ',')
}
