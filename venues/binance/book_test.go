package binance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

const depthMessage = `{"e":"depthUpdate","E":1626992741037,"T":1626992741024,"s":"BTCUSDT","U":600,"u":617,"pu":599,` +
	`"b":[["61800.20","2.909"],["61800.1","0"]],"a":[["61800.30","4.350"]]}`

func TestDepthDecodes(t *testing.T) {
	var d bookDecoder
	now := time.Now()
	for name, message := range map[string]string{
		"as the venue prints it": depthMessage,
		"fields of 2026":         strings.TrimSuffix(depthMessage, "}") + `,"ps":"BTCUSDT","st":1}`,
		"white space":            strings.ReplaceAll(depthMessage, ",", " ,\n"),
		"another order":          `{"u":617,"pu":599,"U":600,"a":[["61800.30","4.35"]],"b":[["61800.2","2.909"],["61800.10","0.000"]],"s":"BTCUSDT","T":1626992741024,"E":1,"e":"depthUpdate"}`,
		"unknown fields":         strings.TrimSuffix(depthMessage, "}") + `,"new":{"u":1}}`,
		"escapes":                strings.Replace(depthMessage, `"BTCUSDT"`, `"\u0042TCUSDT"`, 1),
		"a third column":         strings.ReplaceAll(depthMessage, `"]`, `","x"]`),
	} {
		u, err := d.decode([]byte(message), "BTCUSDT", "BTCUSDT", btc, now)
		if err != nil {
			t.Errorf("%s: err = %v, want no error", name, err)
			continue
		}
		if u.FirstSeq != 600 || u.LastSeq != 617 || u.PrevSeq != 599 || u.VenueTime.UnixMilli() != 1626992741024 || !u.Received.Equal(now) ||
			fmt.Sprint(u.Bids, u.Asks) != "[{618002 2909} {618001 0}] [{618003 4350}]" || u.Symbol != "BTCUSDT" || u.Snapshot {
			t.Errorf("%s: update %+v, want the update 600 to 617 of BTCUSDT after 599", name, u)
		}
		u.Release()
	}
	if u, err := d.decode([]byte(strings.Replace(depthMessage, `"T":1626992741024,`, "", 1)), "BTCUSDT", "BTCUSDT", btc, now); err != nil || u.VenueTime.UnixMilli() != 1626992741037 {
		t.Errorf("without T: update %+v, error %v, want the time of E", u, err)
	}
}

func TestInvalidDepth(t *testing.T) {
	var d bookDecoder
	decode := func(message []byte) error {
		_, err := d.decode(message, "BTCUSDT", "BTCUSDT", btc, time.Now())
		return err
	}
	connectortest.RejectMalformed(t, map[string]func([]byte) error{depthMessage: decode}, [][2]string{
		{"depthUpdate", "bookTicker"},
		{`"BTCUSDT"`, `"ETHUSDT"`},
		{`"s":"BTCUSDT",`, ""},
		{`"U":600,`, ""},
		{`"u":617,`, ""},
		{`"pu":599,`, ""},
		{`"b":`, `"B":`},
		{`"a":`, `"A":`},
		{`[["61800.20","2.909"],["61800.1","0"]]`, `{}`},
		{`[["61800.20","2.909"],["61800.1","0"]]`, `null`},
		{`["61800.20","2.909"]`, `["61800.20"]`},
		{`["61800.20","2.909"]`, `[61800.20,2.909]`},
		{`["61800.20","2.909"]`, `"61800.20"`},
		{"61800.20", "61800.25"},
		{"2.909", "2.9095"},
		{"2.909", "-2.909"},
		{"61800.20", "-61800.20"},
		{"61800.20", "0.0"},
		{"61800.20", "6.18e4"},
		{"61800.20", "Infinity"},
		{"61800.20", "NaN"},
		{"61800.20", "+61800.20"},
		{"61800.20", ""},
		{"61800.20", "61800."},
		{"61800.20", " 61800.20"},
		{"61800.20", "9223372036854775807"},
		{`"U":600`, `"U":700`},
		{`"pu":599`, `"pu":700`},
		{`"u":617`, `"u":-617`},
		{`"u":617`, `"u":617.5`},
		{`"u":617`, `"u":"617"`},
		{`"u":617`, `"u":6e2`},
		{`"u":617`, `"u":99999999999999999999`},
	})
}

// depthDecoders returns the decoders of an instrument's depth.
func depthDecoders(venueSymbol string, scale venues.Scale) connectortest.BookDecoders {
	parser := new(fastjson.Parser)
	return connectortest.BookDecoders{
		Scan:  func(m []byte, u *venues.BookUpdate) bool { return scanBook(m, venueSymbol, scale, u) },
		Parse: func(m []byte, u *venues.BookUpdate) error { return decodeBook(parser, m, venueSymbol, scale, u) },
	}
}

func TestDepthRoundTrip(t *testing.T) {
	want := venues.BookUpdate{FirstSeq: 1, LastSeq: 1, VenueTime: time.UnixMilli(1)}
	connectortest.BookRoundTrip(t, want, func(bids, asks string) string {
		return fmt.Sprintf(`{"e":"depthUpdate","E":1,"T":1,"s":"X","U":1,"u":1,"pu":0,"b":%s,"a":%s}`, bids, asks)
	}, func(scale venues.Scale) connectortest.BookDecoders { return depthDecoders("X", scale) })
}

func TestDepthScannerAllocatesNothing(t *testing.T) {
	message, update := []byte(depthMessage), venues.NewBookUpdate()
	var d bookDecoder
	now := time.Now()
	if n := testing.AllocsPerRun(1000, func() {
		update.Bids, update.Asks = update.Bids[:0], update.Asks[:0]
		if !scanBook(message, "BTCUSDT", btc, update) {
			t.Fatal("the scanner gave up")
		}
	}); n != 0 {
		t.Errorf("%v allocations per message by the scanner, want 0", n)
	}
	if connectortest.RaceDetector {
		return
	}
	if n := testing.AllocsPerRun(1000, func() {
		u, err := d.decode(message, "BTCUSDT", "BTCUSDT", btc, now)
		if err != nil {
			t.Fatal(err)
		}
		u.Release()
	}); n != 0 {
		t.Errorf("%v allocations per message, want 0", n)
	}
}

func TestBookMessagesAllocateNothing(t *testing.T) {
	if connectortest.RaceDetector {
		t.Skip("sync.Pool forgets on purpose")
	}
	s := replayTo(&connectortest.ReleasingRecorder{}, btc, bookOf("BTCUSDT"))
	message := []byte(`{"stream":"btcusdt@depth@100ms","data":` + depthMessage + `}`)
	if n := testing.AllocsPerRun(1000, func() { s.Message(message) }); n != 0 {
		t.Errorf("%v allocations per book message, want 0", n)
	}
}

// The parser accepts what the scanner accepts, with an equal result.
func FuzzDepth(f *testing.F) {
	f.Add([]byte(depthMessage), 1, 3)
	f.Add([]byte(strings.TrimSuffix(depthMessage, "}")+`,"ps":"BTCUSDT","st":1}`), 2, 8)
	f.Add([]byte(strings.Replace(depthMessage, `"u":617`, `"u":617,"u":618`, 1)), 1, 3)
	f.Add([]byte(`{"e":"depthUpdate","E":1,"T":1,"s":"BTCUSDT","U":1,"u":1,"pu":1,"b":[],"a":[]}`), 0, 0)
	f.Add([]byte(`{"e":"depthUpdate","E":1,"T":0,"s":"BTCUSDT","U":007,"u":1,"pu":1,"b":[["1","1"],],"a":[["`), 0, 0)
	f.Fuzz(func(t *testing.T, message []byte, priceDecimals, qtyDecimals int) {
		scale := venues.Scale{PriceDecimals: min(max(priceDecimals, 0), 18), QtyDecimals: min(max(qtyDecimals, 0), 18)}
		_, _, _ = depthDecoders("BTCUSDT", scale).Read(t, message)
	})
}
