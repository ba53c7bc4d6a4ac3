package api

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// Rules that a field of a request can break, the `rule` of details.fields. Package
// venues names the rules of an instrument (tick size, quantity step, bounds).
const (
	RuleMissing       = "missing"
	RuleMalformed     = "malformed"
	RuleDuplicate     = "duplicate"
	RuleWrongCase     = "wrong_case"
	RuleWrongType     = "wrong_type"
	RuleTooDeep       = "too_deep"
	RuleTooLong       = "too_long"
	RuleUnknownName   = "unknown_name"
	RuleUnknownValue  = "unknown_value"
	RuleNotADecimal   = "not_a_decimal"
	RuleNotPositive   = "not_positive"
	RuleNotASymbol    = "not_a_symbol"
	RuleNotATime      = "not_a_time"
	RuleOutOfRange    = "out_of_range"
	RuleNotApplicable = "not_applicable"
	RuleWrongSide     = "wrong_side"
	// RuleUnusable: the value is well-formed, but what it refers to cannot be used.
	// The message states what has to be changed there.
	RuleUnusable = "unusable"
)

// Rules returns every rule that this package reports. The OpenAPI document lists
// the same ones.
func Rules() []string {
	return []string{
		RuleMissing, RuleMalformed, RuleDuplicate, RuleWrongCase, RuleWrongType, RuleTooDeep, RuleTooLong,
		RuleUnknownName, RuleUnknownValue, RuleNotADecimal, RuleNotPositive, RuleNotASymbol, RuleNotATime,
		RuleOutOfRange, RuleNotApplicable, RuleWrongSide, RuleUnusable,
	}
}

const (
	// validationErrorsMax bounds details.fields: a body can hold thousands of
	// misspelt names.
	validationErrorsMax = 32
	// givenCharsMax bounds how much of a client's own text is returned to it.
	givenCharsMax = 64
)

// ValidationErrors collects the errors of a request, field by field. The zero
// value is ready to use. It is for one goroutine.
type ValidationErrors struct{ list []venues.FieldError }

// Add records one error. Errors beyond a fixed bound are dropped.
func (v *ValidationErrors) Add(field, rule, given, allowed string) {
	if len(v.list) < validationErrorsMax {
		v.list = append(v.list, venues.FieldError{
			Field: shorten(field), Rule: rule, Given: shorten(given), Allowed: allowed,
		})
	}
}

// FieldError returns a *venues.Error invalid_request for one field.
func FieldError(field, rule, given, allowed string) error {
	var v ValidationErrors
	v.Add(field, rule, given, allowed)
	return v.Err()
}

// Err returns nil, or a *venues.Error invalid_request that names every error.
func (v *ValidationErrors) Err() error {
	if len(v.list) == 0 {
		return nil
	}
	return venues.InvalidFields(v.list...)
}

// has reports whether an error of the field has been recorded.
func (v *ValidationErrors) has(field string) bool {
	for _, e := range v.list {
		if e.Field == field {
			return true
		}
	}
	return false
}

// shorten cuts text off after givenCharsMax characters.
func shorten(text string) string {
	if len(text) <= givenCharsMax {
		return text
	}
	n := 0
	for i := range text {
		if n == givenCharsMax {
			return text[:i]
		}
		n++
	}
	return text
}

func join[T ~string](values []T, separator string) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(string(v))
	}
	return b.String()
}

// The parse methods below return the value of a text. On an error they record it
// for the field and return the zero value.

func parseOneOf[T ~string](v *ValidationErrors, field, text string, allowed ...T) T {
	for _, a := range allowed {
		if text == string(a) {
			return a
		}
	}
	v.Add(field, RuleUnknownValue, text, join(allowed, ", "))
	return ""
}

// parseSymbol accepts a symbol in any spelling and returns it unchanged: finding
// the venue's own spelling takes the list of its instruments.
func (v *ValidationErrors) parseSymbol(field, text string) string {
	if venues.NormalizeSymbol(text) == "" {
		v.Add(field, RuleNotASymbol, text, "such as BTCUSDT, BTCUSDT-260925, BTC-USDT-SWAP, BTCUSDT.P")
		return ""
	}
	return text
}

func (v *ValidationErrors) parseDecimal(field, text string) venues.Optional {
	d, err := venues.ParseDecimal(text)
	if err != nil {
		v.Add(field, RuleNotADecimal, text, "a string of plain digits, such as \"0.5\"")
		return venues.Optional{}
	}
	return venues.Some(d)
}

// requirePositive records a known value that is not above zero.
func (v *ValidationErrors) requirePositive(field string, value venues.Optional) {
	if value.Valid && !value.Decimal.IsPositive() {
		v.Add(field, RuleNotPositive, venues.FormatDecimal(value.Decimal), "above 0")
	}
}

func (v *ValidationErrors) parseRequestID(field, text string) string {
	if !ValidRequestID(text) {
		v.Add(field, RuleMalformed, text, "[A-Za-z0-9._:-]{1,64}")
		return ""
	}
	return text
}

// ValidRequestID reports whether text matches `[A-Za-z0-9._:-]{1,64}`.
func ValidRequestID(text string) bool {
	if text == "" || len(text) > RequestIDCharsMax {
		return false
	}
	for i := range len(text) {
		c := text[i]
		alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alphanumeric && !strings.ContainsRune("._:-", rune(c)) {
			return false
		}
	}
	return true
}

func (v *ValidationErrors) parseText(field, text string, charsMax int) string {
	if utf8.RuneCountInString(text) > charsMax {
		v.Add(field, RuleTooLong, "", "at most "+strconv.Itoa(charsMax)+" characters")
		return ""
	}
	return text
}

// Times from yearMin up to, but not including, yearMax are accepted. Others are
// mistakes, and far out they overflow the nanoseconds by which records are sorted.
const yearMin, yearMax = 1970, 2200

// parseTime accepts RFC 3339, or a date alone for its first instant in UTC.
func (v *ValidationErrors) parseTime(field, text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text)
	}
	switch {
	case err != nil:
		v.Add(field, RuleNotATime, text, "such as 2026-11-20T09:19:00.123Z")
		return time.Time{}
	case at.UTC().Year() < yearMin || at.UTC().Year() >= yearMax:
		v.Add(field, RuleOutOfRange, text, "from "+strconv.Itoa(yearMin)+" to "+strconv.Itoa(yearMax))
		return time.Time{}
	}
	return at.UTC()
}

// unixMillisMin is the least Unix time that is taken for milliseconds: less than the seconds
// of yearMax, and 1973 in milliseconds.
const unixMillisMin = 100_000_000_000

// parseSentAt accepts what charting platforms print: ISO-8601 with or without a colon in the
// zone, or Unix time in seconds or milliseconds.
func (v *ValidationErrors) parseSentAt(field, text string) time.Time {
	if unix, err := venues.ParseDecimal(text); err == nil {
		millis := unix
		if unix.LessThan(decimal.NewFromInt(unixMillisMin)) {
			millis = unix.Shift(3)
		}
		text = time.UnixMilli(millis.IntPart()).UTC().Format(time.RFC3339Nano)
	} else if at, err := time.Parse("2006-01-02T15:04:05Z0700", text); err == nil {
		text = at.Format(time.RFC3339Nano)
	}
	return v.parseTime(field, text)
}

// exponentMax is above every exponent with which a number can be a decimal of the interface.
const exponentMax = 2 * venues.DecimalDigitsMax

// plainNumber returns a JSON number with the same value and without its exponent. It returns
// numbers that are no decimal of the interface as they are.
func plainNumber(text string) string {
	if !strings.ContainsAny(text, "eE") {
		return text
	}
	d, err := decimal.NewFromString(text)
	if err != nil || d.Exponent() < -exponentMax || d.Exponent() > exponentMax {
		return text
	}
	return d.String()
}

// parseLimit accepts a page size from 1 to most.
func (v *ValidationErrors) parseLimit(field, text string, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < 1 || n > most {
		v.Add(field, RuleOutOfRange, text, "1 to "+strconv.Itoa(most))
		return 0
	}
	return n
}
