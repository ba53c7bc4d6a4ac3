package bybit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

const (
	bookTopic   = "orderbook.200.BTCUSDT"
	bookMessage = `{"topic":"orderbook.200.BTCUSDT","type":"delta","ts":1786310818130,"data":{"s":"BTCUSDT",` +
		`"b":[["61800.20","2.909"],["61800.1","0"]],"a":[["61800.30","4.350"]],"u":617,"seq":753843907770},"cts":1786310818120}`
)

var btc = venues.Scale{PriceDecimals: 1, QtyDecimals: 3}

// decodeBTC decodes a message about the book of BTCUSDT.
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
			t.Errorf("%s: err = %v, want no error", name, err)
			continue
		}
		if u.FirstSeq != 617 || u.LastSeq != 617 || u.PrevSeq != 616 || u.VenueTime.UnixMilli() != 1786310818120 || u.Received.IsZero() ||
			fmt.Sprint(u.Bids, u.Asks) != "[{618002 2909} {618001 0}] [{618003 4350}]" || u.Symbol != "BTCUSDT" || u.Snapshot {
			t.Errorf("%s: update %+v, want the update 617 of BTCUSDT after 616", name, u)
		}
		u.Release()
	}
	u, err := decodeBTC(strings.Replace(bookMessage, `,"cts":1786310818120`, "", 1))
	if err != nil || u.VenueTime.UnixMilli() != 1786310818130 {
		t.Errorf("without cts: update %+v, error %v, want the time of ts", u, err)
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
				t.Errorf("%s, %s: update %+v, error %v, want a snapshot with one number and no predecessor", name, form, u, err)
			}
		}
	}
}

func TestInvalidBookMessages(t *testing.T) {
	decode := func(message []byte) error {
		_, err := decodeBTC(string(message))
		return err
	}
	connectortest.RejectMalformed(t, map[string]func([]byte) error{bookMessage: decode}, [][2]string{
		{"orderbook.200", "orderbook.50"},
		{`"s":"BTCUSDT"`, `"s":"ETHUSDT"`},
		{`"s":"BTCUSDT",`, ""},
		{`"type":"delta",`, ""},
		{`"delta"`, `"patch"`},
		{`"data"`, `"Data"`},
		{`"u":617,`, ""},
		{`"u":617`, `"u":0`},
		{`"b":`, `"B":`},
		{`"a":`, `"A":`},
		{`[["61800.20","2.909"],["61800.1","0"]]`, `null`},
		{`["61800.20","2.909"]`, `["61800.20"]`},
		{`["61800.20","2.909"]`, `[61800.20,2.909]`},
		{"61800.20", "61800.25"},
		{"2.909", "2.9095"},
		{"2.909", "-2.909"},
		{"61800.20", "0.0"},
		{"61800.20", "6.18e4"},
		{"61800.20", "Infinity"},
		{"61800.20", "NaN"},
		{"61800.20", "+61800.20"},
		{"61800.20", ""},
		{"61800.20", "61800."},
		{"61800.20", "9223372036854775807"},
		{`"u":617`, `"u":-617`},
		{`"u":617`, `"u":617.5`},
		{`"u":617`, `"u":"617"`},
		{`"u":617`, `"u":99999999999999999999`},
		{`"cts":1786310818120`, `"cts":"soon"`},
	})
}

// bookDecoders returns the decoders of an instrument's book.
func bookDecoders(topic, venueSymbol string, scale venues.Scale) connectortest.BookDecoders {
	parser := new(fastjson.Parser)
	return connectortest.BookDecoders{
		Scan:  func(m []byte, u *venues.BookUpdate) bool { return scanBook(m, topic, venueSymbol, scale, u) },
		Parse: func(m []byte, u *venues.BookUpdate) error { return decodeBook(parser, m, topic, venueSymbol, scale, u) },
	}
}

func TestBookRoundTrip(t *testing.T) {
	want := venues.BookUpdate{FirstSeq: 9, LastSeq: 9, PrevSeq: 8, VenueTime: time.UnixMilli(1)}
	connectortest.BookRoundTrip(t, want, func(bids, asks string) string {
		return fmt.Sprintf(`{"topic":"t","type":"delta","ts":2,"data":{"s":"X","b":%s,"a":%s,"u":9,"seq":1},"cts":1}`, bids, asks)
	}, func(scale venues.Scale) connectortest.BookDecoders { return bookDecoders("t", "X", scale) })
}

func TestBookScannerAllocatesNothing(t *testing.T) {
	message, update := []byte(bookMessage), venues.NewBookUpdate()
	if n := testing.AllocsPerRun(1000, func() {
		update.Bids, update.Asks = update.Bids[:0], update.Asks[:0]
		if !scanBook(message, bookTopic, "BTCUSDT", btc, update) {
			t.Fatal("the scanner gave up")
		}
	}); n != 0 {
		t.Errorf("%v allocations per message by the scanner, want 0", n)
	}
}

func TestBookMessagesAllocateNothing(t *testing.T) {
	if connectortest.RaceDetector {
		t.Skip("sync.Pool forgets on purpose")
	}
	s := replayTo(&connectortest.ReleasingRecorder{}, map[string]venues.Scale{"BTCUSDT": btc}, bookOf("BTCUSDT"))
	message := []byte(bookMessage)
	if n := testing.AllocsPerRun(1000, func() { s.Message(message) }); n != 0 {
		t.Errorf("%v allocations per book message, want 0", n)
	}
}

// The parser accepts what the scanner accepts, with an equal result.
func FuzzBook(f *testing.F) {
	f.Add([]byte(bookMessage), 1, 3)
	f.Add([]byte(strings.Replace(bookMessage, "delta", "snapshot", 1)), 2, 8)
	f.Add([]byte(strings.Replace(bookMessage, `"u":617`, `"u":617,"u":618`, 1)), 1, 3)
	f.Add([]byte(strings.Replace(bookMessage, `"u":617`, `"u":1`, 1)), 1, 3)
	f.Add([]byte(`{"topic":"orderbook.200.BTCUSDT","type":"delta","ts":0,"data":{"s":"BTCUSDT","b":[],"a":[["1","1"],],"u":007}`), 0, 0)
	f.Fuzz(func(t *testing.T, message []byte, priceDecimals, qtyDecimals int) {
		scale := venues.Scale{PriceDecimals: min(max(priceDecimals, 0), 18), QtyDecimals: min(max(qtyDecimals, 0), 18)}
		_, _, _ = bookDecoders(bookTopic, "BTCUSDT", scale).Read(t, message)
	})
}

// BenchmarkBook compares the ways to decode the recorded book messages.
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

// BenchmarkFeed measures a book message from the connection to the sink.
func BenchmarkFeed(b *testing.B) {
	s := replayTo(&connectortest.ReleasingRecorder{}, map[string]venues.Scale{"BTCUSDT": btc}, bookOf("BTCUSDT"))
	message := []byte(bookMessage)
	b.ReportAllocs()
	for b.Loop() {
		s.Message(message)
	}
}
