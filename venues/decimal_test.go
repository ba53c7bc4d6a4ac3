package venues_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues"
)

var plain = regexp.MustCompile(`^-?[0-9]{1,18}(\.[0-9]{1,18})?$`)

func FuzzParseDecimal(f *testing.F) {
	for _, seed := range []string{"0", "-0.5", "64000.00", "1e9", "+1", ".5", "5.", " 1", "1 ", "", "-", "０", "NaN", strings.Repeat("9", 19)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := venues.ParseDecimal(text)
		if (err == nil) != plain.MatchString(text) {
			t.Fatalf("ParseDecimal(%q): error %v, want one: %t", text, err, !plain.MatchString(text))
		}
		if err != nil {
			return
		}
		again, err := venues.ParseDecimal(venues.FormatDecimal(d))
		if err != nil || !again.Equal(d) {
			t.Fatalf("%q formatted as %q and parsed as %s, %v, want %s", text, venues.FormatDecimal(d), again, err, d)
		}
	})
}

func TestFormatDecimalHasNoTrailingZeros(t *testing.T) {
	for given, want := range map[string]string{
		"0.50": "0.5", "64000.00": "64000", "-0": "0", "0.000": "0", "0.000000000000000001": "0.000000000000000001", "007": "7",
	} {
		if got := venues.FormatDecimal(venues.MustDecimal(given)); got != want {
			t.Errorf("FormatDecimal(%s) = %s, want %s", given, got, want)
		}
	}
}

func TestRoundingReturnsMultiplesOfTheStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := decimal.New(rapid.Int64Range(1, 1000).Draw(t, "step"), -int32(rapid.IntRange(0, 8).Draw(t, "scale")))
		d := decimal.New(rapid.Int64Range(0, 1e15).Draw(t, "value"), -8)
		low, high := venues.FloorTo(d, step), venues.CeilTo(d, step)
		if !venues.IsMultiple(low, step) || !venues.IsMultiple(high, step) {
			t.Fatalf("floor %s, ceiling %s, want multiples of %s", low, high, step)
		}
		if low.GreaterThan(d) || high.LessThan(d) || high.Sub(low).GreaterThan(step) {
			t.Fatalf("floor %s, ceiling %s, want %s between them, at most %s apart", low, high, d, step)
		}
		if venues.IsMultiple(d, step) != low.Equal(high) {
			t.Fatalf("IsMultiple(%s, %s) = %t with floor %s and ceiling %s", d, step, venues.IsMultiple(d, step), low, high)
		}
	})
}

func TestSumAndDifferenceEqualThoseOfTheLibrary(t *testing.T) {
	texts := []string{"0", "0.00", "1.5", "-1.5", "100", "0.000001"}
	for _, x := range texts {
		for _, y := range texts {
			a, b := venues.MustDecimal(x), venues.MustDecimal(y)
			if got, want := venues.Sum(a, b), a.Add(b); !got.Equal(want) {
				t.Errorf("Sum(%s, %s) = %s, want %s", x, y, got, want)
			}
			if got, want := venues.Difference(a, b), a.Sub(b); !got.Equal(want) {
				t.Errorf("Difference(%s, %s) = %s, want %s", x, y, got, want)
			}
		}
	}
}
