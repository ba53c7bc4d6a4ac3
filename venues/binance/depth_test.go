package binance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"
	"pgregory.net/rapid"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

const depthMessage = `{"e":"depthUpdate","E":1626992741037,"T":1626992741024,"s":"BTCUSDT","U":600,"u":617,"pu":599,` +
	`"b":[["61800.20","2.909"],["61800.1","0"]],"a":[["61800.30","4.350"]]}`

func TestDepthDecodes(t *testing.T) {
	var d depthDecoder
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
			t.Errorf("%s: %v", name, err)
			continue
		}
		if u.FirstSeq != 600 || u.LastSeq != 617 || u.PrevSeq != 599 || u.VenueTime.UnixMilli() != 1626992741024 || !u.Received.Equal(now) ||
			fmt.Sprint(u.Bids, u.Asks) != "[{618002 2909} {618001 0}] [{618003 4350}]" || u.Symbol != "BTCUSDT" || u.Snapshot {
			t.Errorf("%s: %+v", name, u)
		}
		u.Release()
	}
	if u, err := d.decode([]byte(strings.Replace(depthMessage, `"T":1626992741024,`, "", 1)), "BTCUSDT", "BTCUSDT", btc, now); err != nil || u.VenueTime.UnixMilli() != 1626992741037 {
		t.Errorf("without T: %v, %v", u, err)
	}
}

func TestDepthRefuses(t *testing.T) {
	replace := func(old, with string) string {
		if !strings.Contains(depthMessage, old) {
			t.Fatalf("the message has no %s", old)
		}
		return strings.Replace(depthMessage, old, with, 1)
	}
	var d depthDecoder
	for name, message := range map[string]string{
		"nothing":                "",
		"HTML":                   "<html><body>502</body></html>",
		"a list":                 "[" + depthMessage + "]",
		"a number":               "17",
		"two objects":            depthMessage + depthMessage,
		"another event":          replace("depthUpdate", "bookTicker"),
		"another symbol":         replace(`"BTCUSDT"`, `"ETHUSDT"`),
		"no symbol":              replace(`"s":"BTCUSDT",`, ""),
		"no first":               replace(`"U":600,`, ""),
		"no last":                replace(`"u":617,`, ""),
		"no previous":            replace(`"pu":599,`, ""),
		"no bids":                replace(`"b":`, `"B":`),
		"no asks":                replace(`"a":`, `"A":`),
		"bids are an object":     replace(`[["61800.20","2.909"],["61800.1","0"]]`, `{}`),
		"bids are null":          replace(`[["61800.20","2.909"],["61800.1","0"]]`, `null`),
		"level of one":           replace(`["61800.20","2.909"]`, `["61800.20"]`),
		"level of numbers":       replace(`["61800.20","2.909"]`, `[61800.20,2.909]`),
		"level is a text":        replace(`["61800.20","2.909"]`, `"61800.20"`),
		"price finer than tick":  replace("61800.20", "61800.25"),
		"size finer than step":   replace("2.909", "2.9095"),
		"negative size":          replace("2.909", "-2.909"),
		"negative price":         replace("61800.20", "-61800.20"),
		"price zero":             replace("61800.20", "0.0"),
		"exponent":               replace("61800.20", "6.18e4"),
		"infinity":               replace("61800.20", "Infinity"),
		"not a number":           replace("61800.20", "NaN"),
		"plus sign":              replace("61800.20", "+61800.20"),
		"empty price":            replace("61800.20", ""),
		"bare point":             replace("61800.20", "61800."),
		"white space in a price": replace("61800.20", " 61800.20"),
		"beyond int64":           replace("61800.20", "9223372036854775807"),
		"sequence runs back":     replace(`"U":600`, `"U":700`),
		"previous is ahead":      replace(`"pu":599`, `"pu":700`),
		"sequence is negative":   replace(`"u":617`, `"u":-617`),
		"sequence is a fraction": replace(`"u":617`, `"u":617.5`),
		"sequence is a text":     replace(`"u":617`, `"u":"617"`),
		"sequence has exponent":  replace(`"u":617`, `"u":6e2`),
		"sequence beyond 64 bit": replace(`"u":617`, `"u":99999999999999999999`),
	} {
		if u, err := d.decode([]byte(message), "BTCUSDT", "BTCUSDT", btc, time.Now()); err == nil {
			t.Errorf("%s: understood as %+v", name, u)
		}
	}
	for n := range depthMessage { // cut anywhere
		if u, err := d.decode([]byte(depthMessage[:n]), "BTCUSDT", "BTCUSDT", btc, time.Now()); err == nil {
			t.Errorf("cut at %d: understood as %+v", n, u)
		}
	}
}

// Whatever fixed-point numbers a book holds, their text comes back as they were.
func TestDepthRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := venues.Scale{PriceDecimals: rapid.IntRange(0, 8).Draw(t, "price"), QtyDecimals: rapid.IntRange(0, 8).Draw(t, "qty")}
		level := rapid.Custom(func(t *rapid.T) venues.Level {
			return venues.Level{Price: rapid.Int64Range(1, 1e17).Draw(t, "p"), Qty: rapid.Int64Range(0, 1e17).Draw(t, "q")}
		})
		bids, asks := rapid.SliceOf(level).Draw(t, "bids"), rapid.SliceOf(level).Draw(t, "asks")
		encode := func(levels []venues.Level) string {
			var rows []string
			for _, l := range levels {
				padding := int32(rapid.IntRange(0, 3).Draw(t, "zeros"))
				rows = append(rows, fmt.Sprintf(`[%q,%q]`,
					scale.Price(l.Price).StringFixed(int32(scale.PriceDecimals)+padding), scale.Qty(l.Qty).StringFixed(int32(scale.QtyDecimals)+padding)))
			}
			return "[" + strings.Join(rows, ",") + "]"
		}
		message := fmt.Sprintf(`{"e":"depthUpdate","E":1,"T":1,"s":"X","U":1,"u":1,"pu":0,"b":%s,"a":%s}`, encode(bids), encode(asks))
		var scanned, parsed venues.BookUpdate
		if !scanDepth([]byte(message), "X", scale, &scanned) {
			t.Fatalf("the scanner gave up on %s", message)
		}
		if err := decodeDepth(new(fastjson.Parser), []byte(message), "X", scale, &parsed); err != nil {
			t.Fatal(err)
		}
		want := venues.BookUpdate{FirstSeq: 1, LastSeq: 1, VenueTime: time.UnixMilli(1), Bids: bids, Asks: asks}
		if err := sameUpdate(&scanned, &want); err != nil {
			t.Fatal(err)
		}
		if err := sameUpdate(&parsed, &want); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDepthScannerAllocatesNothing(t *testing.T) {
	message, update := []byte(depthMessage), venues.NewBookUpdate()
	var d depthDecoder
	now := time.Now()
	if n := testing.AllocsPerRun(1000, func() {
		update.Bids, update.Asks = update.Bids[:0], update.Asks[:0]
		if !scanDepth(message, "BTCUSDT", btc, update) {
			t.Fatal("the scanner gave up")
		}
	}); n != 0 {
		t.Errorf("the scanner allocates %v times a message", n)
	}
	if raceDetector {
		return
	}
	if n := testing.AllocsPerRun(1000, func() {
		u, err := d.decode(message, "BTCUSDT", "BTCUSDT", btc, now)
		if err != nil {
			t.Fatal(err)
		}
		u.Release()
	}); n != 0 {
		t.Errorf("decoding allocates %v times a message", n)
	}
}

// released is a sink that gives updates back at once.
type released struct{ connectortest.Heard }

func (*released) Book(u *venues.BookUpdate) { u.Release() }

func TestBookMessagesAllocateNothing(t *testing.T) {
	if raceDetector {
		t.Skip("sync.Pool forgets on purpose")
	}
	s := replayTo(&released{}, btc, bookOf("BTCUSDT"))
	message := []byte(`{"stream":"btcusdt@depth@100ms","data":` + depthMessage + `}`)
	if n := testing.AllocsPerRun(1000, func() { s.Message(message) }); n != 0 {
		t.Errorf("a book message allocates %v times", n)
	}
}

// What the scanner accepts the thorough decoder accepts and reads alike.
func FuzzDepth(f *testing.F) {
	f.Add([]byte(depthMessage), 1, 3)
	f.Add([]byte(strings.TrimSuffix(depthMessage, "}")+`,"ps":"BTCUSDT","st":1}`), 2, 8)
	f.Add([]byte(strings.Replace(depthMessage, `"u":617`, `"u":617,"u":618`, 1)), 1, 3)
	f.Add([]byte(`{"e":"depthUpdate","E":1,"T":1,"s":"BTCUSDT","U":1,"u":1,"pu":1,"b":[],"a":[]}`), 0, 0)
	f.Add([]byte(`{"e":"depthUpdate","E":1,"T":0,"s":"BTCUSDT","U":007,"u":1,"pu":1,"b":[["1","1"],],"a":[["`), 0, 0)
	f.Fuzz(func(t *testing.T, message []byte, priceDecimals, qtyDecimals int) {
		scale := venues.Scale{PriceDecimals: min(max(priceDecimals, 0), 18), QtyDecimals: min(max(qtyDecimals, 0), 18)}
		var scanned, parsed venues.BookUpdate
		accepted := scanDepth(message, "BTCUSDT", scale, &scanned)
		err := decodeDepth(new(fastjson.Parser), message, "BTCUSDT", scale, &parsed)
		if !accepted {
			return
		}
		if err != nil {
			t.Fatalf("the scanner accepts what the decoder refuses: %v", err)
		}
		if err := sameUpdate(&scanned, &parsed); err != nil {
			t.Fatal(err)
		}
	})
}
