package venuetest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"venuegate/venues"
)

// books is a feed sink that maintains books as the service does, and counts events.
type books struct {
	wake chan struct{}

	mu          sync.Mutex
	books       map[string]*bookState
	trades      []venues.Trade
	candles     []venues.Candle
	marks       []venues.MarkPrice
	interrupted map[venues.FeedTopic]int
	resumed     map[venues.FeedTopic]int
	causes      []error
}

// bookState is one book with what its sequence showed.
type bookState struct {
	bids, asks map[int64]int64
	last       uint64
	// complete reports whether the book began with a snapshot and has no gap since.
	complete                      bool
	updates, snapshots, gaps, old int
	// restarts counts updates that follow the previous one with a lower number.
	restarts int
	// buffered are the updates since the last start or loss of a book without a
	// snapshot: the stream continues while one is read.
	buffered []venues.BookUpdate
}

func newBooks() *books {
	return &books{
		wake: make(chan struct{}, 1), books: map[string]*bookState{},
		interrupted: map[venues.FeedTopic]int{}, resumed: map[venues.FeedTopic]int{},
	}
}

func (b *books) record(what func()) {
	b.mu.Lock()
	what()
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// of returns the book of a symbol. The lock is held.
func (b *books) of(symbol string) *bookState {
	k := b.books[symbol]
	if k == nil {
		k = &bookState{bids: map[int64]int64{}, asks: map[int64]int64{}}
		b.books[symbol] = k
	}
	return k
}

func (b *books) Book(u *venues.BookUpdate) {
	defer u.Release()
	b.record(func() { b.of(u.Symbol).receive(u) })
}

func (k *bookState) receive(u *venues.BookUpdate) {
	k.updates++
	if !u.Snapshot && !k.complete {
		kept := *u
		kept.Bids, kept.Asks = slices.Clone(u.Bids), slices.Clone(u.Asks)
		k.buffered = append(k.buffered, kept)
	}
	k.apply(u)
}

// joinSnapshot starts the book with a snapshot and applies the buffered updates after
// it.
func (k *bookState) joinSnapshot(s *venues.BookUpdate) {
	clear(k.bids)
	clear(k.asks)
	set(k.bids, s.Bids)
	set(k.asks, s.Asks)
	k.last, k.complete = s.LastSeq, true
	for n := range k.buffered {
		if u := &k.buffered[n]; u.LastSeq > s.LastSeq {
			k.apply(u)
		}
	}
	k.buffered = nil
}

// invalidate discards the book until the next snapshot.
func (k *bookState) invalidate() { k.complete, k.last, k.buffered = false, 0, nil }

// apply applies an update to the book and counts its errors.
func (k *bookState) apply(u *venues.BookUpdate) {
	switch {
	case u.Snapshot:
		k.snapshots++
		clear(k.bids)
		clear(k.asks)
		k.complete = true
	case k.last != 0 && u.PrevSeq != k.last && u.LastSeq <= k.last && u.PrevSeq < u.LastSeq:
		k.old++ // received before
		return
	case k.last != 0 && u.PrevSeq != k.last && (u.FirstSeq > k.last || u.FirstSeq == 0):
		k.gaps++
		k.complete = false
	case k.last != 0 && u.LastSeq < k.last:
		k.restarts++
	}
	k.last = u.LastSeq
	set(k.bids, u.Bids)
	set(k.asks, u.Asks)
}

func set(side map[int64]int64, levels []venues.Level) {
	for _, l := range levels {
		if l.Qty == 0 {
			delete(side, l.Price)
		} else {
			side[l.Price] = l.Qty
		}
	}
}

func (b *books) Trade(t venues.Trade)    { b.record(func() { b.trades = append(b.trades, t) }) }
func (b *books) Candle(c venues.Candle)  { b.record(func() { b.candles = append(b.candles, c) }) }
func (b *books) Mark(m venues.MarkPrice) { b.record(func() { b.marks = append(b.marks, m) }) }

func (b *books) Interrupted(channels []venues.FeedTopic, cause error) {
	b.record(func() {
		b.causes = append(b.causes, cause)
		for _, c := range channels {
			b.interrupted[c]++
			if c.Kind == venues.FeedBook {
				b.of(c.Symbol).invalidate()
			}
		}
	})
}

func (b *books) Resumed(channels []venues.FeedTopic) {
	b.record(func() {
		for _, c := range channels {
			b.resumed[c]++
			// Earlier updates belong to a subscription that has ended.
			if c.Kind == venues.FeedBook && !b.of(c.Symbol).complete {
				b.of(c.Symbol).invalidate()
			}
		}
	})
}

// top returns the best levels of a side, best first.
func top(side map[int64]int64, best func(a, b int64) int, most int) []venues.Level {
	prices := slices.SortedFunc(maps.Keys(side), best)
	levels := make([]venues.Level, 0, most)
	for _, price := range prices[:min(most, len(prices))] {
		levels = append(levels, venues.Level{Price: price, Qty: side[price]})
	}
	return levels
}

func falling(a, b int64) int { return int(b - a) }
func rising(a, b int64) int  { return int(a - b) }

// awaitBooks waits until done returns true, which is called under the lock of b.
func (s *env) awaitBooks(b *books, what string, done func(*books) bool) {
	s.t.Helper()
	late := time.After(waitMax)
	for {
		b.mu.Lock()
		ok := done(b)
		b.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-b.wake:
		case <-late:
			b.mu.Lock()
			defer b.mu.Unlock()
			s.t.Fatalf("timeout, want %s; %s", what, b.summary())
		}
	}
}

func (b *books) summary() string {
	text := fmt.Sprintf("%d trades, %d candles, %d marks, interrupted %v, resumed %v, causes %v", len(b.trades), len(b.candles), len(b.marks), b.interrupted, b.resumed, b.causes)
	for symbol, k := range b.books {
		text += fmt.Sprintf(", %s: %d updates, %d snapshots, %d gaps, %d old", symbol, k.updates, k.snapshots, k.gaps, k.old)
	}
	return text
}

// awaitMore waits for three further updates of a book.
func (s *env) awaitMore(b *books, symbol string) {
	s.t.Helper()
	before := -1
	s.awaitBooks(b, "updates of "+symbol, func(b *books) bool {
		if before < 0 {
			before = b.of(symbol).updates
		}
		return b.of(symbol).updates > before+2
	})
}

// feed opens a public feed and waits until all topics are subscribed.
func (s *env) feed(channels ...venues.FeedTopic) (*books, venues.Feed) {
	s.t.Helper()
	b := newBooks()
	feed := s.connector.OpenFeed(b)
	s.t.Cleanup(feed.Close)
	feed.Subscribe(channels...)
	s.awaitBooks(b, "every subscription", func(b *books) bool { return len(b.resumed) == len(channels) })
	return b, feed
}

func bookOf(symbol string) venues.FeedTopic {
	return venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol}
}
