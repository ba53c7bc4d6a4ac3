package api

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// ignoredMax bounds the names of unknown fields that are kept.
const ignoredMax = 16

// body reads one JSON object, field by field. After next has returned true,
// exactly one of the reading methods must be called; they record what is wrong
// with the value and return the zero value then. It is for one goroutine.
type body struct {
	ValidationErrors
	dec *jsontext.Decoder
	// names are the known fields, presence how each of them was given.
	names    []string
	presence []presence
	current  int
	ignored  []string
	// notPositive are the values that positive has rejected.
	notPositive []rejectedValue
	// fatal is set when the object cannot be read to its end.
	fatal error
	// bareNumbers accepts a JSON number for a decimal, by its text. Chart templates
	// print bare numbers.
	bareNumbers bool
}

// presence of a field in a body.
type presence uint8

const (
	absent presence = iota
	null
	present
)

type rejectedValue struct {
	field int // index in names
	value decimal.Decimal
}

// openBody starts reading data. err reports a body that is empty or malformed.
func openBody(data []byte, names []string) *body {
	b := &body{names: names, presence: make([]presence, len(names))}
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		b.fail("", RuleMissing, "a JSON object")
		return b
	case !utf8.Valid(data):
		b.fail("", RuleMalformed, "UTF-8")
		return b
	}
	b.dec = jsontext.NewDecoder(bytes.NewBuffer(data))
	token, err := b.dec.ReadToken()
	if err != nil {
		b.malformed(err)
	} else if token.Kind() != jsontext.KindBeginObject {
		b.fail("", RuleWrongType, "a JSON object")
	}
	return b
}

// next advances to the next known field that is not null. It returns false at the
// end of the object and at the first syntax error.
func (b *body) next() bool {
	for b.fatal == nil {
		token, err := b.dec.ReadToken()
		if err != nil {
			b.malformed(err)
			return false
		}
		if token.Kind() == jsontext.KindEndObject {
			if _, err := b.dec.ReadToken(); !errors.Is(err, io.EOF) {
				b.fail("", RuleMalformed, "one JSON object and nothing after it")
			}
			return false
		}
		if b.find(token.String()) {
			if b.dec.PeekKind() != jsontext.KindNull {
				b.presence[b.current] = present
				return true
			}
			b.presence[b.current] = null
		}
		b.skip()
	}
	return false
}

// find looks up a field by its name and reports whether it is known. A known
// name in another case is an error: ignoring "reduceonly" would open a position.
func (b *body) find(name string) bool {
	b.current = slices.Index(b.names, name)
	if b.current >= 0 {
		return true
	}
	for _, known := range b.names {
		if strings.EqualFold(known, name) {
			b.Add(name, RuleWrongCase, name, known)
			return false
		}
	}
	if len(b.ignored) < ignoredMax {
		b.ignored = append(b.ignored, shorten(name))
	}
	return false
}

// name returns the name of the current field.
func (b *body) name() string { return b.names[b.current] }

// is reports whether a known field was given in this way.
func (b *body) is(name string, p presence) bool {
	i := slices.Index(b.names, name)
	return i >= 0 && b.presence[i] == p
}

// require records each field that was not given.
func (b *body) require(names ...string) {
	for _, name := range names {
		if !b.is(name, present) {
			b.Add(name, RuleMissing, "", "")
		}
	}
}

// err returns nil, or a *venues.Error invalid_request: the syntax error if there
// is one, else all validation errors.
func (b *body) err() error {
	if b.fatal != nil {
		return b.fatal
	}
	return b.ValidationErrors.Err()
}

// text reads a string of at most charsMax characters.
func (b *body) text(charsMax int) string {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return b.parseText(b.name(), value, charsMax)
}

// decimal reads a decimal string; see venues.ParseDecimal.
func (b *body) decimal() venues.Optional {
	if b.bareNumbers && b.fatal == nil && b.dec.PeekKind() == jsontext.KindNumber {
		token, err := b.dec.ReadToken()
		if err != nil {
			b.malformed(err)
			return venues.Optional{}
		}
		return b.parseDecimal(b.name(), token.String())
	}
	value, ok := b.stringValue(`a decimal in a JSON string, such as "0.5"`)
	if !ok {
		return venues.Optional{}
	}
	return b.parseDecimal(b.name(), value)
}

// positive reads a decimal string that must be above zero. Unlike other errors, a
// value that is not is recorded by addNotPositive, after the missing fields.
func (b *body) positive() venues.Optional {
	value := b.decimal()
	if value.Valid && !value.Decimal.IsPositive() {
		b.notPositive = append(b.notPositive, rejectedValue{b.current, value.Decimal})
	}
	return value
}

// addNotPositive records the values that positive has rejected, in the order of
// the known fields.
func (b *body) addNotPositive() {
	slices.SortFunc(b.notPositive, func(x, y rejectedValue) int { return cmp.Compare(x.field, y.field) })
	for _, r := range b.notPositive {
		b.requirePositive(b.names[r.field], venues.Some(r.value))
	}
}

// boolean reads true or false.
func (b *body) boolean() bool {
	switch b.dec.PeekKind() {
	case jsontext.KindTrue, jsontext.KindFalse:
		token, err := b.dec.ReadToken()
		if err != nil {
			b.malformed(err)
			return false
		}
		return token.Bool()
	default:
		b.rejectType("true or false")
		return false
	}
}

// exchange reads the code of a venue.
func (b *body) exchange() venues.Venue { return oneOf(b, venues.All()...) }

// symbol reads a symbol in any spelling and returns it unchanged; see
// venues.NormalizeSymbol and venues.InstrumentSet.Find.
func (b *body) symbol() string {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return b.parseSymbol(b.name(), value)
}

// time reads a time in RFC 3339.
func (b *body) time() time.Time {
	value, ok := b.stringValue("a string")
	if !ok {
		return time.Time{}
	}
	return b.parseTime(b.name(), value)
}

// requestID reads an idempotency key.
func (b *body) requestID() string {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return b.parseRequestID(b.name(), value)
}

// oneOf reads one of the allowed values.
func oneOf[T ~string](b *body, allowed ...T) T {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return parseOneOf(&b.ValidationErrors, b.name(), value, allowed...)
}

func (b *body) stringValue(want string) (string, bool) {
	if b.dec.PeekKind() != jsontext.KindString {
		b.rejectType(want)
		return "", false
	}
	token, err := b.dec.ReadToken()
	if err != nil {
		b.malformed(err)
		return "", false
	}
	return token.String(), true
}

// rejectType records a value of the wrong JSON type and skips it. The error names
// the type and never repeats the value, which may be a secret in the wrong place.
func (b *body) rejectType(want string) {
	kind := b.dec.PeekKind()
	if kind != jsontext.KindInvalid {
		b.Add(b.name(), RuleWrongType, jsonTypeName(kind), want)
	}
	b.skip()
}

func jsonTypeName(kind jsontext.Kind) string {
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

// skip reads over one value of any type.
func (b *body) skip() {
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

func (b *body) malformed(err error) {
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

// fail ends the reading. Its error replaces the errors of single fields.
func (b *body) fail(field, rule, allowed string) {
	b.fatal = FieldError(cmp.Or(field, "body"), rule, "", allowed)
}
