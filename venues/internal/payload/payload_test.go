package payload_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

func parse(t testing.TB, text string) *payload.Object {
	t.Helper()
	o, err := payload.Parse(new(fastjson.Parser), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

const sample = `{"text":"a","none":null,"price":"1.50","zero":"0","empty":"","n":7,"big":18446744073709551615,"yes":true,
	"at":1723161256493,"atText":"1723161256493","inner":{"text":"b"},"rows":[{"n":1},{"n":2}],"levels":[["1.5","2","x"],["3","0"]]}`

func TestObjectReadsMembers(t *testing.T) {
	o := parse(t, sample)
	got := fmt.Sprint(o.Text("text"), o.OptionalText("none"), o.OptionalText("absent"), o.Decimal("price"), o.Optional("price").Decimal, o.Optional("empty").Valid,
		o.OptionalPositive("zero").Valid, o.PositiveDecimal("price"), o.Integer("n"), o.Integer("absent"), o.Sequence("big"), " ", o.ID("n"), o.Flag("yes"), o.Flag("absent"),
		o.Time("at").UnixMilli(), o.Time("atText").UnixMilli(), o.TimeText("atText").UnixMilli(), o.Time("absent").IsZero(),
		o.Object("inner").Text("text"), len(o.List("rows")), len(o.OptionalList("absent")), o.Has("n"), o.Has("absent"))
	const want = "a 1.5 1.5 false false 1.5 7 0 18446744073709551615 7true false 1723161256493 1723161256493 1723161256493 true b2 0 true false"
	if strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(want), "") || o.Err() != nil {
		t.Errorf("members = %s, error %v, want %s", got, o.Err(), want)
	}
	levels := o.Levels("levels", nil, func(price, qty string) (venues.Level, error) {
		return payload.Level(price, qty, venues.Scale{PriceDecimals: 1})
	})
	if fmt.Sprint(levels) != "[{15 2} {30 0}]" || o.Err() != nil {
		t.Errorf("levels = %v, error %v, want [{15 2} {30 0}]", levels, o.Err())
	}
}

// The first failure is kept and names its member. Later reads do not hide it.
func TestFirstFailureIsKept(t *testing.T) {
	level := func(price, qty string) (venues.Level, error) { return payload.Level(price, qty, venues.Scale{}) }
	for name, read := range map[string]func(o *payload.Object){
		"absent":              func(o *payload.Object) { o.Text("absent") },
		"n":                   func(o *payload.Object) { o.Text("n") },
		"text":                func(o *payload.Object) { o.Decimal("text") },
		"zero":                func(o *payload.Object) { o.PositiveDecimal("zero") },
		"price":               func(o *payload.Object) { o.Integer("price") },
		"inner":               func(o *payload.Object) { o.Flag("inner") },
		"yes":                 func(o *payload.Object) { o.ID("yes") },
		"rows":                func(o *payload.Object) { o.Object("rows") },
		"none":                func(o *payload.Object) { o.List("none") },
		"missing":             func(o *payload.Object) { o.List("missing") },
		"levels":              func(o *payload.Object) { o.Levels("levels", nil, level) }, // 1.5 has a decimal
		"big":                 func(o *payload.Object) { o.Integer("big") },
		"sequence":            func(o *payload.Object) { o.Sequence("sequence") },
		"empty":               func(o *payload.Object) { o.TimeText("empty") },
		"at":                  func(o *payload.Object) { o.TimeText("at") },
		"not reported before": func(o *payload.Object) { o.Decimal("not reported before") },
	} {
		o := parse(t, sample)
		read(o)
		first := o.Err()
		o.Text("later")
		if first == nil || !strings.HasPrefix(first.Error(), name+": ") || !errors.Is(o.Err(), first) {
			t.Errorf("%s: error %v, then %v, want the first one", name, first, o.Err())
		}
	}
	for _, text := range []string{"", "[]", "7", "null", "<html>", `{"a":1`, `"x"`} {
		if _, err := payload.Parse(new(fastjson.Parser), []byte(text)); err == nil {
			t.Errorf("Parse(%s): no error, want one", text)
		}
	}
}

func TestFixedPointBounds(t *testing.T) {
	for text, want := range map[string]int64{"9223372036854775807": math.MaxInt64, "0": 0, "00012": 12, "5.000000000000000000": 5} {
		if got, err := payload.Fixed(decimal.RequireFromString(text), 0); err != nil || got != want {
			t.Errorf("Fixed(%s) = %d, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"9223372036854775808", "1.5", "-1"} {
		if got, err := payload.Fixed(decimal.RequireFromString(text), 0); !errors.Is(err, payload.ErrScale) {
			t.Errorf("Fixed(%s) = %d, %v, want ErrScale", text, got, err)
		}
	}
	for _, level := range [][2]string{{"0", "1"}, {"1", "-1"}, {"-1", "1"}, {"1e2", "1"}, {"", "1"}, {"1", ""}, {".", "1"}} {
		if got, err := payload.Level(level[0], level[1], venues.Scale{}); err == nil {
			t.Errorf("Level(%v) = %v, want an error", level, got)
		}
	}
}

func TestMillis(t *testing.T) {
	if payload.Millis(1).UnixMilli() != 1 || !payload.Millis(0).IsZero() || !payload.Millis(-1).IsZero() || !payload.Millis(1<<53).IsZero() {
		t.Error("Millis returns a time for a number that is none")
	}
}

func TestErrorsNameTheField(t *testing.T) {
	if err := payload.Missing("px"); !errors.Is(err, payload.ErrMissing) || err.Error() != "px: field is missing" {
		t.Error(err)
	}
	if err := payload.NoInstrument("X\nUSDT"); !errors.Is(err, payload.ErrNoInstrument) || venues.CodeOf(err) != venues.CodeSymbolNotTradable {
		t.Error(err)
	}
	if err := payload.UnknownValue("side", "up\n"); !errors.Is(err, payload.ErrUnknownValue) || err.Error() != `side "up": unknown value` {
		t.Error(err)
	}
}

// FuzzBounded checks that repeated text of a venue is short, printable and valid.
func FuzzBounded(f *testing.F) {
	for _, text := range []string{"", "plain", "\x00\x7f\xff", strings.Repeat("é", 200), strings.Repeat("x", 255) + "€", "  "} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := payload.Bounded(text)
		if len(got) > payload.TextBytesMax || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("Bounded = %q, want short printable text", got)
		}
	})
}

// FuzzObject checks that no member makes a reader panic, and that successful results are
// in their bounds.
func FuzzObject(f *testing.F) {
	f.Add([]byte(sample), "price")
	f.Add([]byte(`{"a":[["1","2"]]}`), "a")
	f.Fuzz(func(t *testing.T, data []byte, field string) {
		o, err := payload.Parse(new(fastjson.Parser), data)
		if err != nil {
			return
		}
		fresh := func() *payload.Object { return payload.ObjectOf(o.Value()) }
		fresh().Optional(field)
		fresh().Time(field)
		fresh().OptionalList(field)
		fresh().Object(field).Flag(field)
		fresh().Levels(field, nil, func(price, qty string) (venues.Level, error) {
			return payload.Level(price, qty, venues.Scale{PriceDecimals: 2})
		})
		if d := fresh(); d.PositiveDecimal(field).Sign() <= 0 && d.Err() == nil {
			t.Fatal("PositiveDecimal returned no positive number")
		}
		if d := fresh(); d.TimeText(field).IsZero() && d.Err() == nil {
			t.Fatal("TimeText returned the zero time")
		}
	})
}
