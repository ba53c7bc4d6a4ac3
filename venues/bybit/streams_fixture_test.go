package bybit

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/feed"
	"venuegate/venues/internal/payload"
)

// publicStream returns a Replay of the given topics, whose instruments have the scales
// given by symbol.
func publicStream(t testing.TB, scales map[string]venues.Scale, topics ...venues.FeedTopic) (*feed.Replay, *connectortest.Recorder) {
	t.Helper()
	h := &connectortest.Recorder{}
	return replayTo(h, scales, topics...), h
}

func replayTo(sink venues.FeedSink, scales map[string]venues.Scale, topics ...venues.FeedTopic) *feed.Replay {
	c := New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1"))
	var instruments []venues.Instrument
	for symbol, scale := range scales {
		instruments = append(instruments, venues.Instrument{
			Symbol: symbol, VenueSymbol: symbol, Status: venues.InstrumentTrading, TickSize: scale.Price(1), QtyStep: scale.Qty(1),
		})
	}
	c.instruments.Store(venues.NewInstrumentSet(instruments))
	return feed.NewReplay(c.feedOptions(sink), topics...)
}

func topicsOf(symbols ...string) []venues.FeedTopic {
	var all []venues.FeedTopic
	for _, symbol := range symbols {
		all = append(all,
			venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol},
			venues.FeedTopic{Kind: venues.FeedTrades, Symbol: symbol},
			venues.FeedTopic{Kind: venues.FeedCandles, Symbol: symbol, Timeframe: "1m"},
			venues.FeedTopic{Kind: venues.FeedMark, Symbol: symbol})
	}
	return all
}

// ladder is a side of a book by price.
type ladder map[int64]int64

func (l ladder) apply(levels []venues.Level) {
	for _, level := range levels {
		if level.Qty == 0 {
			delete(l, level.Price)
		} else {
			l[level.Price] = level.Qty
		}
	}
}

type ladders struct {
	bids, asks ladder
	seq        uint64
}

// apply applies the next update and checks the sequence.
func (l *ladders) apply(t *testing.T, u *venues.BookUpdate) {
	t.Helper()
	switch {
	case u.Snapshot:
		l.bids, l.asks = ladder{}, ladder{}
	case u.PrevSeq != l.seq:
		t.Fatalf("%s: update follows %d, want %d", u.Symbol, u.PrevSeq, l.seq)
	}
	if u.FirstSeq != u.LastSeq || u.VenueTime.IsZero() || u.Received.IsZero() {
		t.Fatalf("%s: update %+v, want one number and both times", u.Symbol, u)
	}
	l.seq = u.LastSeq
	l.bids.apply(u.Bids)
	l.asks.apply(u.Asks)
}

// The recording of 2026-08-09 has no gap, and the book has 200 levels after every
// message.
func TestRecordedStreams2026(t *testing.T) {
	scales := map[string]venues.Scale{
		"BTCUSDT":  {PriceDecimals: 1, QtyDecimals: 3},
		"DOGEUSDT": {PriceDecimals: 5, QtyDecimals: 0},
	}
	s, h := publicStream(t, scales, topicsOf("BTCUSDT", "DOGEUSDT")...)
	books := map[string]*ladders{"BTCUSDT": {}, "DOGEUSDT": {}}
	var instruments []instrumentRecord
	for _, line := range fixturetest.Lines(fixture(t, "ws_public_linear_BTC_DOGE_20260809.real.jsonl.gz")) {
		var row struct {
			Type string `json:"t"`
			Data string `json:"data"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		switch row.Type {
		case "http":
			instruments = rowsOf[instrumentRecord](t, recording{Name: "instruments", Msg: []byte(row.Data)})
		case "recv":
			before := len(h.Books)
			s.Message([]byte(row.Data))
			for _, u := range h.Books[before:] {
				book := books[u.Symbol]
				book.apply(t, u)
				if len(book.bids) != 200 || len(book.asks) != 200 || slices.Max(slices.Collect(maps.Keys(book.bids))) >= slices.Min(slices.Collect(maps.Keys(book.asks))) {
					t.Fatalf("%s at %d: %d bids, %d asks, want 200 each", u.Symbol, u.LastSeq, len(book.bids), len(book.asks))
				}
			}
		}
	}
	if len(h.Books) != 794 || len(h.Trades) != 139 || len(h.Candles) != 36 || len(h.Marks) != 49 {
		t.Errorf("%d book updates, %d trades, %d candles, %d marks", len(h.Books), len(h.Trades), len(h.Candles), len(h.Marks))
	}
	if len(h.Interruptions) != 0 {
		t.Errorf("interruptions %v, want none", h.Interruptions)
	}
	for _, record := range instruments {
		i, err := record.instrument(time.Now())
		if err != nil {
			t.Error(err)
		}
		if want, ok := scales[i.Symbol]; ok && i.Scale() != want {
			t.Errorf("%s: scale %+v", i.Symbol, i.Scale())
		}
	}
	if len(instruments) != 8 {
		t.Errorf("%d instruments, want 8", len(instruments))
	}
	checkTrades(t, h.Trades)
}

func checkTrades(t *testing.T, trades []venues.Trade) {
	t.Helper()
	for _, trade := range trades {
		if trade.ID == "" || !trade.Price.IsPositive() || !trade.Qty.IsPositive() || trade.VenueTime.IsZero() {
			t.Errorf("trade %+v", trade)
		}
	}
}

// The scanner and the parser give equal results for every book message of the recording.
func TestScannerEqualsParser(t *testing.T) {
	scales := map[string]venues.Scale{"BTCUSDT": {PriceDecimals: 1, QtyDecimals: 3}, "DOGEUSDT": {PriceDecimals: 5, QtyDecimals: 0}}
	scanned := 0
	for _, message := range recordedBooks(t) {
		var one struct {
			Topic string `json:"topic"`
			Data  struct {
				Symbol string `json:"s"`
			} `json:"data"`
		}
		if err := json.Unmarshal(message, &one); err != nil {
			t.Fatal(err)
		}
		decoders := bookDecoders(one.Topic, one.Data.Symbol, scales[one.Data.Symbol])
		if _, ok, err := decoders.Read(t, message); err != nil || !ok {
			t.Fatalf("%.200s: scanned %v, %v, want no error and ok", message, ok, err)
		}
		scanned++
	}
	if scanned != 794 {
		t.Errorf("%d messages scanned, want 794", scanned)
	}
}

// recordedBooks returns the book messages of the recording of 2026-08-09.
func recordedBooks(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, line := range fixturetest.Lines(fixture(t, "ws_public_linear_BTC_DOGE_20260809.real.jsonl.gz")) {
		var row struct {
			Type string `json:"t"`
			Data string `json:"data"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		if topic, ok := topicOf([]byte(row.Data)); ok && row.Type == "recv" && string(topic[:9]) == "orderbook" {
			all = append(all, []byte(row.Data))
		}
	}
	return all
}

// Recorded books of other depths have the same form. The 500 levels of 2024 end at a book
// that was computed elsewhere.
func TestRecordedBooksOfOtherDepths(t *testing.T) {
	var book ladders
	xrp := venues.Scale{PriceDecimals: 4, QtyDecimals: 0}
	var d bookDecoder
	for _, line := range fixturetest.Lines(fixture(t, "ws_public_orderbook500_XRPUSDT_20241201.jsonl")) {
		u, err := d.decode(line, "orderbook.500.XRPUSDT", "XRPUSDT", "XRPUSDT", xrp, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		book.apply(t, u)
		if len(book.bids) != 500 || len(book.asks) != 500 {
			t.Fatalf("%d bids, %d asks, want 500 each", len(book.bids), len(book.asks))
		}
		u.Release()
	}
	var want struct {
		Bids [][2]string `json:"bids"`
		Asks [][2]string `json:"asks"`
	}
	if err := json.Unmarshal(fixture(t, "ws_public_orderbook500_XRPUSDT_20241201.expected_final_book.json"), &want); err != nil {
		t.Fatal(err)
	}
	for _, side := range []struct {
		rows [][2]string
		got  ladder
	}{{want.Bids, book.bids}, {want.Asks, book.asks}} {
		if len(side.rows) != len(side.got) {
			t.Errorf("%d levels, want %d", len(side.got), len(side.rows))
		}
		for _, row := range side.rows {
			level, err := payload.Level(row[0], row[1], xrp)
			if err != nil || side.got[level.Price] != level.Qty {
				t.Errorf("level %v: quantity %d, error %v, want %d", row, side.got[level.Price], err, level.Qty)
			}
		}
	}
	for _, name := range []string{"ws_public_orderbook1.jsonl", "ws_public_orderbook50.jsonl"} {
		for _, r := range recordings(t, name) {
			topic, _ := topicOf(r.Msg)
			symbol := fastjson.GetString(r.Msg, "data", "s")
			u, err := d.decode(r.Msg, string(topic), symbol, symbol, venues.Scale{PriceDecimals: 8, QtyDecimals: 8}, time.Now())
			if err != nil {
				t.Errorf("%s: error %v, want none", r.Name, err)
				continue
			}
			if u.Snapshot != (fastjson.GetString(r.Msg, "type") == typeSnapshot) || u.LastSeq == 0 || len(u.Bids)+len(u.Asks) == 0 {
				t.Errorf("%s: update %+v, want a numbered one with levels, and a snapshot if the message says so", r.Name, u)
			}
			u.Release()
		}
	}
}

func TestRecordedTradesTickersCandles(t *testing.T) {
	var parser fastjson.Parser
	for _, r := range recordings(t, "ws_public_trade.jsonl") {
		topic, _ := topicOf(r.Msg)
		symbol := fastjson.GetString(r.Msg, "data", "0", "s")
		trades, err := decodeTrades(&parser, r.Msg, string(topic), symbol, symbol)
		if err != nil || len(trades) == 0 {
			t.Errorf("%s: %d trades, error %v, want some without error", r.Name, len(trades), err)
		}
		checkTrades(t, trades)
	}
	marks := 0
	for _, r := range recordings(t, "ws_public_tickers.jsonl") {
		topic, _ := topicOf(r.Msg)
		symbol := fastjson.GetString(r.Msg, "data", "symbol")
		mark, changed, err := decodeMark(&parser, r.Msg, string(topic), symbol, symbol)
		if err != nil || changed && (!mark.Price.IsPositive() || mark.VenueTime.IsZero()) {
			t.Errorf("r.Name = %s, mark = %+v, err = %v", r.Name, mark, err)
		}
		if changed {
			marks++
		}
	}
	if marks == 0 {
		t.Error("the recording has no mark price")
	}
	for _, r := range recordings(t, "ws_public_kline.jsonl") {
		topic, _ := topicOf(r.Msg)
		candles, err := decodeCandles(&parser, r.Msg, string(topic), venues.FeedTopic{Symbol: "BTCUSDT", Timeframe: "1m"})
		if err != nil || len(candles) != 1 || candles[0].End.Sub(candles[0].Start) != time.Minute || candles[0].High.LessThan(candles[0].Low) {
			t.Errorf("%s: candles %+v, error %v, want one of a minute with a valid range", r.Name, candles, err)
		}
	}
}
