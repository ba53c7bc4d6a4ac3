package book

import "venuegate/venues"

// view is the published state of one depth: the best levels of both sides, best first.
type view struct {
	depth      int
	bids, asks []venues.Level
}

func newView(depth int) view {
	return view{depth: depth, bids: make([]venues.Level, 0, depth), asks: make([]venues.Level, 0, depth)}
}

func (v *view) clear() { v.bids, v.asks = v.bids[:0], v.asks[:0] }

// take sets the view to the current book.
func (v *view) take(b *ladders) {
	v.bids = b.bids.top(v.bids[:0], v.depth)
	v.asks = b.asks.top(v.asks[:0], v.depth)
}

// delta is the changes from one view to the next.
type delta struct {
	bids, asks []venues.Level
	next       []venues.Level
}

func newDelta() delta {
	return delta{
		// The largest delta replaces the view: each old level removed, each new one set.
		bids: make([]venues.Level, 0, 2*DepthMax),
		asks: make([]venues.Level, 0, 2*DepthMax),
		next: make([]venues.Level, 0, DepthMax),
	}
}

// advance updates the view and reports whether anything changed. A level that leaves the
// view is removed with quantity zero, even if it is still in the book, so that a
// subscriber that applies the delta has exactly the view.
func (d *delta) advance(v *view, b *ladders) bool {
	d.bids, v.bids = d.side(d.bids[:0], v.bids, &b.bids, v.depth)
	d.asks, v.asks = d.side(d.asks[:0], v.asks, &b.asks, v.depth)
	return len(d.bids)+len(d.asks) > 0
}

func (d *delta) side(changes, shown []venues.Level, l *ladder, depth int) ([]venues.Level, []venues.Level) {
	if full := len(shown) == depth; full && l.touched < l.sign*shown[depth-1].Price {
		return changes, shown // all changes are below the view
	}
	d.next = l.top(d.next[:0], depth)
	changes = difference(changes, shown, d.next, l.sign)
	return changes, append(shown[:0], d.next...)
}

// difference appends the changes that turn the view before into after, best
// first. Both are sorted best first.
func difference(changes, before, after []venues.Level, sign int64) []venues.Level {
	i, j := 0, 0
	for i < len(before) && j < len(after) {
		was, is := before[i], after[j]
		switch {
		case was.Price == is.Price:
			if was.Qty != is.Qty {
				changes = append(changes, is)
			}
			i, j = i+1, j+1
		case sign*was.Price > sign*is.Price:
			changes = append(changes, venues.Level{Price: was.Price})
			i++
		default:
			changes = append(changes, is)
			j++
		}
	}
	for _, was := range before[i:] {
		changes = append(changes, venues.Level{Price: was.Price})
	}
	return append(changes, after[j:]...)
}
