package api

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"venuegate/venues"
)

// ignoredMax bounds the names of unknown members that are remembered.
const ignoredMax = 16

// Body reads one JSON object, member by member. After Next has returned true
// exactly one of the reading methods must be called. It is for one goroutine.
type Body struct {
	Faults
	dec     *jsontext.Decoder
	members []string
	seen    []bool
	nulls   []bool
	current int
	ignored []string
	fatal   error
	// bareNumbers takes a JSON number for a decimal, by its text.
	bareNumbers bool
}

// OpenBody begins to read data, whose known members are named. What is wrong
// with data is told by Err.
func OpenBody(data []byte, members ...string) *Body {
	b := &Body{members: members, seen: make([]bool, len(members)), nulls: make([]bool, len(members))}
	if len(bytes.TrimSpace(data)) == 0 {
		b.fail("", RuleMissing, "a JSON object")
		return b
	}
	if !utf8.Valid(data) {
		b.fail("", RuleMalformed, "UTF-8")
		return b
	}
	b.dec = jsontext.NewDecoder(bytes.NewBuffer(data))
	b.open()
	return b
}

// AcceptBareNumbers makes Decimal take JSON numbers too; their text is kept. It
// is for chart templates, which print bare numbers.
func (b *Body) AcceptBareNumbers() { b.bareNumbers = true }

func (b *Body) open() {
	token, err := b.dec.ReadToken()
	if err != nil {
		b.malformed(err)
	} else if token.Kind() != jsontext.KindBeginObject {
		b.fail("", RuleWrongType, "a JSON object")
	}
}

// Next goes to the next known member that is not null. It is false at the end
// and at the first syntax error.
func (b *Body) Next() bool {
	for b.fatal == nil {
		token, err := b.dec.ReadToken()
		if err != nil {
			b.malformed(err)
			return false
		}
		if token.Kind() == jsontext.KindEndObject {
			b.finish()
			return false
		}
		known := b.known(token.String())
		if known && b.dec.PeekKind() != jsontext.KindNull {
			b.seen[b.current] = true
			return true
		}
		if known {
			b.nulls[b.current] = true
		}
		b.skip()
	}
	return false
}

// known says whether name is a member, and notes one in another case: to ignore
// "reduceonly" would be to open a position.
func (b *Body) known(name string) bool {
	b.current = slices.Index(b.members, name)
	if b.current >= 0 {
		return true
	}
	for _, member := range b.members {
		if strings.EqualFold(member, name) {
			b.Add(name, RuleWrongCase, name, member)
			return false
		}
	}
	if len(b.ignored) < ignoredMax {
		b.ignored = append(b.ignored, shorten(name))
	}
	return false
}

// finish refuses whatever follows the object.
func (b *Body) finish() {
	if _, err := b.dec.ReadToken(); !errors.Is(err, io.EOF) {
		b.fail("", RuleMalformed, "one JSON object and nothing after it")
	}
}

// Name is the member that Next went to.
func (b *Body) Name() string { return b.members[b.current] }

// Has says whether a known member was given and not null.
func (b *Body) Has(member string) bool {
	i := slices.Index(b.members, member)
	return i >= 0 && b.seen[i]
}

// IsNull says whether a known member was given as null.
func (b *Body) IsNull(member string) bool {
	i := slices.Index(b.members, member)
	return i >= 0 && b.nulls[i]
}

// Count is how many known members were given.
func (b *Body) Count() int {
	n := 0
	for _, seen := range b.seen {
		if seen {
			n++
		}
	}
	return n
}

// Ignored lists unknown members, the first few of them.
func (b *Body) Ignored() []string { return b.ignored }

// Require notes each member that was not given.
func (b *Body) Require(members ...string) {
	for _, member := range members {
		if !b.Has(member) {
			b.Add(member, RuleMissing, "", "")
		}
	}
}

// Err is nil, or a *venues.Error invalid_request: a syntax error, else every
// fault.
func (b *Body) Err() error {
	if b.fatal != nil {
		return b.fatal
	}
	return b.Faults.Err()
}

// Text reads a string of at most charsMax characters.
func (b *Body) Text(charsMax int) string {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return b.text(b.Name(), value, charsMax)
}

// Decimal reads a decimal string; see venues.ParseDecimal.
func (b *Body) Decimal() venues.Optional {
	if b.bareNumbers && b.fatal == nil && b.dec.PeekKind() == jsontext.KindNumber {
		token, err := b.dec.ReadToken()
		if err != nil {
			b.malformed(err)
			return venues.Optional{}
		}
		return b.decimal(b.Name(), token.String())
	}
	value, ok := b.stringValue(`a decimal in a JSON string, such as "0.5"`)
	if !ok {
		return venues.Optional{}
	}
	return b.decimal(b.Name(), value)
}

// Boolean reads true or false.
func (b *Body) Boolean() bool {
	switch b.dec.PeekKind() {
	case jsontext.KindTrue, jsontext.KindFalse:
		token, err := b.dec.ReadToken()
		if err != nil {
			b.malformed(err)
			return false
		}
		return token.Bool()
	default:
		b.wrongType("true or false")
		return false
	}
}

// Exchange reads an exchange code.
func (b *Body) Exchange() venues.Venue {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return b.exchange(b.Name(), value)
}

// Symbol reads a symbol in any spelling and leaves it as given; see
// venues.NormalizeSymbol and venues.InstrumentSet.Find.
func (b *Body) Symbol() string {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return b.symbol(b.Name(), value)
}

// Time reads a moment in RFC 3339.
func (b *Body) Time() time.Time {
	value, ok := b.stringValue("a string")
	if !ok {
		return time.Time{}
	}
	return b.moment(b.Name(), value)
}

// RequestID reads an idempotency key.
func (b *Body) RequestID() string {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return b.requestID(b.Name(), value)
}

// OneOf reads an enumerated value of b.
func OneOf[T ~string](b *Body, allowed ...T) T {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return oneOf(&b.Faults, b.Name(), value, allowed...)
}

func (b *Body) stringValue(want string) (string, bool) {
	if b.dec.PeekKind() != jsontext.KindString {
		b.wrongType(want)
		return "", false
	}
	token, err := b.dec.ReadToken()
	if err != nil {
		b.malformed(err)
		return "", false
	}
	return token.String(), true
}

// wrongType names the kind that was given, never the value: it may be a secret
// in the wrong place.
func (b *Body) wrongType(want string) {
	kind := b.dec.PeekKind()
	if kind != jsontext.KindInvalid {
		b.Add(b.Name(), RuleWrongType, kindName(kind), want)
	}
	b.skip()
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case jsontext.KindTrue, jsontext.KindFalse:
		return "a boolean"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindBeginArray:
		return "an array"
	default:
		return "an object"
	}
}

// skip passes over one value of any kind.
func (b *Body) skip() {
	for depth := b.dec.StackDepth(); b.fatal == nil; {
		if _, err := b.dec.ReadToken(); err != nil {
			b.malformed(err)
			return
		}
		if b.dec.StackDepth() > JSONDepthMax {
			b.fail("", RuleTooDeep, "at most "+strconv.Itoa(JSONDepthMax)+" levels")
		}
		if b.dec.StackDepth() == depth {
			return
		}
	}
}

func (b *Body) malformed(err error) {
	if at, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			b.fail(at.JSONPointer.LastToken(), RuleDuplicate, "each name once")
			return
		}
		b.fail("", RuleMalformed, "JSON; not so at byte "+strconv.FormatInt(at.ByteOffset, 10))
		return
	}
	b.fail("", RuleMalformed, "JSON")
}

// fail ends the reading; what was found of single fields no longer matters.
func (b *Body) fail(field, rule, allowed string) {
	if field == "" {
		field = "body"
	}
	var f Faults
	f.Add(field, rule, "", allowed)
	b.fatal = f.Err()
}
