package venuetest

import (
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var brokenFeedCases = []conformanceCase{
	{number: 209, name: "a cut connection interrupts, resumes and restarts the book", under: lively, run: feedReconnects},
	{number: 210, name: "a lost update is a gap in the sequence", under: lively, run: feedGap},
	{number: 211, name: "a duplicate update is detected as old", under: lively, run: feedDuplicate},
	{number: 212, name: "updates out of order are a gap in the sequence", under: lively, run: feedReorder},
	{number: 213, name: "a stalled stream is detected and reconnected", under: Conditions{Lively: true, SilenceMax: short}, run: feedStalled},
	{number: 214, name: "delayed updates are no gap", under: lively, run: feedDelay},
	{number: 215, name: "a connection that the venue drops is reconnected", under: lively, run: feedDropped},
	{number: 216, name: "a restart of the venue's sequence numbers does not break a book", needs: BookRestarts, under: lively, run: bookRestarts},
	{number: 217, name: "a rejected handshake of a public stream is repeated", under: lively, run: feedHandshakeRejected},
	{number: 218, name: "a renewed connection continues where the old one ended", needs: Renewal, under: Conditions{Lively: true, ConnLifetime: 200 * time.Millisecond}, run: feedRenews},
}

func (s *env) bookFault(do simcore.FaultAction, times int, args simcore.FaultArgs) {
	s.t.Helper()
	s.streamFault(do, s.harness.Wire.PublicStream, s.harness.Wire.BookTopic, times, args)
}

// runningBook opens a feed of a book and waits until it is updated.
func (s *env) runningBook() (*books, venues.Feed) {
	s.t.Helper()
	b, feed := s.feed(bookOf(symbol))
	s.awaitMore(b, symbol)
	return b, feed
}

// awaitResumed waits for an interruption of the book and its end, and until the book is
// complete again.
func (s *env) awaitResumed(b *books) {
	s.t.Helper()
	s.awaitBooks(b, "the interruption and its end", func(b *books) bool {
		return b.interrupted[bookOf(symbol)] > 0 && b.resumed[bookOf(symbol)] > b.interrupted[bookOf(symbol)]
	})
	s.awaitComplete(b)
}

// awaitComplete waits for the start of the book and for further updates.
func (s *env) awaitComplete(b *books) {
	s.t.Helper()
	s.loadSnapshot(b)
	s.awaitMore(b, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.of(symbol); k.gaps != 0 || !k.complete {
		s.t.Errorf("%s, want a complete book without gaps", b.summary())
	}
}

func feedReconnects(s *env) {
	b, _ := s.runningBook()
	s.streams.cut()
	s.awaitResumed(b)
}

// resubscribe subscribes a broken book again, as the service does.
func (s *env) resubscribe(b *books, feed venues.Feed) {
	s.t.Helper()
	feed.Unsubscribe(bookOf(symbol))
	var before int
	b.record(func() {
		b.of(symbol).invalidate()
		b.of(symbol).gaps = 0
		before = b.resumed[bookOf(symbol)]
	})
	feed.Subscribe(bookOf(symbol))
	s.awaitBooks(b, "the second subscription", func(b *books) bool { return b.resumed[bookOf(symbol)] > before })
	s.awaitComplete(b)
}

func feedGap(s *env) {
	b, feed := s.runningBook()
	s.bookFault(simcore.FaultGap, 1, simcore.FaultArgs{})
	s.awaitBooks(b, "the gap", func(b *books) bool { return b.of(symbol).gaps == 1 || b.interrupted[bookOf(symbol)] > 0 })
	s.resubscribe(b, feed)
}

func feedDuplicate(s *env) {
	b, _ := s.runningBook()
	s.bookFault(simcore.FaultDuplicate, 1, simcore.FaultArgs{})
	s.awaitBooks(b, "the old update", func(b *books) bool { return b.of(symbol).old == 1 })
	s.awaitMore(b, symbol)
	s.checkContinuous(b)
}

func feedReorder(s *env) {
	b, feed := s.runningBook()
	s.bookFault(simcore.FaultReorder, 1, simcore.FaultArgs{})
	s.awaitBooks(b, "the gap", func(b *books) bool { return b.of(symbol).gaps > 0 || b.interrupted[bookOf(symbol)] > 0 })
	s.resubscribe(b, feed)
}

func feedStalled(s *env) {
	b, _ := s.runningBook()
	s.bookFault(simcore.FaultStalled, 0, simcore.FaultArgs{})
	s.awaitBooks(b, "the interruption", func(b *books) bool { return b.interrupted[bookOf(symbol)] > 0 })
	s.sim.Control().ClearFaults()
	s.awaitBooks(b, "the end of the interruption", func(b *books) bool { return b.resumed[bookOf(symbol)] > 1 })
	s.awaitMore(b, symbol)
}

func feedDelay(s *env) {
	b, _ := s.runningBook()
	s.bookFault(simcore.FaultDelay, 3, simcore.FaultArgs{DelayMs: 100})
	began := time.Now()
	s.awaitBooks(b, "updates after the delay", func(*books) bool { return s.faultsApplied() == 3 && time.Since(began) > 100*time.Millisecond })
	s.awaitMore(b, symbol)
	s.checkContinuous(b)
}

func feedDropped(s *env) {
	b, _ := s.runningBook()
	s.bookFault(simcore.FaultDropConnection, 1, simcore.FaultArgs{})
	s.awaitResumed(b)
}

func bookRestarts(s *env) {
	b, _ := s.runningBook()
	s.sim.(BookRestarter).RestartBooks()
	s.awaitBooks(b, "a restart of the book", func(b *books) bool { return b.of(symbol).snapshots > 1 || b.of(symbol).restarts > 0 })
	s.awaitMore(b, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.of(symbol); k.gaps != 0 || !k.complete {
		s.t.Errorf("%s, want a complete book without gaps", b.summary())
	}
}

func feedHandshakeRejected(s *env) {
	s.fault(simcore.FaultStatus, Route{"GET", s.harness.Wire.PublicStream}, 2, simcore.FaultArgs{Status: 503})
	b, _ := s.feed(bookOf(symbol))
	s.awaitMore(b, symbol)
	s.checkFaults(2)
}

func feedRenews(s *env) {
	b, _ := s.feed(bookOf(symbol), venues.FeedTopic{Kind: venues.FeedTrades, Symbol: symbol})
	const connectionsMin = 3
	before := s.streams.connections()
	s.awaitBooks(b, "updates over several connections", func(b *books) bool {
		return b.of(symbol).updates > 25 && s.streams.connections() >= before+connectionsMin
	})
	s.checkContinuous(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := map[string]bool{}
	for _, trade := range b.trades {
		if seen[trade.ID] {
			s.t.Errorf("trade %s is published twice, want once", trade.ID)
		}
		seen[trade.ID] = true
	}
	if b.resumed[bookOf(symbol)] != 1 {
		s.t.Errorf("%s, want one start of the book", b.summary())
	}
}
