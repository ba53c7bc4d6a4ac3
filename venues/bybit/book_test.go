package bybit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"
	"pgregory.net/rapid"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

const (
	bookTopic   = "orderbook.200.BTCUSDT"
	bookMessage = `{"topic":"orderbook.200.BTCUSDT","type":"delta","ts":1786310818130,"data":{"s":"BTCUSDT",` +
		`"b":[["61800.20","2.909"],["61800.1","0"]],"a":[["61800.30","4.350"]],"u":617,"seq":753843907770},"cts":1786310818120}`
)

var btc = venues.Scale{PriceDecimals: 1, QtyDecimals: 3}

// sameUpdate compares what two decoders made of one message.
func sameUpdate(a, b *venues.BookUpdate) error {
	if a.FirstSeq != b.FirstSeq || a.LastSeq != b.LastSeq || a.PrevSeq != b.PrevSeq || a.Snapshot != b.Snapshot || !a.VenueTime.Equal(b.VenueTime) {
		return fmt.Errorf("%+v is not %+v", a, b)
	}
	if !slices.Equal(a.Bids, b.Bids) || !slices.Equal(a.Asks, b.Asks) {
		return fmt.Errorf("levels %v %v are not %v %v", a.Bids, a.Asks, b.Bids, b.Asks)
	}
	return nil
}

func decodeBTC(message string) (*venues.BookUpdate, error) {
	var d bookDecoder
	return d.decode([]byte(message), bookTopic, "BTCUSDT", "BTCUSDT", btc, time.Now())
}

func TestBookDecodes(t *testing.T) {
	for name, message := range map[string]string{
		"as the venue prints it": bookMessage,
		"type first":             strings.Replace(bookMessage, `"topic":"orderbook.200.BTCUSDT","type":"delta"`, `"type":"delta","topic":"orderbook.200.BTCUSDT"`, 1),
		"white space":            strings.ReplaceAll(bookMessage, ",", " ,\n"),
		"unknown fields":         strings.TrimSuffix(bookMessage, "}") + `,"new":{"u":1}}`,
		"escapes":                strings.Replace(bookMessage, `"s":"BTCUSDT"`, `"s":"\u0042TCUSDT"`, 1),
		"a third column":         strings.ReplaceAll(bookMessage, `"]`, `","x"]`),
		"no cross sequence":      strings.Replace(bookMessage, `,"seq":753843907770`, "", 1),
	} {
		u, err := decodeBTC(message)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if u.FirstSeq != 617 || u.LastSeq != 617 || u.PrevSeq != 616 || u.VenueTime.UnixMilli() != 1786310818120 || u.Received.IsZero() ||
			fmt.Sprint(u.Bids, u.Asks) != "[{618002 2909} {618001 0}] [{618003 4350}]" || u.Symbol != "BTCUSDT" || u.Snapshot {
			t.Errorf("%s: %+v", name, u)
		}
		u.Release()
	}
	u, err := decodeBTC(strings.Replace(bookMessage, `,"cts":1786310818120`, "", 1))
	if err != nil || u.VenueTime.UnixMilli() != 1786310818130 {
		t.Errorf("without cts: %v, %v", u, err)
	}
}

func TestBookSnapshots(t *testing.T) {
	for name, message := range map[string]string{
		"snapshot":         strings.Replace(bookMessage, "delta", "snapshot", 1),
		"venue starts new": strings.Replace(bookMessage, `"u":617`, `"u":1`, 1),
	} {
		for form, text := range map[string]string{"scanned": message, "parsed": strings.ReplaceAll(message, ",", ", ")} {
			u, err := decodeBTC(text)
			if err != nil || !u.Snapshot || u.PrevSeq != 0 || u.FirstSeq != u.LastSeq {
				t.Errorf("%s, %s: %+v, %v", name, form, u, err)
			}
		}
	}
}

func TestBookRefuses(t *testing.T) {
	replace := func(old, with string) string {
		if !strings.Contains(bookMessage, old) {
			t.Fatalf("the message has no %s", old)
		}
		return strings.Replace(bookMessage, old, with, 1)
	}
	for name, message := range map[string]string{
		"nothing":                "",
		"HTML":                   "<html><body>502</body></html>",
		"plain text":             "Failed to decode incoming data: EOF",
		"a list":                 "[" + bookMessage + "]",
		"two objects":            bookMessage + bookMessage,
		"another topic":          replace("orderbook.200", "orderbook.50"),
		"another symbol":         replace(`"s":"BTCUSDT"`, `"s":"ETHUSDT"`),
		"no symbol":              replace(`"s":"BTCUSDT",`, ""),
		"no type":                replace(`"type":"delta",`, ""),
		"another type":           replace(`"delta"`, `"patch"`),
		"no data":                replace(`"data"`, `"Data"`),
		"no number":              replace(`"u":617,`, ""),
		"number zero":            replace(`"u":617`, `"u":0`),
		"no bids":                replace(`"b":`, `"B":`),
		"no asks":                replace(`"a":`, `"A":`),
		"bids are null":          replace(`[["61800.20","2.909"],["61800.1","0"]]`, `null`),
		"level of one":           replace(`["61800.20","2.909"]`, `["61800.20"]`),
		"level of numbers":       replace(`["61800.20","2.909"]`, `[61800.20,2.909]`),
		"price finer than tick":  replace("61800.20", "61800.25"),
		"size finer than step":   replace("2.909", "2.9095"),
		"negative size":          replace("2.909", "-2.909"),
		"price zero":             replace("61800.20", "0.0"),
		"exponent":               replace("61800.20", "6.18e4"),
		"infinity":               replace("61800.20", "Infinity"),
		"not a number":           replace("61800.20", "NaN"),
		"plus sign":              replace("61800.20", "+61800.20"),
		"empty price":            replace("61800.20", ""),
		"bare point":             replace("61800.20", "61800."),
		"beyond int64":           replace("61800.20", "9223372036854775807"),
		"sequence is negative":   replace(`"u":617`, `"u":-617`),
		"sequence is a fraction": replace(`"u":617`, `"u":617.5`),
		"sequence is a text":     replace(`"u":617`, `"u":"617"`),
		"sequence beyond 64 bit": replace(`"u":617`, `"u":99999999999999999999`),
		"time is a word":         replace(`"cts":1786310818120`, `"cts":"soon"`),
	} {
		if u, err := decodeBTC(message); err == nil {
			t.Errorf("%s: understood as %+v", name, u)
		}
	}
	for n := range bookMessage { // cut anywhere
		if u, err := decodeBTC(bookMessage[:n]); err == nil {
			t.Errorf("cut at %d: understood as %+v", n, u)
		}
	}
}

// Whatever fixed-point numbers a book holds, their text comes back as they were.
func TestBookRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := venues.Scale{PriceDecimals: rapid.IntRange(0, 8).Draw(t, "price"), QtyDecimals: rapid.IntRange(0, 8).Draw(t, "qty")}
		level := rapid.Custom(func(t *rapid.T) venues.Level {
			return venues.Level{Price: rapid.Int64Range(1, 1e17).Draw(t, "p"), Qty: rapid.Int64Range(0, 1e17).Draw(t, "q")}
		})
		bids, asks := rapid.SliceOf(level).Draw(t, "bids"), rapid.SliceOf(level).Draw(t, "asks")
		text := func(levels []venues.Level) string {
			var rows []string
			for _, l := range levels {
				padding := int32(rapid.IntRange(0, 3).Draw(t, "zeros"))
				rows = append(rows, fmt.Sprintf(`[%q,%q]`,
					scale.Price(l.Price).StringFixed(int32(scale.PriceDecimals)+padding), scale.Qty(l.Qty).StringFixed(int32(scale.QtyDecimals)+padding)))
			}
			return "[" + strings.Join(rows, ",") + "]"
		}
		message := fmt.Sprintf(`{"topic":"t","type":"delta","ts":2,"data":{"s":"X","b":%s,"a":%s,"u":9,"seq":1},"cts":1}`, text(bids), text(asks))
		var scanned, parsed venues.BookUpdate
		if !scanBook([]byte(message), "t", "X", scale, &scanned) {
			t.Fatalf("the scanner gave up on %s", message)
		}
		if err := decodeBook(new(fastjson.Parser), []byte(message), "t", "X", scale, &parsed); err != nil {
			t.Fatal(err)
		}
		want := venues.BookUpdate{FirstSeq: 9, LastSeq: 9, PrevSeq: 8, VenueTime: time.UnixMilli(1), Bids: bids, Asks: asks}
		for _, got := range []*venues.BookUpdate{&scanned, &parsed} {
			if err := sameUpdate(got, &want); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestBookScannerAllocatesNothing(t *testing.T) {
	message, update := []byte(bookMessage), venues.NewBookUpdate()
	if n := testing.AllocsPerRun(1000, func() {
		update.Bids, update.Asks = update.Bids[:0], update.Asks[:0]
		if !scanBook(message, bookTopic, "BTCUSDT", btc, update) {
			t.Fatal("the scanner gave up")
		}
	}); n != 0 {
		t.Errorf("the scanner allocates %v times a message", n)
	}
}

// released is a sink that gives updates back at once.
type released struct{ connectortest.Heard }

func (*released) Book(u *venues.BookUpdate) { u.Release() }

func TestBookMessagesAllocateNothing(t *testing.T) {
	if raceDetector {
		t.Skip("sync.Pool forgets on purpose")
	}
	s := replayTo(&released{}, map[string]venues.Scale{"BTCUSDT": btc}, bookOf("BTCUSDT"))
	message := []byte(bookMessage)
	if n := testing.AllocsPerRun(1000, func() { s.Message(message) }); n != 0 {
		t.Errorf("a book message allocates %v times", n)
	}
}

// What the scanner accepts the thorough decoder accepts and reads alike.
func FuzzBook(f *testing.F) {
	f.Add([]byte(bookMessage), 1, 3)
	f.Add([]byte(strings.Replace(bookMessage, "delta", "snapshot", 1)), 2, 8)
	f.Add([]byte(strings.Replace(bookMessage, `"u":617`, `"u":617,"u":618`, 1)), 1, 3)
	f.Add([]byte(strings.Replace(bookMessage, `"u":617`, `"u":1`, 1)), 1, 3)
	f.Add([]byte(`{"topic":"orderbook.200.BTCUSDT","type":"delta","ts":0,"data":{"s":"BTCUSDT","b":[],"a":[["1","1"],],"u":007}`), 0, 0)
	f.Fuzz(func(t *testing.T, message []byte, priceDecimals, qtyDecimals int) {
		scale := venues.Scale{PriceDecimals: min(max(priceDecimals, 0), 18), QtyDecimals: min(max(qtyDecimals, 0), 18)}
		var scanned, parsed venues.BookUpdate
		accepted := scanBook(message, bookTopic, "BTCUSDT", scale, &scanned)
		err := decodeBook(new(fastjson.Parser), message, bookTopic, "BTCUSDT", scale, &parsed)
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

// BenchmarkBook compares the ways to read the recorded book messages.
func BenchmarkBook(b *testing.B) {
	var messages [][]byte
	for _, m := range recordedBooks(b) {
		if topic, _ := topicOf(m); string(topic) == bookTopic {
			messages = append(messages, m)
		}
	}
	b.Run("scan", func(b *testing.B) {
		b.ReportAllocs()
		var d bookDecoder
		now := time.Now()
		for n := 0; b.Loop(); n++ {
			u, err := d.decode(messages[n%len(messages)], bookTopic, "BTCUSDT", "BTCUSDT", btc, now)
			if err != nil {
				b.Fatal(err)
			}
			u.Release()
		}
	})
	b.Run("fallback", func(b *testing.B) {
		b.ReportAllocs()
		var parser fastjson.Parser
		for n := 0; b.Loop(); n++ {
			u := venues.NewBookUpdate()
			if err := decodeBook(&parser, messages[n%len(messages)], bookTopic, "BTCUSDT", btc, u); err != nil {
				b.Fatal(err)
			}
			u.Release()
		}
	})
}

// BenchmarkFeed is the whole way of a book message from the connection to the sink.
func BenchmarkFeed(b *testing.B) {
	s := replayTo(&released{}, map[string]venues.Scale{"BTCUSDT": btc}, bookOf("BTCUSDT"))
	message := []byte(bookMessage)
	b.ReportAllocs()
	for b.Loop() {
		s.Message(message)
	}
}
