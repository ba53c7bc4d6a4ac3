package venues

import (
	"errors"

	"github.com/shopspring/decimal"
)

// DecimalDigitsMax bounds decimals in every public interface of the service: that many
// digits before the decimal point and after it. Within these bounds arithmetic cannot
// become arbitrarily expensive.
const DecimalDigitsMax = 18

// ErrDecimal is returned for text that is not a plain decimal number.
var ErrDecimal = errors.New("not a plain decimal number")

// ParseDecimal parses `-?[0-9]{1,18}(\.[0-9]{1,18})?` and nothing else: no exponent, no
// leading plus, no white space, no bare point. Every decimal from outside enters the
// service through it. The parser of the decimal library would accept "1e10000000", which
// takes seconds to compare.
func ParseDecimal(text string) (decimal.Decimal, error) {
	if !plainDecimal(text, DecimalDigitsMax) {
		return decimal.Decimal{}, ErrDecimal
	}
	return fromPlain(text)
}

// ParseVenueDecimal parses a decimal printed by a venue. Venues pad and compute
// ("0.00000000", "64846.98753790123456789012"), so it accepts more digits than
// ParseDecimal. Exponents and everything else are rejected.
func ParseVenueDecimal(text string) (decimal.Decimal, error) {
	if !plainDecimal(text, 2*DecimalDigitsMax) {
		return decimal.Decimal{}, ErrDecimal
	}
	return fromPlain(text)
}

// fromPlain returns what decimal.NewFromString returns for a plain number, without its
// allocations: DecimalDigitsMax digits fit an int64.
func fromPlain(text string) (decimal.Decimal, error) {
	if len(text) > DecimalDigitsMax {
		return decimal.NewFromString(text)
	}
	coefficient, places, point := int64(0), 0, false
	for _, c := range []byte(text) {
		switch {
		case c == '.':
			point = true
		case c != '-':
			coefficient = coefficient*10 + int64(c-'0')
			if point {
				places++
			}
		}
	}
	if text[0] == '-' {
		coefficient = -coefficient
	}
	return decimal.New(coefficient, int32(-places)), nil
}

// MustDecimal parses a constant of the program and panics if it is invalid.
func MustDecimal(text string) decimal.Decimal {
	d, err := ParseDecimal(text)
	if err != nil {
		panic("venues: " + text + ": " + err.Error())
	}
	return d
}

func plainDecimal(text string, digitsMax int) bool {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	whole := digitRun(text)
	if whole == 0 || whole > digitsMax {
		return false
	}
	if whole == len(text) {
		return true
	}
	fraction := text[whole:]
	if fraction[0] != '.' {
		return false
	}
	n := digitRun(fraction[1:])
	return n > 0 && n <= digitsMax && n == len(fraction)-1
}

func digitRun(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// FormatDecimal returns plain notation without trailing zeros: "0.5", "64000", never
// "64000.00" or "6.4e4".
func FormatDecimal(d decimal.Decimal) string {
	var buffer [DecimalDigitsMax + 3]byte // a sign, a zero and a point
	return string(AppendDecimal(buffer[:0], d))
}

// FormatOptional is FormatDecimal, and empty for an unknown decimal.
func FormatOptional(d Optional) string {
	if !d.Valid {
		return ""
	}
	return FormatDecimal(d.Decimal)
}

// Optional is a decimal that may be unknown or not applicable. It is encoded as null
// then, never as zero.
type Optional = decimal.NullDecimal

// Some returns a known Optional.
func Some(d decimal.Decimal) Optional { return Optional{Decimal: d, Valid: true} }

// SomePositive returns d if it is above zero, else unknown. Venues print "0" for a price
// that does not exist.
func SomePositive(d decimal.Decimal) Optional {
	if d.IsPositive() {
		return Some(d)
	}
	return Optional{}
}

// EqualOptional compares by value. Two unknown values are equal.
func EqualOptional(a, b Optional) bool {
	return a.Valid == b.Valid && (!a.Valid || a.Decimal.Equal(b.Decimal))
}

// FloorTo rounds d toward zero to a multiple of step. step must be positive.
func FloorTo(d, step decimal.Decimal) decimal.Decimal {
	steps, _ := d.QuoRem(step, 0)
	return steps.Mul(step)
}

// Sum returns a + b. Unlike Decimal.Add it allocates nothing if one of them is zero, as most
// totals and corrections are.
func Sum(a, b decimal.Decimal) decimal.Decimal {
	switch {
	case b.IsZero():
		return a
	case a.IsZero():
		return b
	}
	return a.Add(b)
}

// Difference returns a - b. Unlike Decimal.Sub it allocates nothing if b is zero.
func Difference(a, b decimal.Decimal) decimal.Decimal {
	if b.IsZero() {
		return a
	}
	return a.Sub(b)
}

// IsMultiple reports whether d is an exact multiple of step. step must be positive.
func IsMultiple(d, step decimal.Decimal) bool { return d.Mod(step).IsZero() }

// CeilTo rounds a positive d up to a multiple of step. step must be positive.
func CeilTo(d, step decimal.Decimal) decimal.Decimal {
	floor := FloorTo(d, step)
	if floor.Equal(d) {
		return floor
	}
	return floor.Add(step)
}
