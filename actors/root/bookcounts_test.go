package root_test

import (
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/actors/book"
	"venuegate/actors/root"
	"venuegate/venues"
)

// The counters of a book are kept when it ends, and the next book of its symbol adds to
// them.
func TestBookCountersAreKept(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		s := newScripted(true, 1)
		exchange, child := root.MarketData(k.System, s, root.MarketOptions{Encoder: jsonFrames{}, CheckEvery: -1})
		k.Start(child)
		for round := range uint64(3) {
			loseAMessage(k, s, exchange)
			during := exchange.BookSummary()
			if during.Gaps != round+1 || during.Resyncs != round+1 || during.Snapshots != 2*(round+1) || during.Phases[book.PhaseLive] != 1 {
				t.Errorf("round %d: summary = %+v, want %d gaps and a live book", round, during, round+1)
			}
			k.Advance(time.Minute)
			if after := exchange.BookSummary(); after != (book.Summary{Counts: during.Counts}) {
				t.Errorf("round %d: summary without the book = %+v, want the counts %+v", round, after, during.Counts)
			}
		}
	})
}

// loseAMessage subscribes to a book, makes it see a gap and resync, and ends the
// subscription.
func loseAMessage(k *actortest.Kit, s *scripted, exchange *root.Exchange) {
	f := &follower{t: k.T, depth: 5, counts: map[venues.MessageType]int{}}
	topic := venues.Topic{Kind: venues.TopicBook, Venue: venues.Binance, Symbol: "BTCUSDT", Depth: f.depth}
	sub, err := exchange.Subscribe(k.T.Context(), topic, f)
	if err != nil {
		k.T.Fatal(err)
	}
	k.Settle()
	for n := range 3 { // the snapshot, an update that is lost, one that shows it
		if n > 0 {
			s.change()
		}
		s.mu.Lock()
		s.flush()
		s.mu.Unlock()
		if u := s.next(); n == 1 {
			u.Release()
		} else {
			s.pass(u, false)
		}
		k.Settle()
	}
	s.pass(s.next(), false) // the snapshot that the book has requested
	k.Settle()
	sub.Close()
	k.Settle()
	if f.counts[venues.MessageSnapshot] != 2 || f.counts[venues.MessageStale] != 1 {
		k.T.Errorf("messages = %v, want two snapshots and one stale", f.counts)
	}
}
