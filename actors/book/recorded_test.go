package book

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

// fixture reads a recording by its venue and name.
func fixture(t *testing.T, name string) []byte {
	t.Helper()
	venue, file, _ := strings.Cut(name, "/")
	return fixturetest.Read(t, venues.Venue(venue), file)
}

// fixed reads a decimal as a fixed-point number.
func fixed(t *testing.T, text string, decimals int) int64 {
	whole, fraction, _ := strings.Cut(text, ".")
	for len(fraction) < decimals {
		fraction += "0"
	}
	n, err := strconv.ParseInt(whole+fraction[:decimals], 10, 64)
	if err != nil || strings.Trim(fraction[decimals:], "0") != "" {
		t.Fatalf("%s: more decimals, want at most %d", text, decimals)
	}
	return n
}

type wireLevels [][]string

func (l wireLevels) appendTo(t *testing.T, levels []venues.Level, scale venues.Scale) []venues.Level {
	for _, x := range l {
		levels = append(levels, venues.Level{
			Price: fixed(t, x[0], scale.PriceDecimals), Qty: fixed(t, x[1], scale.QtyDecimals),
		})
	}
	return levels
}

// A line of the recordings is one of these, or a trade.
type binanceSnapshot struct {
	LastUpdateID uint64 `json:"lastUpdateId"`
	Bids, Asks   wireLevels
}

type binanceDepth struct {
	First uint64     `json:"U"`
	Last  uint64     `json:"u"`
	Prev  uint64     `json:"pu"`
	Bids  wireLevels `json:"b"`
	Asks  wireLevels `json:"a"`
}

type binanceTicker struct {
	Last   uint64 `json:"u"`
	Bid    string `json:"b"`
	BidQty string `json:"B"`
	Ask    string `json:"a"`
	AskQty string `json:"A"`
}

// recording replays a Binance recording into a machine.
type recording struct {
	t       *testing.T
	scale   venues.Scale
	machine *machine
	reader  *shownBook
	// venue is the reference book, which serves further REST snapshots: the recording
	// has one, and the market moves beyond its thousand levels.
	venue   mapBook
	begun   bool
	ends    map[uint64]bool // LastSeq of every update of the book
	tickers map[uint64][2]venues.Level
	matched int
}

// lastSeq returns the `u` of a stream message without decoding the JSON of tens of
// thousands of tickers.
func lastSeq(t *testing.T, body []byte) uint64 {
	t.Helper()
	_, rest, _ := bytes.Cut(body, []byte(`"u":`))
	digits, _, _ := bytes.Cut(rest, []byte(","))
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// survey returns the sequence numbers at which updates of the book end.
func (r *recording) survey(input []byte) {
	for _, line := range fixturetest.Lines(input) {
		if _, body, _ := bytes.Cut(line, []byte(" ")); bytes.HasPrefix(body, depthPrefix) {
			r.ends[lastSeq(r.t, body)] = true
		}
	}
}

var (
	tickerPrefix   = []byte(`{"stream":"btcusdt@bookTicker"`)
	depthPrefix    = []byte(`{"stream":"btcusdt@depth`)
	snapshotPrefix = []byte(`{"lastUpdateId"`)
)

// shownBook is the book of a subscriber.
type shownBook struct {
	tape *[]venues.BookMessage
	book mapBook
	last venues.BookMessage
}

// Deliver implements venues.FrameSink.
func (s *shownBook) Deliver(venues.Frame) {
	s.last = (*s.tape)[len(*s.tape)-1]
	if s.last.Type == venues.MessageSnapshot {
		s.book = newMapBook()
	}
	s.book.apply(s.last.Bids, s.last.Asks)
	*s.tape = (*s.tape)[:0]
}

func (r *recording) line(line []byte) {
	_, body, _ := bytes.Cut(line, []byte(" "))
	switch {
	case bytes.HasPrefix(body, tickerPrefix):
		if r.ends[lastSeq(r.t, body)] {
			r.ticker(unwrap[binanceTicker](r.t, body))
		}
	case bytes.HasPrefix(body, depthPrefix):
		r.depth(unwrap[binanceDepth](r.t, body))
	case bytes.HasPrefix(body, snapshotPrefix):
		r.snapshot(body)
	}
}

func unwrap[T any](t *testing.T, body []byte) T {
	t.Helper()
	var message struct{ Data T }
	if err := json.Unmarshal(body, &message); err != nil {
		t.Fatal(err)
	}
	return message.Data
}

func (r *recording) snapshot(body []byte) {
	var s binanceSnapshot
	if err := json.Unmarshal(body, &s); err != nil {
		r.t.Fatal(err)
	}
	u := venues.NewBookUpdate()
	u.Snapshot, u.LastSeq = true, s.LastUpdateID
	u.Bids, u.Asks = s.Bids.appendTo(r.t, u.Bids, r.scale), s.Asks.appendTo(r.t, u.Asks, r.scale)
	r.venue.apply(u.Bids, u.Asks)
	book := &r.machine.state.book
	for _, passed := range book.backlog.updates {
		if passed.LastSeq >= u.LastSeq {
			r.venue.apply(passed.Bids, passed.Asks)
		}
	}
	r.begun = true
	book.snapshot(r.machine.now, book.resync.generation, u, nil)
	r.machine.step()
}

func (r *recording) ticker(k binanceTicker) {
	levels := wireLevels{{k.Bid, k.BidQty}, {k.Ask, k.AskQty}}.appendTo(r.t, nil, r.scale)
	r.tickers[k.Last] = [2]venues.Level(levels)
	r.compare(k.Last)
}

func (r *recording) depth(d binanceDepth) {
	u := venues.NewBookUpdate()
	u.FirstSeq, u.LastSeq, u.PrevSeq = d.First, d.Last, d.Prev
	u.Bids, u.Asks = d.Bids.appendTo(r.t, u.Bids, r.scale), d.Asks.appendTo(r.t, u.Asks, r.scale)
	if r.begun {
		r.venue.apply(u.Bids, u.Asks)
	}
	r.machine.now = r.machine.now.Add(50 * time.Millisecond)
	r.machine.state.book.update(r.machine.now, u)
	r.machine.step()
	r.refill(d.Last)
	r.compare(d.Last)
}

// refill responds to a requested comparison.
func (r *recording) refill(seq uint64) {
	b := &r.machine.state.book
	if !b.check.running {
		return
	}
	b.checkLed(b.check.generation)
	u := venues.NewBookUpdate()
	u.Snapshot, u.LastSeq = true, seq
	u.Bids = append(u.Bids, top(r.venue.bids, +1, 1000)...)
	u.Asks = append(u.Asks, top(r.venue.asks, -1, 1000)...)
	b.checkSnapshot(r.machine.now, b.check.generation, u, nil)
	r.machine.step()
}

// compare compares the book, and the view that a subscriber built, with the venue's own
// best bid and ask of the same sequence number.
func (r *recording) compare(seq uint64) {
	b := &r.machine.state.book
	ticker, known := r.tickers[seq]
	if !known || b.phase != PhaseLive || b.seq != seq {
		return
	}
	bid, _ := b.book.bids.best()
	ask, _ := b.book.asks.best()
	if got := [2]venues.Level{bid, ask}; got != ticker {
		r.t.Errorf("at %d: book = %v, want the venue's %v", seq, got, ticker)
	}
	shown := append(top(r.reader.book.bids, +1, 1), top(r.reader.book.asks, -1, 1)...)
	if !slices.Equal(shown, ticker[:]) {
		r.t.Errorf("at %d: subscriber's book = %v, want the venue's %v", seq, shown, ticker)
	}
	delete(r.tickers, seq)
	r.matched++
}

// TestRecordedBinanceBookIsTheVenues replays a recording of Binance: there is no gap, and
// the best bid and ask agree at every sequence number that the book and the venue's book
// ticker have in common.
func TestRecordedBinanceBookIsTheVenues(t *testing.T) {
	for _, c := range []struct {
		name    string
		matched int
	}{
		{"binance/ws_btcusdt_depth0ms_trade_bookTicker_2024.real.gz", 629},
		{"binance/ws_btcusdt_slice6000_2024.real.log.gz", 49},
	} {
		t.Run(c.name, func(t *testing.T) {
			tape := &[]venues.BookMessage{}
			r := &recording{
				t: t, scale: venues.Scale{PriceDecimals: 1, QtyDecimals: 3}, machine: newMachine(true, false),
				venue: newMapBook(), reader: &shownBook{tape: tape, book: newMapBook()},
				ends: map[uint64]bool{}, tickers: map[uint64][2]venues.Level{},
			}
			r.survey(fixture(t, c.name))
			r.machine.state.encoder.encoder = tapeEncoder{tape}
			r.machine.state.start(r.machine.now)
			r.machine.attach("depth 20", venues.Topic{Kind: venues.TopicBook, Depth: 20}, r.reader)
			for _, line := range fixturetest.Lines(fixture(t, c.name)) {
				r.line(line)
			}
			count := r.machine.state.count
			t.Logf("%d updates, best bid and ask equal in all %d that line up; %d refills",
				count.updates.Load(), r.matched, count.checksMatched.Load())
			if r.machine.state.book.phase != PhaseLive || count.gaps.Load() != 0 || count.crossings.Load() != 0 || count.checksMismatched.Load() != 0 {
				t.Errorf("%s with %d gaps, %d crossings and %d mismatches, want live with none", r.machine.state.book.phase, count.gaps.Load(), count.crossings.Load(), count.checksMismatched.Load())
			}
			if r.matched < c.matched {
				t.Errorf("sequence numbers in common = %d, want at least %d", r.matched, c.matched)
			}
		})
	}
}
