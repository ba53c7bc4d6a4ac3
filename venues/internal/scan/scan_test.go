package scan_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"venuegate/venues"
	"venuegate/venues/internal/scan"
)

func TestLevels(t *testing.T) {
	scale := venues.Scale{PriceDecimals: 1, QtyDecimals: 3}
	for text, want := range map[string][]venues.Level{
		`[]`:                                   nil,
		`[["61800.20","2.909"]]`:               {{Price: 618002, Qty: 2909}},
		`[["61800","0"],["0.1","00.500"]]`:     {{Price: 618000}, {Price: 1, Qty: 500}},
		`[["1","2","0","42"],["3","4","odd"]]`: {{Price: 10, Qty: 2000}, {Price: 30, Qty: 4000}},
		`[["99999999999999999","1"]]`:          {{Price: 999999999999999990, Qty: 1000}},
		`[["1.000000000000000000","1"]]`:       {{Price: 10, Qty: 1000}},
	} {
		s, got := scan.New([]byte(text)), []venues.Level(nil)
		if !s.Levels(scale, &got) || !s.End() || !slices.Equal(got, want) {
			t.Errorf("Levels(%s) = %v, want s.Levels(scale, &got) and s.End() and slices.Equal(got, want)", text, got)
		}
	}
}

func TestInvalidLevels(t *testing.T) {
	for _, row := range []string{
		`["1"]`, `[]`, `[1,2]`, `["1",2]`, `"1"`, `{}`, ``, `["1","2",3]`, `["1","2",]`, `["1","2","\n"]`, `["1","2"`, `["1","2","`,
		`["","1"]`, `["1.","1"]`, `[".1","1"]`, `["-1","1"]`, `["+1","1"]`, `[" 1","1"]`, `["1 ","1"]`, `["1e2","1"]`, `["0x1","1"]`,
		`["0","1"]`, `["0.00","1"]`, `["1.25","1"]`, `["1","0.0001"]`, `["1.2.3","1"]`, `["NaN","1"]`,
		`["999999999999999999","1"]`, `["9223372036854775808","1"]`, `["1.0000000000000000000","1"]`,
	} {
		var got []venues.Level
		s := scan.New([]byte(`[["5","5"],` + row + `]`))
		if s.Levels(venues.Scale{PriceDecimals: 1, QtyDecimals: 3}, &got) && s.End() {
			t.Errorf("Levels(%s) = %v, want failure", row, got)
		}
	}
}

// No truncation of a message is read beyond its end.
func TestTruncatedLevels(t *testing.T) {
	const text = `[["61800.20","2.909"],["1","2","0","42"]]`
	for n := range text {
		var got []venues.Level
		s := scan.New([]byte(text[:n]))
		if s.Levels(venues.Scale{PriceDecimals: 1, QtyDecimals: 3}, &got) {
			t.Errorf("Levels(%s) = %v, want failure", text[:n], got)
		}
	}
}

func TestIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1e18+1, 1e18-1).Draw(t, "n")
		text := strconv.FormatInt(n, 10) + rapid.SampledFrom([]string{"", ",", "}", ".5", "x"}).Draw(t, "behind")
		s, signed, unsigned := scan.New([]byte(text)), int64(0), uint64(0)
		if !s.Integer(&signed) || signed != n {
			t.Fatalf("Integer(%s) = %d, want the number", text, signed)
		}
		s = scan.New([]byte(text))
		if s.Unsigned(&unsigned) != (n >= 0) || n >= 0 && unsigned != uint64(n) {
			t.Fatalf("Unsigned(%s) = %d, want it unless negative", text, unsigned)
		}
	})
	for _, text := range []string{"", "-", "01", "00000000", "-01", "+1", "x", `"1"`, "1000000000000000000", strings.Repeat("9", 40)} {
		var n int64
		if s := scan.New([]byte(text)); s.Integer(&n) {
			t.Errorf("Integer(%s) = %d, want failure", text, n)
		}
	}
}

func TestMillis(t *testing.T) {
	for text, want := range map[string]int64{"1723161256493": 1723161256493, "1": 1, "9007199254740991": 1<<53 - 1} {
		var at time.Time
		if s := scan.New([]byte(text)); !s.Millis(&at) || at.UnixMilli() != want || at.Location() != time.UTC {
			t.Errorf("Millis(%s) = %v, want %d ms in UTC", text, at, want)
		}
	}
	for _, text := range []string{"0", "-5", "9007199254740992", `"5"`} {
		var at time.Time
		if s := scan.New([]byte(text)); s.Millis(&at) {
			t.Errorf("Millis(%s) = %v, want !s.Millis(&at)", text, at)
		}
	}
	for text, want := range map[string]bool{"0": true, "1723161256493": true, "-5": false, "9007199254740992": false} {
		if s := scan.New([]byte(text)); s.SkipMillis() != want {
			t.Errorf("SkipMillis(%s) = %t, want %t", text, !want, want)
		}
	}
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]bool{
		`"BTCUSDT"`: true, `"BTCUSD"`: false, `"BTCUSDT1"`: false, `"BTCUSDT`: false, `BTCUSDT"`: false, `"BTCUSDX"`: false, ``: false,
	} {
		if s := scan.New([]byte(text)); s.TextIs("BTCUSDT") != want {
			t.Errorf("TextIs(%s) = %t, want %t", text, !want, want)
		}
	}
	for text, want := range map[string]bool{`""`: true, `"é€"`: true, `"a\"b"`: false, "\"a\nb\"": false, `"`: false, `x`: false} {
		s := scan.New([]byte(text))
		if got, ok := s.Text(); ok != want || ok && string(got) != text[1:len(text)-1] {
			t.Errorf("Text(%s) = %q, %t, want %t", text, got, ok, want)
		}
	}
	s := scan.New([]byte("ab"))
	if s.Literal("abc") || s.Literal("b") || !s.Literal("a") || s.Skip('a') || s.End() || !s.Skip('b') || s.Skip('b') || !s.End() {
		t.Error("Literal reads another text or not its own")
	}
}

func TestFieldsOnce(t *testing.T) {
	const a, b scan.Fields = 1, 2
	var saw scan.Fields
	if saw.Have(a) || !saw.Once(a) || saw.Once(a) || !saw.Have(a) || saw.Have(a|b) || !saw.Once(b) || !saw.Have(a|b) {
		t.Errorf("fields = %b, want each bit once", saw)
	}
}

// object scans a flat object of integers.
func object(data []byte) (map[string]int64, bool) {
	s, got := scan.New(data), map[string]int64{}
	ok := s.Object(func(name []byte) bool {
		var n int64
		_, again := got[string(name)]
		ok := s.Integer(&n)
		got[string(name)] = n
		return ok && !again
	})
	return got, ok && s.End()
}

// FuzzObject checks that encoding/json decodes alike what is scanned.
func FuzzObject(f *testing.F) {
	for _, text := range []string{`{"a":1}`, `{"a":-1,"b":12345678,"":0}`, `{"a":1,}`, `{,"a":1}`, `{}`, `{"a" :1}`, `{"a":1}}`, `{"a":-0}`, `{"a":1`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := object(data)
		if !ok || !utf8.Valid(data) {
			return
		}
		var want map[string]int64
		if err := json.Unmarshal(data, &want); err != nil || !maps.Equal(got, want) {
			t.Fatalf("%q: scanned %v, encoding/json %v, %v", data, got, want, err)
		}
	})
}

// FuzzLevels checks that scanned levels equal those computed with decimals.
func FuzzLevels(f *testing.F) {
	f.Add([]byte(`[["61800.20","2.909"],["1","0","0","42"]]`), uint8(1), uint8(3))
	f.Add([]byte(`[["0.000000000000000001","999999999999999999"]]`), uint8(17), uint8(0))
	f.Add([]byte(`[["1","1"],]`), uint8(18), uint8(19))
	f.Fuzz(func(t *testing.T, data []byte, price, qty uint8) {
		scale := venues.Scale{PriceDecimals: int(price % 19), QtyDecimals: int(qty % 19)}
		var got []venues.Level
		s := scan.New(data)
		if !s.Levels(scale, &got) || !s.End() {
			return
		}
		var want [][]string
		if err := json.Unmarshal(data, &want); err != nil || len(want) != len(got) {
			t.Fatalf("Levels(%q) = %v, parsed %v, error %v", data, got, want, err)
		}
		for i, level := range got {
			if fixed(t, want[i][0], scale.PriceDecimals) != level.Price || fixed(t, want[i][1], scale.QtyDecimals) != level.Qty {
				t.Fatalf("level = %v, want %v", level, want[i])
			}
		}
	})
}

func fixed(t *testing.T, text string, decimals int) int64 {
	t.Helper()
	value, err := venues.ParseVenueDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	shifted := value.Shift(int32(decimals))
	if !shifted.IsInteger() || !shifted.BigInt().IsInt64() {
		t.Fatalf("%s does not fit %d decimals", text, decimals)
	}
	return shifted.IntPart()
}

func TestScanningAllocatesNothing(t *testing.T) {
	text := []byte(`{"a":1723161256493,"b":[["61800.20","2.909"],["1","0","0","42"]]}`)
	levels := make([]venues.Level, 0, 8)
	if n := testing.AllocsPerRun(100, func() {
		s := scan.New(text)
		if !s.Object(func(name []byte) bool {
			if string(name) == "a" {
				return s.SkipMillis()
			}
			levels = levels[:0]
			return s.Levels(venues.Scale{PriceDecimals: 1, QtyDecimals: 3}, &levels)
		}) {
			t.Fatal("scanning failed")
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkLevels(b *testing.B) {
	rows := make([]string, 20)
	for n := range rows {
		rows[n] = fmt.Sprintf(`["%d.%d0","%d.%03d"]`, 61800+n, n%10, n%3, n*math.MaxInt8%1000)
	}
	text := []byte("[" + strings.Join(rows, ",") + "]")
	levels := make([]venues.Level, 0, len(rows))
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := scan.New(text)
		levels = levels[:0]
		if !s.Levels(venues.Scale{PriceDecimals: 1, QtyDecimals: 3}, &levels) {
			b.Fatal("refused")
		}
	}
}
