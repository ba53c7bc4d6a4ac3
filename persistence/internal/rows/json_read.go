package rows

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// errMalformed reports JSON that this package does not write.
var errMalformed = errors.New("malformed JSON")

// The methods below read JSON without white space, as json_write.go writes it. expect and
// the methods read… call fail if something else comes next; the methods accept… report
// whether their argument came next.

// expect reads the byte b, which must come next.
func (c *codec) expect(b byte) {
	if !c.accept(b) {
		c.fail(fmt.Errorf("%w: want %q at %.20q", errMalformed, b, c.in))
	}
}

// accept reads b if it comes next, and reports whether it does.
func (c *codec) accept(b byte) bool {
	if len(c.in) == 0 || c.in[0] != b || c.err != nil {
		return false
	}
	c.in = c.in[1:]
	return true
}

// acceptWord reads a literal if it comes next, and reports whether it does.
func (c *codec) acceptWord(word string) bool {
	if len(c.in) < len(word) || string(c.in[:len(word)]) != word || c.err != nil {
		return false
	}
	c.in = c.in[len(word):]
	return true
}

// isNext reports whether the value of the member with that name comes next.
func (c *codec) isNext(member string) bool { return c.more && string(c.name) == member }

// firstMember reads the name of the first member of an object, or its end.
func (c *codec) firstMember() {
	if c.more = false; c.err != nil || c.accept('}') {
		return
	}
	c.readMemberName()
}

// nextMember reads the comma and the name of the next member of an object, or its end.
func (c *codec) nextMember() {
	if c.more = false; c.err != nil || c.accept('}') {
		return
	}
	c.expect(',')
	c.readMemberName()
}

func (c *codec) readMemberName() {
	quoted := c.readQuoted()
	c.expect(':')
	if c.err == nil {
		c.name, c.more = quoted[1:len(quoted)-1], true
	}
}

// readObject reads an object with its members in any order. Each function that members
// calls reads its member if it comes next, so one call reads all members in the order
// of writeObject. In another order, members is called again as long as it reads one;
// if it reads none, the next member is unknown.
func readObject[T any](c *codec, v *T, members func(*codec, *T)) {
	c.expect('{')
	c.firstMember()
	for c.more {
		before := len(c.in)
		members(c, v)
		if c.more && len(c.in) == before {
			c.fail(fmt.Errorf("unknown member %q", c.name))
		}
	}
}

// readQuoted reads a string and returns it with its quotes and escapes.
func (c *codec) readQuoted() []byte {
	if c.err == nil && len(c.in) > 0 && c.in[0] == '"' {
		for i := 1; i < len(c.in); i++ {
			switch c.in[i] {
			case '\\':
				i++
			case '"':
				quoted := c.in[:i+1]
				c.in = c.in[i+1:]
				return quoted
			}
		}
	}
	c.fail(fmt.Errorf("%w: want a string at %.20q", errMalformed, c.in))
	return nil
}

// readText reads a string and returns its text.
func (c *codec) readText() string {
	quoted := c.readQuoted()
	if c.err != nil {
		return ""
	}
	if plain := quoted[1 : len(quoted)-1]; isPlain(plain) {
		return c.strings.get(plain)
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		c.fail(err)
	}
	return text
}

// isPlain reports whether a JSON string has no escapes, nothing to escape and
// only ASCII, so that its bytes are its text.
func isPlain[T []byte | string](text T) bool {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == '"' || b == '\\' || b > '~' {
			return false
		}
	}
	return true
}

// readDigits reads a number without fraction and exponent. The caller parses the
// digits, which may be none.
func (c *codec) readDigits() []byte {
	n := 0
	for n < len(c.in) && (c.in[n] == '-' || '0' <= c.in[n] && c.in[n] <= '9') {
		n++
	}
	digits := c.in[:n]
	if unsigned := bytes.TrimPrefix(digits, []byte("-")); len(unsigned) > 1 && unsigned[0] == '0' {
		c.fail(fmt.Errorf("%w: number %q", errMalformed, digits))
	}
	c.in = c.in[n:]
	return digits
}

// readAny reads a value of any type and returns its bytes.
func (c *codec) readAny() []byte {
	depth, n := 0, 0
	rest := c.in
	for n < len(rest) && c.err == nil {
		switch rest[n] {
		case '"':
			c.in = rest[n:]
			n += len(c.readQuoted()) - 1
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return c.takeValue(rest, n)
			}
			if rest[n] != ',' {
				depth--
			}
		}
		n++
	}
	return c.takeValue(rest, n)
}

// takeValue returns the first n bytes of rest, which must be a JSON value, and
// continues after them.
func (c *codec) takeValue(rest []byte, n int) []byte {
	value := rest[:n]
	c.in = rest[n:]
	if c.err == nil && !json.Valid(value) {
		c.fail(fmt.Errorf("%w: %.20q", errMalformed, value))
	}
	return value
}

// nextElement reads the comma before another element of an array or map, or its end,
// and reports whether there is another element.
func (c *codec) nextElement(end byte) bool {
	if c.accept(end) {
		return false
	}
	c.expect(',')
	return c.err == nil
}

func (c *codec) readDecimal() decimal.Decimal {
	quoted := c.readQuoted()
	if c.err != nil {
		return decimal.Decimal{}
	}
	d, err := venues.ParseVenueDecimal(string(quoted[1 : len(quoted)-1]))
	if err != nil {
		c.fail(err)
	}
	return d
}

func (c *codec) readTime() (t venues.Time) {
	if c.acceptWord("null") {
		return t
	}
	quoted := c.readQuoted()
	if c.err != nil {
		return t
	}
	if err := t.UnmarshalJSON(quoted); err != nil {
		c.fail(err)
	}
	return t
}

func (c *codec) readBytes() []byte {
	quoted := c.readQuoted()
	if c.err != nil {
		return nil
	}
	encoded := quoted[1 : len(quoted)-1]
	data := make([]byte, base64.StdEncoding.DecodedLen(len(encoded)))
	n, err := base64.StdEncoding.Decode(data, encoded)
	if err != nil {
		c.fail(err)
	}
	return data[:n]
}

// stringCache returns the same string for equal short texts, which saves most
// allocations: customers, symbols and statuses repeat.
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
