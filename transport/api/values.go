package api

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"venuegate/venues"
)

// Rules that a field can break, as `rule` of details.fields. The venue's own
// rules (tick, step, bounds) are named in package venues.
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
	// RuleUnusable: it has the right form, and what it leads to does not serve. The
	// message says what has to be put right there.
	RuleUnusable = "unusable"
)

// Rules lists every rule that this package reports, for the document.
func Rules() []string {
	return []string{
		RuleMissing, RuleMalformed, RuleDuplicate, RuleWrongCase, RuleWrongType, RuleTooDeep, RuleTooLong,
		RuleUnknownName, RuleUnknownValue, RuleNotADecimal, RuleNotPositive, RuleNotASymbol, RuleNotATime,
		RuleOutOfRange, RuleNotApplicable, RuleWrongSide, RuleUnusable,
	}
}

const (
	// faultsMax bounds details.fields: a body can hold thousands of misspelt
	// names.
	faultsMax = 32
	// givenCharsMax bounds what is repeated to the client of its own text.
	givenCharsMax = 64
)

// Faults collects what is wrong with a request, field by field. The zero value
// is ready. It is for one goroutine.
type Faults struct{ list []venues.FieldFault }

// Add notes one fault; those past a bound are dropped.
func (f *Faults) Add(field, rule, given, allowed string) {
	if len(f.list) < faultsMax {
		f.list = append(f.list, venues.FieldFault{
			Field: shorten(field), Rule: rule, Given: shorten(given), Allowed: allowed,
		})
	}
}

// Fault is an invalid_request of one field.
func Fault(field, rule, given, allowed string) error {
	var f Faults
	f.Add(field, rule, given, allowed)
	return f.Err()
}

// Err is nil, or a *venues.Error invalid_request that names every fault.
func (f *Faults) Err() error {
	if len(f.list) == 0 {
		return nil
	}
	return venues.InvalidFields(f.list...)
}

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

func oneOf[T ~string](f *Faults, field, text string, allowed ...T) T {
	for _, a := range allowed {
		if text == string(a) {
			return a
		}
	}
	f.Add(field, RuleUnknownValue, text, list(allowed))
	return ""
}

func list[T ~string](values []T) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}

func (f *Faults) exchange(field, text string) venues.Venue {
	return oneOf(f, field, text, venues.All()...)
}

// symbol refuses what is no symbol in any spelling; it comes back as given, for
// the venue's own spelling needs the catalogue.
func (f *Faults) symbol(field, text string) string {
	if venues.NormalizeSymbol(text) == "" {
		f.Add(field, RuleNotASymbol, text, "such as BTCUSDT, BTCUSDT-260925, BTC-USDT-SWAP, BTCUSDT.P")
		return ""
	}
	return text
}

func (f *Faults) decimal(field, text string) venues.Optional {
	d, err := venues.ParseDecimal(text)
	if err != nil {
		f.Add(field, RuleNotADecimal, text, "a string of plain digits, such as \"0.5\"")
		return venues.Optional{}
	}
	return venues.Some(d)
}

// positive notes a known value that is not above zero.
func (f *Faults) positive(field string, value venues.Optional) {
	if value.Valid && !value.Decimal.IsPositive() {
		f.Add(field, RuleNotPositive, venues.FormatDecimal(value.Decimal), "above 0")
	}
}

func (f *Faults) requestID(field, text string) string {
	if !ValidRequestID(text) {
		f.Add(field, RuleMalformed, text, "[A-Za-z0-9._:-]{1,64}")
		return ""
	}
	return text
}

// ValidRequestID says whether text is `[A-Za-z0-9._:-]{1,64}`.
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

func (f *Faults) text(field, text string, charsMax int) string {
	if utf8.RuneCountInString(text) > charsMax {
		f.Add(field, RuleTooLong, "", "at most "+strconv.Itoa(charsMax)+" characters")
		return ""
	}
	return text
}

// Moments outside of these years are refused: they are mistakes, and further
// out they overflow the nanoseconds by which records are sorted.
const yearMin, yearMax = 1970, 2200

// moment reads RFC 3339, or a date alone for its first moment in UTC.
func (f *Faults) moment(field, text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text)
	}
	switch {
	case err != nil:
		f.Add(field, RuleNotATime, text, "such as 2026-11-20T09:19:00.123Z")
		return time.Time{}
	case at.UTC().Year() < yearMin || at.UTC().Year() >= yearMax:
		f.Add(field, RuleOutOfRange, text, "from "+strconv.Itoa(yearMin)+" to "+strconv.Itoa(yearMax))
		return time.Time{}
	}
	return at.UTC()
}

// limit reads a page size from 1 to most.
func (f *Faults) limit(field, text string, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < 1 || n > most {
		f.Add(field, RuleOutOfRange, text, "1 to "+strconv.Itoa(most))
		return 0
	}
	return n
}
