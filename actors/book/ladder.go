package book

import (
	"cmp"
	"math"
	"slices"

	"venuegate/venues"
)

// Limits of one side of a book.
const (
	// DepthMax is the deepest view that is published.
	DepthMax = 200
	// levelsMax is the number of levels at which a side is cut back to its levelsKept
	// best ones, because far levels that the venue never removes would accumulate. Both
	// are more than any venue sends in a snapshot.
	levelsMax  = 4096
	levelsKept = 2048
)

// ladder is one side of a book: a slice sorted so that the best level is last,
// where nearly all changes happen and moving the rest costs least.
//
// A level is kept under its key, sign*price, so that on both sides the greater
// of two keys is the better price.
type ladder struct {
	sign   int64 // +1 for bids, -1 for asks
	levels []venues.Level
	// known is the worst known key. Levels beyond it are neither kept nor published,
	// because the snapshot was cut off there.
	known int64
	// loaded is how many levels the last snapshot brought.
	loaded int
	// touched is the best key that has changed since the last publication.
	touched int64
}

const (
	allKnown  = math.MinInt64
	untouched = math.MinInt64
)

func newLadder(sign int64) ladder { return ladder{sign: sign, known: allKnown, touched: untouched} }

// load replaces the side by a snapshot's, best first. A snapshot that may be cut off is
// known down to its last level only; one with fewer levels than the deepest view is
// complete.
func (l *ladder) load(levels []venues.Level, mayBeCut bool) {
	l.levels, l.known, l.touched = l.levels[:0], allKnown, math.MaxInt64
	for _, level := range slices.Backward(levels) {
		if level.Qty > 0 {
			l.levels = append(l.levels, venues.Level{Price: l.sign * level.Price, Qty: level.Qty})
		}
	}
	if !slices.IsSortedFunc(l.levels, byKey) {
		slices.SortStableFunc(l.levels, byKey)
	}
	l.levels = slices.CompactFunc(l.levels, func(a, b venues.Level) bool { return a.Price == b.Price })
	l.loaded = len(l.levels)
	if mayBeCut && l.loaded >= DepthMax {
		l.known = l.levels[0].Price
	}
	l.trim()
}

func byKey(a, b venues.Level) int { return cmp.Compare(a.Price, b.Price) }

// clear removes every level.
func (l *ladder) clear() {
	l.levels, l.known, l.touched = l.levels[:0], allKnown, untouched
}

// set sets the quantity of a price; zero removes it. Removing an unknown level is
// normal: venues report levels beyond their snapshots.
func (l *ladder) set(level venues.Level) {
	key := l.sign * level.Price
	if key < l.known {
		return
	}
	i := len(l.levels)
	near := max(0, i-stepwise)
	for i > near && l.levels[i-1].Price >= key {
		i--
	}
	if i == near {
		i = firstFrom(l.levels[:near], key)
	}
	present := i < len(l.levels) && l.levels[i].Price == key
	switch {
	case level.Qty <= 0 && !present:
		return
	case level.Qty <= 0:
		l.levels = append(l.levels[:i], l.levels[i+1:]...)
	case present:
		l.levels[i].Qty = level.Qty
	default:
		l.levels = append(l.levels, venues.Level{})
		copy(l.levels[i+1:], l.levels[i:])
		l.levels[i] = venues.Level{Price: key, Qty: level.Qty}
		l.trim()
	}
	l.touched = max(l.touched, key)
}

// stepwise is the number of best levels that are searched linearly: branch prediction
// makes that faster than a binary search, and most changes are there.
const stepwise = 32

// firstFrom returns the index of the first level whose key is not below key.
func firstFrom(levels []venues.Level, key int64) int {
	low, high := 0, len(levels)
	for low < high {
		middle := int(uint(low+high) / 2)
		if levels[middle].Price < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func (l *ladder) trim() {
	if len(l.levels) <= levelsMax {
		return
	}
	kept := copy(l.levels, l.levels[len(l.levels)-levelsKept:])
	l.levels = l.levels[:kept]
	l.known, l.loaded = l.levels[0].Price, kept
}

// best returns the key of the best level.
func (l *ladder) best() (venues.Level, bool) {
	if len(l.levels) == 0 {
		return venues.Level{}, false
	}
	best := l.levels[len(l.levels)-1]
	best.Price *= l.sign
	return best, true
}

// top appends the best levels to dst, best first, at most depth.
func (l *ladder) top(dst []venues.Level, depth int) []venues.Level {
	for i := len(l.levels) - 1; i >= 0 && depth > 0; i-- {
		dst = append(dst, venues.Level{Price: l.sign * l.levels[i].Price, Qty: l.levels[i].Qty})
		depth--
	}
	return dst
}

// thin reports whether the market has moved so far that less than half of the loaded
// levels, or less than the deepest view, are known, while the venue has more. One
// message of a fast market can remove hundreds of levels, so more are fetched early.
func (l *ladder) thin() bool {
	return l.known != allKnown && len(l.levels) < max(DepthMax, l.loaded/2)
}

func (l *ladder) exhausted() bool { return l.known != allKnown && len(l.levels) == 0 }

// ladders is a book: both sides.
type ladders struct {
	bids, asks ladder
}

func newLadders() ladders { return ladders{bids: newLadder(+1), asks: newLadder(-1)} }

func (b *ladders) load(u *venues.BookUpdate, mayBeCut bool) {
	b.bids.load(u.Bids, mayBeCut)
	b.asks.load(u.Asks, mayBeCut)
}

func (b *ladders) clear() {
	b.bids.clear()
	b.asks.clear()
}

func (b *ladders) apply(u *venues.BookUpdate) {
	for _, level := range u.Bids {
		b.bids.set(level)
	}
	for _, level := range u.Asks {
		b.asks.set(level)
	}
}

// crossed reports whether the best bid is not below the best ask.
func (b *ladders) crossed() bool {
	bid, bids := b.bids.best()
	ask, asks := b.asks.best()
	return bids && asks && bid.Price >= ask.Price
}

func (b *ladders) thin() bool { return b.bids.thin() || b.asks.thin() }

// exhausted reports whether the market has moved beyond the known levels: a side is
// empty here and not at the venue.
func (b *ladders) exhausted() bool { return b.bids.exhausted() || b.asks.exhausted() }

// bounded reports whether far levels of the book are unknown.
func (b *ladders) bounded() bool { return b.bids.known != allKnown || b.asks.known != allKnown }

// agrees compares the levels that both books know, at the same sequence number.
func (b *ladders) agrees(with *ladders) bool {
	return b.bids.agrees(&with.bids) && b.asks.agrees(&with.asks)
}

func (l *ladder) agrees(with *ladder) bool {
	n := min(len(l.levels), len(with.levels), DepthMax)
	if n == 0 {
		return len(l.levels) == len(with.levels)
	}
	return slices.Equal(l.levels[len(l.levels)-n:], with.levels[len(with.levels)-n:])
}
