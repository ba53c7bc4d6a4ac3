package venues_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues"
)

func TestAppendTimeEqualsTimeFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMicro(rapid.Int64Range(-1<<57, 1<<58).Draw(t, "µs")).In(time.FixedZone("east", 3600))
		if got, want := string(venues.AppendTime(nil, at)), at.UTC().Format(`"`+venues.TimeFormat+`"`); got != want {
			t.Fatalf("AppendTime = %s, want %s", got, want)
		}
	})
	if got := string(venues.AppendTime(nil, time.Time{})); got != "null" {
		t.Errorf("AppendTime of the zero time = %s, want null", got)
	}
}

// Decimals are parsed and printed exactly as the decimal library does.
func TestDecimalsEqualTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{1,18}(\.[0-9]{1,18})?`).Draw(t, "text")
		want, err := decimal.NewFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := venues.ParseDecimal(text)
		if err != nil || got.Exponent() != want.Exponent() || got.Coefficient().Cmp(want.Coefficient()) != 0 {
			t.Fatalf("ParseDecimal(%s) = %s e %d, %v, want %s e %d", text, got.Coefficient(), got.Exponent(), err, want.Coefficient(), want.Exponent())
		}
		shifted := want.Shift(rapid.Int32Range(-40, 40).Draw(t, "shift"))
		if got := venues.FormatDecimal(shifted); got != shifted.String() {
			t.Fatalf("FormatDecimal = %s, want %s", got, shifted)
		}
	})
}
