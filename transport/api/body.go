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
	data []byte
	// dec reads the object unless it is plain; then rest are the fields to read.
	dec         *jsontext.Decoder
	plain, rest []plainField
	// names are the known fields, presence how each of them was given.
	names    []string
	presence []presence
	current  int
	// kind and value are the current value; value is the text of a string or number.
	// An array or object has not been read yet.
	kind    jsontext.Kind
	value   string
	ignored []string
	// notPositive are the values that positive has rejected.
	notPositive []rejectedValue
	// fatal is set when the object cannot be read to its end.
	fatal error
	// bareNumbers and timed are those of a SignalForm.
	bareNumbers, timed bool
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
	b := &body{data: data, names: names, presence: make([]presence, len(names))}
	b.plain = parsePlain(string(data), names)
	b.rest = b.plain
	switch {
	case b.plain != nil:
		return b
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
	for b.readField() {
		switch {
		case b.current < 0:
			b.skip()
		case b.kind == jsontext.KindNull:
			b.presence[b.current] = null
		default:
			b.presence[b.current] = present
			return true
		}
	}
	return false
}

// readField reads the next name and its value. It returns false as next does.
func (b *body) readField() bool {
	if b.plain != nil {
		if len(b.rest) == 0 {
			return false
		}
		f := b.rest[0]
		b.rest = b.rest[1:]
		b.current, b.kind, b.value = f.field, f.kind(), f.text()
		return true
	}
	token, ok := b.token()
	if !ok {
		return false
	}
	if token.Kind() == jsontext.KindEndObject {
		if _, err := b.dec.ReadToken(); !errors.Is(err, io.EOF) {
			b.fail("", RuleMalformed, "one JSON object and nothing after it")
		}
		return false
	}
	b.find(token.String())
	return b.readValue()
}

// readValue reads the next value, but of an array or object only the kind.
func (b *body) readValue() bool {
	if b.fatal != nil {
		return false
	}
	b.kind = b.dec.PeekKind()
	if b.kind == jsontext.KindBeginArray || b.kind == jsontext.KindBeginObject {
		return true
	}
	token, ok := b.token()
	if ok && (b.kind == jsontext.KindString || b.kind == jsontext.KindNumber) {
		b.value = token.String()
	}
	return ok
}

// token reads the next token. ok is false after a syntax error.
func (b *body) token() (token jsontext.Token, ok bool) {
	if b.fatal != nil {
		return token, false
	}
	token, err := b.dec.ReadToken()
	if err != nil {
		b.malformed(err)
	}
	return token, err == nil
}

// find sets current to the field of that name, or to -1. A known name in another
// case is an error: ignoring "reduceonly" would open a position.
func (b *body) find(name string) {
	b.current = slices.Index(b.names, name)
	if b.current >= 0 {
		return
	}
	for _, known := range b.names {
		if strings.EqualFold(known, name) {
			b.Add(name, RuleWrongCase, name, known)
			return
		}
	}
	if len(b.ignored) < ignoredMax {
		b.ignored = append(b.ignored, shorten(name))
	}
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

// hash returns the BodyHash of a body that has been read without an error.
func (b *body) hash() ([]byte, error) {
	if b.plain != nil {
		return hashPlain(b.plain, b.names), nil
	}
	return BodyHash(b.data)
}

// text reads a string of at most charsMax characters.
func (b *body) text(charsMax int) string {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return strings.Clone(b.parseText(b.name(), value, charsMax)) // value may be a part of the whole body
}

// decimal reads a decimal string; see venues.ParseDecimal.
func (b *body) decimal() venues.Optional {
	if b.bareNumbers && b.kind == jsontext.KindNumber {
		return b.parseDecimal(b.name(), plainNumber(b.value))
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
	if b.kind != jsontext.KindTrue && b.kind != jsontext.KindFalse {
		b.rejectType("true or false")
	}
	return b.kind == jsontext.KindTrue
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
	return strings.Clone(b.parseSymbol(b.name(), value))
}

// sentAt reads the time of a signal: ISO-8601, or Unix time in seconds or milliseconds, as
// a string or a number.
func (b *body) sentAt() time.Time {
	if !b.timed {
		b.skip()
		return time.Time{}
	}
	text := b.value
	if b.kind == jsontext.KindNumber {
		text = plainNumber(text)
	} else if _, ok := b.stringValue("a time"); !ok {
		return time.Time{}
	}
	return b.parseSentAt(b.name(), text)
}

// requestID reads an idempotency key.
func (b *body) requestID() string {
	value, ok := b.stringValue("a string")
	if !ok {
		return ""
	}
	return strings.Clone(b.parseRequestID(b.name(), value))
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
	if b.kind != jsontext.KindString {
		b.rejectType(want)
		return "", false
	}
	return b.value, true
}

// rejectType records a value of the wrong JSON type and skips it. The error names
// the type and never repeats the value, which may be a secret in the wrong place.
func (b *body) rejectType(want string) {
	b.Add(b.name(), RuleWrongType, jsonTypeName(b.kind), want)
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

// skip reads over the current value if it is an array or object.
func (b *body) skip() {
	if b.kind != jsontext.KindBeginArray && b.kind != jsontext.KindBeginObject {
		return
	}
	for depth := b.dec.StackDepth(); b.fatal == nil; {
		if _, ok := b.token(); !ok {
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
