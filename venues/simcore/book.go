package simcore

import (
	"slices"
	"sort"
)

// entry is one place in the queue of a level: the order of an account, or
// liquidity of the house where order is nil.
type entry struct {
	order *Order
	lots  int64
}

// level is a price with its queue, oldest first.
type level struct {
	ticks int64
	lots  int64
	queue []entry
}

// bookSide is one side of a book. Its levels are sorted best last, because the book
// changes most near the best price.
type bookSide struct {
	side   Side
	levels []*level
}

// better reports whether price x has priority over y on this side.
func (b *bookSide) better(x, y int64) bool {
	if b.side == Buy {
		return x > y
	}
	return x < y
}

func (b *bookSide) best() *level {
	if len(b.levels) == 0 {
		return nil
	}
	return b.levels[len(b.levels)-1]
}

// top returns the best level, with a quantity of zero where the side is empty.
func (b *bookSide) top() LevelChange {
	if l := b.best(); l != nil {
		return LevelChange{Side: b.side, Ticks: l.ticks, Lots: l.lots}
	}
	return LevelChange{Side: b.side}
}

// search returns the index of the first level that is not worse than ticks.
func (b *bookSide) search(ticks int64) int {
	return sort.Search(len(b.levels), func(i int) bool { return !b.better(ticks, b.levels[i].ticks) })
}

func (b *bookSide) find(ticks int64) *level {
	if i := b.search(ticks); i < len(b.levels) && b.levels[i].ticks == ticks {
		return b.levels[i]
	}
	return nil
}

func (b *bookSide) findOrAdd(ticks int64) *level {
	i := b.search(ticks)
	if i < len(b.levels) && b.levels[i].ticks == ticks {
		return b.levels[i]
	}
	added := &level{ticks: ticks}
	b.levels = slices.Insert(b.levels, i, added)
	return added
}

func (b *bookSide) drop(ticks int64) {
	i := b.search(ticks)
	if i < len(b.levels) && b.levels[i].ticks == ticks {
		b.levels = slices.Delete(b.levels, i, i+1)
	}
}

// book is both sides of one symbol.
type book struct {
	bids, asks bookSide
}

func newBook() book {
	return book{bids: bookSide{side: Buy}, asks: bookSide{side: Sell}}
}

func (b *book) of(side Side) *bookSide {
	if side == Buy {
		return &b.bids
	}
	return &b.asks
}

// append adds an entry at the back of the queue.
func (l *level) append(e entry) {
	if last := len(l.queue) - 1; e.order == nil && last >= 0 && l.queue[last].order == nil {
		l.queue[last].lots += e.lots
	} else {
		l.queue = append(l.queue, e)
	}
	l.lots += e.lots
}

// take removes lots from the entry at the head.
func (l *level) take(lots int64) {
	l.lots -= lots
	l.queue[0].lots -= lots
	if l.queue[0].lots == 0 {
		l.removeAt(0)
	}
}

func (l *level) removeAt(i int) {
	l.lots -= l.queue[i].lots
	l.queue = append(l.queue[:i], l.queue[i+1:]...)
}

// indexOf returns the index of an order in the queue, or -1.
func (l *level) indexOf(o *Order) int {
	for i := range l.queue {
		if l.queue[i].order == o {
			return i
		}
	}
	return -1
}

// houseLots returns the liquidity of the house at the level.
func (l *level) houseLots() int64 {
	var lots int64
	for i := range l.queue {
		if l.queue[i].order == nil {
			lots += l.queue[i].lots
		}
	}
	return lots
}

// setHouse sets the liquidity of the house at the level. As for any order, a smaller
// quantity keeps its place in the queue and an additional one goes to the back.
func (l *level) setHouse(lots int64) {
	have := l.houseLots()
	if lots > have {
		l.append(entry{lots: lots - have})
		return
	}
	for i := len(l.queue) - 1; i >= 0 && have > lots; i-- {
		if l.queue[i].order != nil {
			continue
		}
		cut := min(have-lots, l.queue[i].lots)
		have -= cut
		if cut == l.queue[i].lots {
			l.removeAt(i)
		} else {
			l.queue[i].lots -= cut
			l.lots -= cut
		}
	}
}
