package venuetest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"venuegate/venues"
)

// books is a feed sink that keeps books the way the service does, and counts.
type books struct {
	wake chan struct{}

	mu          sync.Mutex
	books       map[string]*keptBook
	trades      []venues.Trade
	candles     []venues.Candle
	marks       []venues.MarkPrice
	interrupted map[venues.FeedTopic]int
	resumed     map[venues.FeedTopic]int
	causes      []error
}

// keptBook is one book with what its sequence was worth.
type keptBook struct {
	bids, asks map[int64]int64
	last       uint64
	// whole says that the book began with a snapshot and has no gap since.
	whole                         bool
	updates, snapshots, gaps, old int
	// restarts counts updates that follow the one before and are numbered lower.
	restarts int
	// unjoined is what came since the last beginning or loss of a book that has no
	// snapshot yet: the stream runs on while one is read.
	unjoined []venues.BookUpdate
}

func newBooks() *books {
	return &books{
		wake: make(chan struct{}, 1), books: map[string]*keptBook{},
		interrupted: map[venues.FeedTopic]int{}, resumed: map[venues.FeedTopic]int{},
	}
}

func (b *books) note(what func()) {
	b.mu.Lock()
	what()
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// of is a symbol's book; the lock is held.
func (b *books) of(symbol string) *keptBook {
	k := b.books[symbol]
	if k == nil {
		k = &keptBook{bids: map[int64]int64{}, asks: map[int64]int64{}}
		b.books[symbol] = k
	}
	return k
}

func (b *books) Book(u *venues.BookUpdate) {
	defer u.Release()
	b.note(func() { b.of(u.Symbol).take(u) })
}

func (k *keptBook) take(u *venues.BookUpdate) {
	k.updates++
	if !u.Snapshot && !k.whole {
		kept := *u
		kept.Bids, kept.Asks = slices.Clone(u.Bids), slices.Clone(u.Asks)
		k.unjoined = append(k.unjoined, kept)
	}
	k.follow(u)
}

// join begins the book with a snapshot and goes on with what the stream brought
// past it meanwhile.
func (k *keptBook) join(s *venues.BookUpdate) {
	clear(k.bids)
	clear(k.asks)
	set(k.bids, s.Bids)
	set(k.asks, s.Asks)
	k.last, k.whole = s.LastSeq, true
	for n := range k.unjoined {
		if u := &k.unjoined[n]; u.LastSeq > s.LastSeq {
			k.follow(u)
		}
	}
	k.unjoined = nil
}

// lose says that the book must begin anew.
func (k *keptBook) lose() { k.whole, k.last, k.unjoined = false, 0, nil }

// follow applies an update to the book, or counts what is wrong with it.
func (k *keptBook) follow(u *venues.BookUpdate) {
	switch {
	case u.Snapshot:
		k.snapshots++
		clear(k.bids)
		clear(k.asks)
		k.whole = true
	case k.last != 0 && u.PrevSeq != k.last && u.LastSeq <= k.last && u.PrevSeq < u.LastSeq:
		k.old++ // told before
		return
	case k.last != 0 && u.PrevSeq != k.last && (u.FirstSeq > k.last || u.FirstSeq == 0):
		k.gaps++
		k.whole = false
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

func (b *books) Trade(t venues.Trade)    { b.note(func() { b.trades = append(b.trades, t) }) }
func (b *books) Candle(c venues.Candle)  { b.note(func() { b.candles = append(b.candles, c) }) }
func (b *books) Mark(m venues.MarkPrice) { b.note(func() { b.marks = append(b.marks, m) }) }

func (b *books) Interrupted(channels []venues.FeedTopic, cause error) {
	b.note(func() {
		b.causes = append(b.causes, cause)
		for _, c := range channels {
			b.interrupted[c]++
			if c.Kind == venues.FeedBook {
				b.of(c.Symbol).lose()
			}
		}
	})
}

func (b *books) Resumed(channels []venues.FeedTopic) {
	b.note(func() {
		for _, c := range channels {
			b.resumed[c]++
			// What came before is of a subscription that has ended.
			if c.Kind == venues.FeedBook && !b.of(c.Symbol).whole {
				b.of(c.Symbol).lose()
			}
		}
	})
}

// top is the best levels of a side, best first.
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

// hears waits until done likes what the feed brought; it runs under the lock.
func (s *stage) hears(b *books, what string, done func(*books) bool) {
	s.t.Helper()
	late := time.After(patience)
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
			s.t.Fatalf("%s did not come; %s", what, b.story())
		}
	}
}

func (b *books) story() string {
	text := fmt.Sprintf("%d trades, %d candles, %d marks, interrupted %v, resumed %v, causes %v", len(b.trades), len(b.candles), len(b.marks), b.interrupted, b.resumed, b.causes)
	for symbol, k := range b.books {
		text += fmt.Sprintf(", %s: %d updates, %d snapshots, %d gaps, %d old", symbol, k.updates, k.snapshots, k.gaps, k.old)
	}
	return text
}

// more waits for some further updates of a book.
func (s *stage) more(b *books, symbol string) {
	s.t.Helper()
	before := -1
	s.hears(b, "more of "+symbol, func(b *books) bool {
		if before < 0 {
			before = b.of(symbol).updates
		}
		return b.of(symbol).updates > before+2
	})
}

// feed opens a public feed of channels and waits until all are subscribed.
func (s *stage) feed(channels ...venues.FeedTopic) (*books, venues.Feed) {
	s.t.Helper()
	b := newBooks()
	feed := s.connector.OpenFeed(b)
	s.t.Cleanup(feed.Close)
	feed.Subscribe(channels...)
	s.hears(b, "every subscription", func(b *books) bool { return len(b.resumed) == len(channels) })
	return b, feed
}

func bookOf(symbol string) venues.FeedTopic {
	return venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol}
}
