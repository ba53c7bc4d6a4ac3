package book

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/venues"
)

// mapBook is the naive book: two maps.
type mapBook struct{ bids, asks map[int64]int64 }

func newMapBook() mapBook { return mapBook{bids: map[int64]int64{}, asks: map[int64]int64{}} }

func (b mapBook) clone() mapBook { return mapBook{maps.Clone(b.bids), maps.Clone(b.asks)} }

func (b mapBook) apply(bids, asks []venues.Level) {
	set := func(side map[int64]int64, levels []venues.Level) {
		for _, l := range levels {
			if l.Qty == 0 {
				delete(side, l.Price)
			} else {
				side[l.Price] = l.Qty
			}
		}
	}
	set(b.bids, bids)
	set(b.asks, asks)
}

// top is the first n levels of a side, best first.
func top(side map[int64]int64, sign int64, n int) []venues.Level {
	levels := make([]venues.Level, 0, len(side))
	for price, qty := range side {
		levels = append(levels, venues.Level{Price: price, Qty: qty})
	}
	slices.SortFunc(levels, func(a, b venues.Level) int { return cmp.Compare(sign*b.Price, sign*a.Price) })
	return levels[:min(n, len(levels))]
}

// tapeEncoder keeps the messages and writes their numbers as bytes.
type tapeEncoder struct{ books *[]venues.BookMessage }

func (e tapeEncoder) AppendBook(dst []byte, m *venues.BookMessage) []byte {
	kept := *m
	kept.Bids, kept.Asks = slices.Clone(m.Bids), slices.Clone(m.Asks)
	*e.books = append(*e.books, kept)
	return binary.BigEndian.AppendUint32(dst, uint32(len(*e.books)-1))
}

func (tapeEncoder) AppendTrade(dst []byte, _ *venues.TradeMessage) []byte   { return dst }
func (tapeEncoder) AppendCandle(dst []byte, _ *venues.CandleMessage) []byte { return dst }

// reader is a client that builds its book from frames by the documented rules.
type reader struct {
	t     *rapid.T
	depth int
	tape  *[]venues.BookMessage
	book  mapBook
	seq   uint64
	begun bool
	live  bool
}

// Deliver implements venues.FrameSink.
func (r *reader) Deliver(f venues.Frame) {
	m := (*r.tape)[binary.BigEndian.Uint32(f.Bytes)]
	if f.Seq != m.Seq || f.Snapshot != (m.Type == venues.MessageSnapshot) {
		r.t.Fatalf("frame %+v does not match its message %+v", f, m)
	}
	if r.begun && f.Seq != r.seq+1 && !(f.Snapshot && f.Seq == r.seq) {
		r.t.Fatalf("depth %d: seq %d after %d", r.depth, f.Seq, r.seq)
	}
	switch m.Type {
	case venues.MessageSnapshot:
		r.book, r.live, r.begun = newMapBook(), true, true
		r.book.apply(m.Bids, m.Asks)
	case venues.MessageDelta:
		if !r.live {
			r.t.Fatalf("depth %d: delta without a snapshot", r.depth)
		}
		if len(m.Bids)+len(m.Asks) == 0 {
			r.t.Fatalf("depth %d: empty delta", r.depth)
		}
		r.book.apply(m.Bids, m.Asks)
	case venues.MessageStale:
		if !r.live {
			r.t.Fatalf("depth %d: stale twice", r.depth)
		}
		r.live = false
	default:
		r.t.Fatalf("unexpected %s", m.Type)
	}
	r.seq = f.Seq
}

// market is a venue with one book, a stream that may lose, repeat and reorder
// messages, and snapshots by REST or in the stream.
type market struct {
	t         *rapid.T
	rest      bool
	restLimit int
	prices    int64 // price range of one side

	truth   mapBook
	mid     int64
	id      uint64             // of the last change
	used    map[uint64]bool    // ids
	history map[uint64]mapBook // the book at each id
	order   []uint64           // ids in the order of time
	told    uint64             // LastSeq of the last message sent
	batch   venues.BookUpdate  // changes not sent yet
	first   uint64             // id of the first of them
	wire    []*venues.BookUpdate
}

func newMarket(t *rapid.T) *market {
	m := &market{
		t: t, rest: rapid.Bool().Draw(t, "rest"),
		truth: newMapBook(), mid: 1000, used: map[uint64]bool{}, history: map[uint64]mapBook{},
	}
	m.restLimit, m.prices = 1000, 30
	if rapid.IntRange(0, 9).Draw(t, "deep") == 0 {
		m.restLimit, m.prices = DepthMax+10, DepthMax+100
		for i := range m.prices {
			m.truth.bids[m.mid-1-i], m.truth.asks[m.mid+1+i] = 1, 1
		}
	}
	m.id = 100
	m.remember()
	m.told = m.id
	return m
}

func (m *market) remember() {
	m.used[m.id] = true
	m.history[m.id] = m.truth.clone()
	m.order = append(m.order, m.id)
}

// change makes one change of the book under a new id.
func (m *market) change() {
	t := m.t
	for m.id++; m.used[m.id]; m.id++ {
	}
	if len(m.batch.Bids)+len(m.batch.Asks) == 0 {
		m.first = m.id
	}
	if rapid.IntRange(0, 9).Draw(t, "move") == 0 {
		m.mid += rapid.Int64Range(-5, 5).Draw(t, "by")
		for _, l := range top(m.truth.bids, +1, len(m.truth.bids)) {
			if l.Price >= m.mid {
				m.set(+1, l.Price, 0)
			}
		}
		for _, l := range top(m.truth.asks, -1, len(m.truth.asks)) {
			if l.Price <= m.mid {
				m.set(-1, l.Price, 0)
			}
		}
	}
	for range rapid.IntRange(1, 4).Draw(t, "levels") {
		sign := int64(1 - 2*rapid.IntRange(0, 1).Draw(t, "side"))
		away := rapid.Int64Range(1, m.prices).Draw(t, "away")
		m.set(sign, m.mid-sign*away, rapid.Int64Range(0, 3).Draw(t, "qty"))
	}
	m.remember()
}

func (m *market) set(sign, price, qty int64) {
	level := []venues.Level{{Price: price, Qty: qty}}
	if sign > 0 {
		m.truth.apply(level, nil)
		m.batch.Bids = append(m.batch.Bids, level...)
	} else {
		m.truth.apply(nil, level)
		m.batch.Asks = append(m.batch.Asks, level...)
	}
}

// send puts the changes since the last message on the wire.
func (m *market) send() {
	u := venues.NewBookUpdate()
	u.PrevSeq, u.FirstSeq, u.LastSeq = m.told, m.first, m.id
	if len(m.batch.Bids)+len(m.batch.Asks) == 0 {
		u.FirstSeq = m.id // a heartbeat
	}
	u.Bids, u.Asks = append(u.Bids, m.batch.Bids...), append(u.Asks, m.batch.Asks...)
	m.batch = venues.BookUpdate{}
	m.told = m.id
	m.wire = append(m.wire, u)
}

// renumber lets the next ids be lower than the last, as a venue does after
// maintenance; no id is ever used twice.
func (m *market) renumber() {
	if !m.rest && m.id > 60 {
		m.send()
		m.id -= 50
		m.change()
	}
}

// snapshot is the book as it was some changes ago.
func (m *market) snapshot(ago int) *venues.BookUpdate {
	id := m.order[max(0, len(m.order)-1-ago)]
	u := venues.NewBookUpdate()
	u.Snapshot, u.LastSeq = true, id
	u.Bids = append(u.Bids, top(m.history[id].bids, +1, m.restLimit)...)
	u.Asks = append(u.Asks, top(m.history[id].asks, -1, m.restLimit)...)
	return u
}

// sendSnapshot is the stream's own.
func (m *market) sendSnapshot() {
	m.send()
	full := *m
	full.restLimit = len(m.truth.bids) + len(m.truth.asks)
	m.wire = append(m.wire, full.snapshot(0))
}

// simulation runs a state against a market.
type simulation struct {
	t       *rapid.T
	market  *market
	machine *machine
	readers []*reader

	fetch   []fetchSnapshot // asked and not answered
	timer   *armSync
	broken  bool // the connection
	faults  bool
	batched bool
}

func newSimulation(t *rapid.T) *simulation {
	s := &simulation{t: t, market: newMarket(t), faults: true}
	s.machine = newMachine(s.market.rest, false)
	tape := &[]venues.BookMessage{}
	s.machine.state.press.encoder = tapeEncoder{tape}
	s.machine.state.start(s.machine.now)
	for _, depth := range []int{1, 5, 20, 200} {
		r := &reader{t: t, depth: depth, tape: tape}
		s.readers = append(s.readers, r)
		s.machine.attach(topicOf(depth), venues.Topic{Kind: venues.TopicBook, Depth: depth}, r)
	}
	s.settle()
	if !s.market.rest {
		s.market.sendSnapshot()
	}
	return s
}

func topicOf(depth int) string {
	return venues.Topic{Kind: venues.TopicBook, Venue: venues.Binance, Symbol: "BTCUSDT", Depth: depth}.String()
}

// settle ends a step, takes up its effects and compares every reader's book.
func (s *simulation) settle() {
	m := s.machine
	m.state.publish(m.now)
	for _, e := range m.state.out.effects {
		switch e := e.(type) {
		case fetchSnapshot:
			s.fetch = append(s.fetch, e)
		case armSync:
			s.timer = &e
		case renewBook:
			if !s.market.rest {
				s.market.wire = nil
				s.market.sendSnapshot()
			}
		}
	}
	m.state.out.effects = nil
	m.step()
	for _, r := range s.readers {
		s.compare(r)
	}
}

// compare holds a reader's book against the naive one at the same sequence. A
// view may be shorter where a REST snapshot was cut off, never different.
func (s *simulation) compare(r *reader) {
	state := s.machine.state
	if r.live != (state.book.phase == PhaseLive) {
		s.t.Fatalf("depth %d: reader live %t, book %s", r.depth, r.live, state.book.phase)
	}
	if !r.live {
		return
	}
	truth, known := s.market.history[state.book.seq]
	if !known {
		s.t.Fatalf("the book stands at %d, where the venue never was", state.book.seq)
	}
	for _, side := range []struct {
		shown, truth map[int64]int64
		sign         int64
	}{{r.book.bids, truth.bids, +1}, {r.book.asks, truth.asks, -1}} {
		shown, truth := top(side.shown, side.sign, r.depth+1), top(side.truth, side.sign, r.depth)
		if s.market.restLimit < DepthMax+100 && len(shown) < len(truth) {
			truth = truth[:len(shown)]
		}
		if !slices.Equal(shown, truth) {
			s.t.Fatalf("depth %d at seq %d:\nshown %v\ntruth %v", r.depth, state.book.seq, shown, truth)
		}
	}
}

func (s *simulation) step() {
	switch action := rapid.IntRange(0, 99).Draw(s.t, "action"); {
	case action < 30:
		s.market.change()
	case action < 50:
		s.market.send()
	case action < 80:
		s.deliver()
	case action < 86:
		s.answer(rapid.IntRange(0, 8).Draw(s.t, "ago"))
	case action < 90:
		s.fire()
	case action < 92:
		s.machine.now = s.machine.now.Add(15 * time.Second)
	case action < 93:
		s.machine.state.compare(s.machine.now)
		s.settle()
	case action < 94:
		s.market.renumber()
	case action < 95 && !s.broken:
		s.broken = true
		s.market.wire = nil
		s.machine.state.book.interrupted(s.machine.now)
		s.settle()
	case s.broken:
		s.resume()
	case action < 96:
		s.resubscribe()
	}
}

// deliver brings the next message, or something worse.
func (s *simulation) deliver() {
	if len(s.market.wire) == 0 || s.broken {
		return
	}
	fault := 0
	if s.faults {
		fault = rapid.IntRange(0, 40).Draw(s.t, "fault")
	}
	u := s.market.wire[0]
	s.market.wire = s.market.wire[1:]
	switch fault {
	case 1: // lost
		u.Release()
		return
	case 2: // twice
		twin := venues.NewBookUpdate()
		bids, asks := append(twin.Bids, u.Bids...), append(twin.Asks, u.Asks...)
		*twin = *u
		twin.Bids, twin.Asks = bids, asks
		s.market.wire = slices.Insert(s.market.wire, rapid.IntRange(0, min(2, len(s.market.wire))).Draw(s.t, "later"), twin)
	case 3: // late
		s.market.wire = slices.Insert(s.market.wire, min(1, len(s.market.wire)), u)
		return
	case 4: // lost by ourselves
		u.Release()
		s.machine.state.book.overrun(s.machine.now)
		s.settle()
		return
	}
	s.machine.state.book.update(s.machine.now, u)
	if rapid.IntRange(0, 3).Draw(s.t, "batch") > 0 {
		s.settle()
	}
}

func (s *simulation) answer(ago int) {
	if len(s.fetch) == 0 {
		return
	}
	f := s.fetch[0]
	s.fetch = s.fetch[1:]
	if f.check {
		s.machine.state.book.checkSnapshot(s.machine.now, f.generation, s.market.snapshot(ago), nil)
	} else {
		s.machine.state.book.snapshot(s.machine.now, f.generation, s.market.snapshot(ago), nil)
	}
	s.settle()
}

func (s *simulation) fire() {
	if s.timer == nil || s.broken {
		return
	}
	timer := s.timer
	s.timer = nil
	s.machine.now = s.machine.now.Add(timer.after)
	s.machine.state.book.due(s.machine.now, timer.generation)
	s.settle()
}

func (s *simulation) resume() {
	s.broken = false
	s.machine.state.book.resumed()
	if !s.market.rest {
		s.market.sendSnapshot()
	}
	s.settle()
}

// resubscribe lets one reader go and come back.
func (s *simulation) resubscribe() {
	r := s.readers[rapid.IntRange(0, len(s.readers)-1).Draw(s.t, "reader")]
	name := topicOf(r.depth)
	s.machine.state.detach(s.machine.now, s.machine.subs[name])
	r.begun, r.live = false, false
	s.machine.attach(name, venues.Topic{Kind: venues.TopicBook, Depth: r.depth}, r)
	s.settle()
}

// heal ends the faults and demands that the book comes back.
func (s *simulation) heal() {
	s.faults = false
	if s.broken {
		s.resume()
	}
	for range 50 {
		s.market.change()
		s.market.send()
		for len(s.market.wire) > 0 {
			s.deliver()
		}
		s.settle()
		s.answer(0)
		if s.machine.state.book.phase != PhaseLive {
			s.fire()
		}
	}
	if phase := s.machine.state.book.phase; phase != PhaseLive || s.machine.state.book.seq != s.market.id {
		s.t.Fatalf("healed, but the book is %s at %d of %d", phase, s.machine.state.book.seq, s.market.id)
	}
}

// TestBookIsTheVenuesOrStale is promise I-9: whatever the stream loses, repeats
// or reorders, a subscriber who goes by the rules holds the venue's book of the
// sequence at which it is shown, or knows that it is stale.
func TestBookIsTheVenuesOrStale(t *testing.T) {
	var deltas, stales, matched uint64
	rapid.Check(t, func(t *rapid.T) {
		s := newSimulation(t)
		for range 300 {
			s.step()
		}
		s.heal()
		count := s.machine.state.count
		if n := count.checksMismatched.Load(); n > 0 {
			t.Fatalf("%d comparisons with an honest venue disagreed", n)
		}
		matched += count.checksMatched.Load()
		for _, m := range *s.readers[0].tape {
			switch m.Type {
			case venues.MessageDelta:
				deltas++
			case venues.MessageStale:
				stales++
			}
		}
	})
	t.Logf("%d deltas, %d losses told, %d comparisons", deltas, stales, matched)
	if deltas == 0 || stales == 0 || matched == 0 {
		t.Error("the simulation does not reach what it is to prove")
	}
}

// TestLadderIsAMap holds one side against a map, beyond what a book would do.
func TestLadderIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sign := int64(1 - 2*rapid.IntRange(0, 1).Draw(t, "side"))
		l, naive := newLadder(sign), map[int64]int64{}
		for range rapid.IntRange(1, 300).Draw(t, "changes") {
			level := venues.Level{Price: rapid.Int64Range(1, 60).Draw(t, "price"), Qty: rapid.Int64Range(0, 3).Draw(t, "qty")}
			l.set(level)
			mapBook{naive, naive}.apply([]venues.Level{level}, nil)
			if got, want := l.top(nil, DepthMax), top(naive, sign, DepthMax); !slices.Equal(got, want) {
				t.Fatalf("after %v: %v, want %v", level, got, want)
			}
		}
	})
}

// TestLadderIsBounded: far levels make room, and are not known any more.
func TestLadderIsBounded(t *testing.T) {
	l := newLadder(+1)
	for price := range int64(levelsMax + 1) {
		l.set(venues.Level{Price: price + 1, Qty: 1})
	}
	if len(l.levels) != levelsKept || l.thin() {
		t.Fatalf("%d levels kept, thin %t", len(l.levels), l.thin())
	}
	worst := l.levels[0].Price
	l.set(venues.Level{Price: worst - 1, Qty: 1})
	if len(l.levels) != levelsKept {
		t.Error("a level beyond the known ones was kept")
	}
	for price := range int64(levelsMax + 1) {
		if price+1 > worst+DepthMax-2 {
			l.set(venues.Level{Price: price + 1})
		}
	}
	if !l.thin() {
		t.Errorf("not thin with %d levels", len(l.levels))
	}
}
