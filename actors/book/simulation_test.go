package book

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/venues"
)

// simulation runs a state against a market.
type simulation struct {
	t       *rapid.T
	market  *market
	machine *machine
	readers []*reader

	fetch  []fetchSnapshot // requests and not answered
	timer  *armSync
	lead   []armCheck
	broken bool // the connection
	faults bool
}

func newSimulation(t *rapid.T) *simulation {
	s := &simulation{t: t, market: newMarket(t), faults: true}
	s.machine = newMachine(s.market.rest, false)
	tape := &[]venues.BookMessage{}
	s.machine.state.encoder.encoder = tapeEncoder{tape}
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

// settle ends a step, runs its effects and compares every reader's book.
func (s *simulation) settle() {
	m := s.machine
	m.state.publish(m.now)
	for _, e := range m.state.out.effects {
		switch e := e.(type) {
		case fetchSnapshot:
			s.fetch = append(s.fetch, e)
		case armSync:
			s.timer = &e
		case armCheck:
			s.lead = append(s.lead, e)
		case renewBook:
			if !s.market.rest {
				s.market.wire = nil
				s.market.sendSnapshot()
			}
		case fetchCandles, subscribe, unsubscribe, armCandles, armLinger, notifyHit, retire:
			// The book's readers stay; candles and prices have none.
		}
	}
	m.state.out.effects = nil
	m.step()
	for _, r := range s.readers {
		s.compare(r)
	}
}

// compare compares a reader's book with the reference book at the same sequence number.
// A view may be shorter if a REST snapshot was cut off, never different.
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
		s.t.Fatalf("the book is at %d, which the venue never was", state.book.seq)
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
	case action < 28:
		s.market.change()
	case action < 46:
		s.market.send()
	case action < 74:
		s.deliver()
	case action < 82:
		s.answer(rapid.IntRange(0, 8).Draw(s.t, "ago"))
	case action < 89:
		s.fire()
	case action < 90:
		s.machine.now = s.machine.now.Add(15 * time.Second)
	case action < 94:
		s.compareWithVenue()
	case action < 95:
		s.market.renumber()
	case action < 96 && !s.broken:
		s.breakDown()
	case s.broken:
		s.resume()
	case action < 97:
		s.resubscribe()
	}
}

// deliver delivers the next message, or a fault.
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
	if len(s.lead) > 0 {
		lead := s.lead[0]
		s.lead = s.lead[1:]
		s.machine.state.book.checkLed(lead.generation)
		s.settle()
		return
	}
	if s.timer == nil || s.broken {
		return
	}
	timer := s.timer
	s.timer = nil
	s.machine.now = s.machine.now.Add(timer.after)
	s.machine.state.book.due(s.machine.now, timer.generation)
	s.settle()
}

func (s *simulation) compareWithVenue() {
	s.machine.state.compare(s.machine.now)
	s.settle()
}

func (s *simulation) breakDown() {
	s.broken = true
	s.market.wire = nil
	s.machine.state.book.interrupted(s.machine.now)
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

// resubscribe unsubscribes one reader and subscribes it again.
func (s *simulation) resubscribe() {
	r := s.readers[rapid.IntRange(0, len(s.readers)-1).Draw(s.t, "reader")]
	name := topicOf(r.depth)
	s.machine.state.detach(s.machine.now, s.machine.subs[name])
	r.begun, r.live = false, false
	s.machine.attach(name, venues.Topic{Kind: venues.TopicBook, Depth: r.depth}, r)
	s.settle()
}

// heal ends the faults and checks that the book becomes live.
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
		s.t.Fatalf("after the faults the book is %s at %d of %d, want live", phase, s.machine.state.book.seq, s.market.id)
	}
}

// TestBookIsTheVenuesOrStale checks invariant I-9: whatever the stream loses, repeats or
// reorders, a subscriber that follows the rules has the venue's book of the published
// sequence number, or knows that it is stale.
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
			case venues.MessageSnapshot, venues.MessageUpdate: // neither is what must be reached
			}
		}
	})
	t.Logf("%d deltas, %d losses published, %d comparisons", deltas, stales, matched)
	// The few runs of -short may end without any comparison.
	if deltas == 0 || stales == 0 || (matched == 0 && !testing.Short()) {
		t.Error("the simulation does not cover the cases that it should")
	}
}
