package binance

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/feed"
)

// publicStream returns a Replay of the given topics, whose instruments have the given
// scale.
func publicStream(t testing.TB, scale venues.Scale, topics ...venues.FeedTopic) (*feed.Replay, *connectortest.Recorder) {
	t.Helper()
	h := &connectortest.Recorder{}
	return replayTo(h, scale, topics...), h
}

func replayTo(sink venues.FeedSink, scale venues.Scale, topics ...venues.FeedTopic) *feed.Replay {
	c := New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1"))
	var instruments []venues.Instrument
	for _, channel := range topics {
		instruments = append(instruments, venues.Instrument{
			Symbol: channel.Symbol, VenueSymbol: channel.Symbol, Status: venues.InstrumentTrading,
			TickSize: scale.Price(1), QtyStep: scale.Qty(1),
		})
	}
	c.instruments.Store(venues.NewInstrumentSet(instruments))
	return feed.NewReplay(c.feedOptions(sink), topics...)
}

// checkChain checks that the updates of one book are consecutive.
func checkChain(t *testing.T, updates []*venues.BookUpdate) {
	t.Helper()
	for n, u := range updates {
		if n > 0 && u.PrevSeq != updates[n-1].LastSeq {
			t.Fatalf("update %d follows %d, want %d", n, u.PrevSeq, updates[n-1].LastSeq)
		}
		if u.FirstSeq > u.LastSeq || u.Snapshot || u.VenueTime.IsZero() || u.Received.IsZero() {
			t.Fatalf("update %d: %+v, want a delta with both times and FirstSeq not above LastSeq", n, u)
		}
	}
}

// joins reports whether an update is the first one after a snapshot.
func joins(u *venues.BookUpdate, snapshot uint64) bool {
	return u.FirstSeq <= snapshot && snapshot <= u.LastSeq || u.PrevSeq == snapshot
}

// Four symbols, half a minute, every message of the supported kinds.
func TestRecordedStreams2021(t *testing.T) {
	symbols := []string{"SUSHIUSDT", "AKROUSDT", "KEEPUSDT", "CTKUSDT"}
	var public, market []venues.FeedTopic
	for _, s := range symbols {
		public = append(public, venues.FeedTopic{Kind: venues.FeedBook, Symbol: s})
		market = append(market,
			venues.FeedTopic{Kind: venues.FeedTrades, Symbol: s},
			venues.FeedTopic{Kind: venues.FeedCandles, Symbol: s, Timeframe: "1m"})
	}
	scale := venues.Scale{PriceDecimals: 5, QtyDecimals: 0}
	books, h := publicStream(t, scale, public...)
	trades, m := publicStream(t, scale, market...)
	for _, line := range fixturetest.Lines(fixture(t, "ws_4symbols_depth100ms_aggTrade_kline_bookTicker_2021.real.log"))[1:] {
		message := afterStamp(line)
		books.Message(message)
		trades.Message(message)
	}
	if len(h.Books) != 764 || len(m.Trades) != 91 || len(m.Candles) != 67 {
		t.Errorf("%d book updates, %d trades, %d candles; want 764, 91, 67", len(h.Books), len(m.Trades), len(m.Candles))
	}
	if len(h.Interruptions)+len(m.Interruptions) != 0 {
		t.Errorf("interruptions %v %v, want none", h.Interruptions, m.Interruptions)
	}
	for _, snapshot := range recordedSnapshots(t, scale) {
		var updates []*venues.BookUpdate
		for _, u := range h.Books {
			if u.Symbol == snapshot.Symbol {
				updates = append(updates, u)
			}
		}
		checkChain(t, updates)
		if !slices.ContainsFunc(updates, func(u *venues.BookUpdate) bool { return joins(u, snapshot.LastSeq) }) {
			t.Errorf("%s: no update joins the snapshot, want one", snapshot.Symbol)
		}
	}
	for _, c := range m.Candles {
		if c.End.Sub(c.Start) != time.Minute || c.High.LessThan(c.Low) || c.VenueTime.IsZero() {
			t.Errorf("candle %+v, want a minute with a valid range and the time of the venue", c)
		}
	}
}

// recordedSnapshots decodes the REST books that belong to the streams of 2021.
func recordedSnapshots(t *testing.T, scale venues.Scale) []*venues.BookUpdate {
	t.Helper()
	var snapshots []*venues.BookUpdate
	for _, line := range fixturetest.Lines(fixture(t, "rest_depth_4symbols_limit1000_2021.real.log")) {
		if len(line) == 0 {
			continue
		}
		var answer bookRecord
		if err := json.Unmarshal(line[bytes.IndexByte(line, '{'):], &answer); err != nil {
			t.Fatal(err)
		}
		_, rest, _ := bytes.Cut(line, []byte("symbol="))
		symbol, _, _ := bytes.Cut(rest, []byte("&"))
		u, err := answer.update(string(symbol), scale, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if len(u.Bids) == 0 || u.Bids[0].Price >= u.Asks[0].Price {
			t.Errorf("%s: best bid %v, best ask %v, want the bid below the ask", symbol, u.Bids[0], u.Asks[0])
		}
		snapshots = append(snapshots, u)
	}
	return snapshots
}

var btc = venues.Scale{PriceDecimals: 1, QtyDecimals: 3}

// recordedDepth returns the depth messages of the long BTCUSDT recording.
func recordedDepth(t testing.TB) (depth [][]byte, snapshot []byte) {
	t.Helper()
	for _, line := range fixturetest.Lines(fixture(t, "ws_btcusdt_depth0ms_trade_bookTicker_2024.real.gz")) {
		message := afterStamp(line)
		name, data, ok := streams{}.Split(message)
		switch {
		case !ok:
			snapshot = message
		case string(name) == "btcusdt@depth@0ms":
			depth = append(depth, data)
		}
	}
	return depth, snapshot
}

// The scanner decodes the whole recording without gap, and the parser gives an equal
// result for every message.
func TestRecordedBTCUSDT2024(t *testing.T) {
	depth, rest := recordedDepth(t)
	if len(depth) != 6551 {
		t.Errorf("%d depth messages, want 6551", len(depth))
	}
	var answer bookRecord
	if err := json.Unmarshal(rest, &answer); err != nil {
		t.Fatal(err)
	}
	var parser fastjson.Parser
	var last uint64
	joined := 0
	for n, message := range depth {
		scanned, parsed := venues.NewBookUpdate(), venues.NewBookUpdate()
		if !scanBook(message, "BTCUSDT", btc, scanned) {
			t.Fatalf("message %d: the scanner gave up, want scanBook(message, \"BTCUSDT\", btc, scanned)", n)
		}
		if !connectortest.RaceDetector || n%8 == 0 { // the parser is slow with it
			if err := decodeBook(&parser, message, "BTCUSDT", btc, parsed); err != nil {
				t.Fatalf("message %d: %v, want no error", n, err)
			}
			connectortest.SameBook(t, scanned, parsed)
		}
		if n > 0 && scanned.PrevSeq != last {
			t.Fatalf("message %d follows %d, want %d", n, scanned.PrevSeq, last)
		}
		last = scanned.LastSeq
		if joins(scanned, answer.LastUpdateID) {
			joined++
		}
		scanned.Release()
		parsed.Release()
	}
	if joined != 1 {
		t.Errorf("%d messages join the snapshot, want one", joined)
	}
}

func TestRecordedSlice2024(t *testing.T) {
	s, h := publicStream(t, btc, bookOf("BTCUSDT"))
	want := 0
	for _, line := range fixturetest.Lines(fixture(t, "ws_btcusdt_slice6000_2024.real.log.gz")) {
		message := afterStamp(line)
		if bytes.Contains(message, []byte("@depth@0ms")) {
			want++ // the faster stream has the same messages
			message = bytes.Replace(message, []byte("@depth@0ms"), []byte("@depth@100ms"), 1)
		}
		if _, _, ok := (streams{}).Split(message); ok {
			s.Message(message)
		}
	}
	if len(h.Books) != want || want == 0 {
		t.Errorf("%d updates, want %d", len(h.Books), want)
	}
	checkChain(t, h.Books)
}

func TestRecordedSnapshot2024(t *testing.T) {
	var answer bookRecord
	if err := json.Unmarshal(fixture(t, "rest_depth_BTCUSDT_limit1000_2024.real.json"), &answer); err != nil {
		t.Fatal(err)
	}
	u, err := answer.update("BTCUSDT", btc, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if !u.Snapshot || u.LastSeq != answer.LastUpdateID || len(u.Bids) != 1000 || len(u.Asks) != 1000 ||
		!btc.Price(u.Bids[0].Price).Equal(dec(answer.Bids[0][0]).Decimal) || !btc.Qty(u.Asks[0].Qty).Equal(dec(answer.Asks[0][1]).Decimal) {
		t.Errorf("snapshot %d, %d bids, %d asks, want %d with 1000 each", u.LastSeq, len(u.Bids), len(u.Asks), answer.LastUpdateID)
	}
}

// The single messages go back to 2019. Each is decoded only as its own kind.
func TestRecordedSingles(t *testing.T) {
	var parser fastjson.Parser
	counts := map[string]int{}
	for _, one := range fixturetest.Objects[struct {
		Stream string
		Data   json.RawMessage
	}](t, venues.Binance, "ws_market_singles.real.jsonl") {
		var head struct {
			Kind   string `json:"e"`
			Time   int64  `json:"E"`
			Symbol string `json:"s"`
		}
		if err := json.Unmarshal(one.Data, &head); err != nil {
			t.Fatal(err)
		}
		counts[head.Kind]++
		trade, _, errTrade := decodeAggTrade(&parser, one.Data, head.Symbol, head.Symbol)
		mark, errMark := decodeMark(&parser, one.Data, head.Symbol, head.Symbol)
		if (errTrade == nil) != (head.Kind == "aggTrade") || (errMark == nil) != (head.Kind == "markPriceUpdate") {
			t.Errorf("%s: error as a trade %v, as a mark price %v, want it decoded as its kind %s only", one.Stream, errTrade, errMark, head.Kind)
		}
		if errTrade == nil && (trade.Side != venues.Buy || !trade.Price.Equal(dec("10223.74").Decimal) || trade.ID != "181349") {
			t.Errorf("trade %+v, want the buy 181349 at 10223.74", trade)
		}
		if errMark == nil && (!mark.Price.IsPositive() || mark.VenueTime.UnixMilli() != head.Time) {
			t.Errorf("mark price %+v, want one above zero at %d", mark, head.Time)
		}
	}
	if counts["aggTrade"] != 1 || counts["markPriceUpdate"] != 3 {
		t.Errorf("events %v, want one aggTrade and 3 of markPriceUpdate", counts)
	}
}

// Rows of trades by REST have the members of the stream.
func TestRecordedAggTrades2020(t *testing.T) {
	var rows []map[string]any
	decoder := json.NewDecoder(bytes.NewReader(fixture(t, "rest_aggTrades_LTCUSDT_2020.real.json")))
	decoder.UseNumber()
	if err := decoder.Decode(&rows); err != nil {
		t.Fatal(err)
	}
	var parser fastjson.Parser
	var last uint64
	for _, row := range rows {
		row["e"], row["s"] = "aggTrade", "LTCUSDT"
		message, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		trade, id, err := decodeAggTrade(&parser, message, "LTCUSDT", "LTCUSDT")
		if err != nil || id <= last {
			t.Fatalf("%s: error %v, id %d, want an id above %d", message, err, id, last)
		}
		if sold := row["m"].(bool); sold != (trade.Side == venues.Sell) {
			t.Errorf("%s: taker %s, want the other side than the maker's", message, trade.Side)
		}
		last = id
	}
	if len(rows) != 500 {
		t.Errorf("%d rows, want 500", len(rows))
	}
}
