package book

import (
	"cmp"
	"math"
	"slices"

	"venuegate/venues"
)

// Bounds of what one side of a book keeps.
const (
	// DepthMax is the deepest view that is published.
	DepthMax = 200
	// levelsMax is where a side is cut back to its levelsKept best levels: far
	// levels that the venue never removes must not pile up. Both are beyond
	// what any venue sends in a snapshot.
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
	// known is the worst key that the ladder knows. Levels beyond it are neither
	// kept nor shown: a snapshot that was cut off there says nothing of them.
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

// load replaces the side by a snapshot's, best first. A snapshot that may be cut
// off is known down to its last level only, and one of fewer levels than the
// deepest view cannot have been.
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

// clear forgets everything.
func (l *ladder) clear() {
	l.levels, l.known, l.touched = l.levels[:0], allKnown, untouched
}

// set gives a price its new quantity; zero removes it. To remove what is not
// there is usual: venues tell of levels that a snapshot did not reach.
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

// stepwise is how many of the best levels are looked at one after the other: the
// processor foresees that better than any halving, and most changes are there.
const stepwise = 32

// firstFrom finds the first level whose key is not below key.
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

// best is the key of the best level.
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

// thin says that the market has moved so far that the ladder knows but half of
// the levels that it began with, or less than the deepest view, while the venue
// has more. One message of a fast market can take hundreds of levels away, so
// the time to learn more is early.
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

// crossed says that the best bid is not below the best ask, which no book of a
// trading market is.
func (b *ladders) crossed() bool {
	bid, bids := b.bids.best()
	ask, asks := b.asks.best()
	return bids && asks && bid.Price >= ask.Price
}

func (b *ladders) thin() bool { return b.bids.thin() || b.asks.thin() }

// exhausted says that the market has moved out of what the book knows: a side
// is empty here and not at the venue.
func (b *ladders) exhausted() bool { return b.bids.exhausted() || b.asks.exhausted() }

// bounded says that far levels of the book are not known.
func (b *ladders) bounded() bool { return b.bids.known != allKnown || b.asks.known != allKnown }

// agrees compares two books at the same sequence as far as both know.
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
