package venuetest

import (
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var brokenFeedCases = []conformanceCase{
	{number: 209, name: "a cut connection interrupts, resumes and begins the book anew", under: lively, run: feedReconnects},
	{number: 210, name: "a swallowed change shows in the sequence", under: lively, run: feedGap},
	{number: 211, name: "a change told twice is known as old", under: lively, run: feedDuplicate},
	{number: 212, name: "changes out of order show in the sequence", under: lively, run: feedReorder},
	{number: 213, name: "a mute stream is noticed and mended", under: Conditions{Lively: true, SilenceMax: short}, run: feedMute},
	{number: 214, name: "late changes are no gap", under: lively, run: feedDelay},
	{number: 215, name: "a connection that the venue drops is mended", under: lively, run: feedDropped},
	{number: 216, name: "a venue that numbers its books anew breaks none", needs: BookRestarts, under: lively, run: bookRestarts},
	{number: 217, name: "a venue that refuses the connection is asked again", under: lively, run: feedHandshakeRefused},
	{number: 218, name: "a renewed connection goes on where the old one stopped", needs: Renewal, under: Conditions{Lively: true, ConnLifetime: 200 * time.Millisecond}, run: feedRenews},
}

func (s *stage) bookFault(do simcore.FaultAction, times int, args simcore.FaultArgs) {
	s.t.Helper()
	s.streamFault(do, s.harness.Wire.PublicStream, s.harness.Wire.BookTopic, times, args)
}

// begun is a running book.
func (s *stage) begun() (*books, venues.Feed) {
	s.t.Helper()
	b, feed := s.feed(bookOf(symbol))
	s.more(b, symbol)
	return b, feed
}

// resumes waits for an interruption of the book and its end, and that the book is
// whole again after it.
func (s *stage) resumes(b *books) {
	s.t.Helper()
	s.hears(b, "interruption and return", func(b *books) bool {
		return b.interrupted[bookOf(symbol)] > 0 && b.resumed[bookOf(symbol)] > b.interrupted[bookOf(symbol)]
	})
	s.isWhole(b)
}

// isWhole waits for the book from its beginning on, and for more of it.
func (s *stage) isWhole(b *books) {
	s.t.Helper()
	s.begins(b)
	s.more(b, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.of(symbol); k.gaps != 0 || !k.whole {
		s.t.Errorf("%s", b.story())
	}
}

func feedReconnects(s *stage) {
	b, _ := s.begun()
	s.streams.cut()
	s.resumes(b)
}

// mends subscribes a broken book anew, as the service does.
func (s *stage) mends(b *books, feed venues.Feed) {
	s.t.Helper()
	feed.Unsubscribe(bookOf(symbol))
	var before int
	b.note(func() {
		b.of(symbol).lose()
		b.of(symbol).gaps = 0
		before = b.resumed[bookOf(symbol)]
	})
	feed.Subscribe(bookOf(symbol))
	s.hears(b, "the subscription anew", func(b *books) bool { return b.resumed[bookOf(symbol)] > before })
	s.isWhole(b)
}

func feedGap(s *stage) {
	b, feed := s.begun()
	s.bookFault(simcore.FaultGap, 1, simcore.FaultArgs{})
	s.hears(b, "the gap", func(b *books) bool { return b.of(symbol).gaps == 1 || b.interrupted[bookOf(symbol)] > 0 })
	s.mends(b, feed)
}

func feedDuplicate(s *stage) {
	b, _ := s.begun()
	s.bookFault(simcore.FaultDuplicate, 1, simcore.FaultArgs{})
	s.hears(b, "the old update", func(b *books) bool { return b.of(symbol).old == 1 })
	s.more(b, symbol)
	s.continuous(b)
}

func feedReorder(s *stage) {
	b, feed := s.begun()
	s.bookFault(simcore.FaultReorder, 1, simcore.FaultArgs{})
	s.hears(b, "the gap", func(b *books) bool { return b.of(symbol).gaps > 0 || b.interrupted[bookOf(symbol)] > 0 })
	s.mends(b, feed)
}

func feedMute(s *stage) {
	b, _ := s.begun()
	s.bookFault(simcore.FaultStalled, 0, simcore.FaultArgs{})
	s.hears(b, "the interruption", func(b *books) bool { return b.interrupted[bookOf(symbol)] > 0 })
	s.sim.Control().ClearFaults()
	s.hears(b, "the return", func(b *books) bool { return b.resumed[bookOf(symbol)] > 1 })
	s.more(b, symbol)
}

func feedDelay(s *stage) {
	b, _ := s.begun()
	s.bookFault(simcore.FaultDelay, 3, simcore.FaultArgs{DelayMs: 100})
	began := time.Now()
	s.hears(b, "updates after the delay", func(*books) bool { return s.struck() == 3 && time.Since(began) > 100*time.Millisecond })
	s.more(b, symbol)
	s.continuous(b)
}

func feedDropped(s *stage) {
	b, _ := s.begun()
	s.bookFault(simcore.FaultDropConnection, 1, simcore.FaultArgs{})
	s.resumes(b)
}

func bookRestarts(s *stage) {
	b, _ := s.begun()
	s.sim.(BookRestarter).RestartBooks()
	s.hears(b, "a second beginning", func(b *books) bool { return b.of(symbol).snapshots > 1 || b.of(symbol).restarts > 0 })
	s.more(b, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.of(symbol); k.gaps != 0 || !k.whole {
		s.t.Errorf("%s", b.story())
	}
}

func feedHandshakeRefused(s *stage) {
	s.fault(simcore.FaultStatus, Route{"GET", s.harness.Wire.PublicStream}, 2, simcore.FaultArgs{Status: 503})
	b, _ := s.feed(bookOf(symbol))
	s.more(b, symbol)
	if s.struck() != 2 {
		s.t.Errorf("%d attempts were refused", s.struck())
	}
}

func feedRenews(s *stage) {
	b, _ := s.feed(bookOf(symbol), venues.FeedTopic{Kind: venues.FeedTrades, Symbol: symbol})
	const connectionsMin = 3
	before := s.streams.connections()
	s.hears(b, "updates over several connections", func(b *books) bool {
		return b.of(symbol).updates > 25 && s.streams.connections() >= before+connectionsMin
	})
	s.continuous(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := map[string]bool{}
	for _, trade := range b.trades {
		if seen[trade.ID] {
			s.t.Errorf("trade %s twice", trade.ID)
		}
		seen[trade.ID] = true
	}
	if b.resumed[bookOf(symbol)] != 1 {
		s.t.Errorf("%s", b.story())
	}
}
