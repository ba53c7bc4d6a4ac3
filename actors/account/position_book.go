package account

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// recentMax bounds the executions of an instrument that can still change
	// their order; older ones are counted in for good.
	recentMax = 32
	// recentSpan is how far before the first execution of an instrument others
	// may still be found and put in their place.
	recentSpan = time.Minute
)

// book is the accounting of one instrument. It is a function of its executions,
// whatever the order in which they became known: those after the cut are kept,
// and counted anew when one is found that comes before others.
type book struct {
	symbol string
	base   lives
	cut    executionKey
	// knownSince is when the base was taken from the venue's own list.
	knownSince time.Time
	recent     []execution

	// now is base with the recent ones; over are the positions that ended with
	// them, the oldest first.
	now  lives
	over []ended

	heardAt time.Time
	told    toldEnds
	// listed is the most that the venue has told of each position that it has not
	// told the end of.
	listed map[venues.PositionSide]decimal.Decimal
	// doubtSince is when the venue's list of positions began to disagree.
	doubtSince time.Time
	// dirty says that the record is to be stored, touched that the step has it
	// on its list.
	dirty, touched bool
	// hedged says that the newest execution named its position.
	hedged bool
}

func newBook(symbol string) *book {
	return &book{symbol: symbol, told: toldEnds{}, listed: map[venues.PositionSide]decimal.Decimal{}}
}

// add counts an execution in, and gives the positions that ended before the cut
// by it. Whoever calls has seen to it that none is added twice.
func (b *book) add(e execution) []ended {
	b.heardAt, b.hedged = e.heardAt, e.position != ""
	if b.cut.at.IsZero() {
		b.cut.at, b.dirty = e.at.Add(-recentSpan), true
	}
	switch {
	case !e.at.After(b.knownSince):
		return nil // it is part of what the venue's list has told
	case e.compare(b.cut) <= 0:
		b.dirty = true
		list := b.base.apply(e)
		b.count()
		return list
	}
	i, _ := slices.BinarySearchFunc(b.recent, e, func(x, y execution) int { return x.compare(y.executionKey) })
	b.recent = slices.Insert(b.recent, i, e)
	b.count()
	return nil
}

// list notes how much of a position the venue says is open.
func (b *book) list(side venues.PositionSide, qty decimal.Decimal) {
	b.listed[side] = decimal.Max(b.listed[side], qty)
}

// explain gives an execution the cause that it has after all. One that is counted
// in for good was told as it was known.
func (b *book) explain(key executionKey, why cause) {
	if i, found := slices.BinarySearchFunc(b.recent, key, func(x execution, key executionKey) int { return x.compare(key) }); found {
		b.recent[i].cause = why
		b.count()
	}
}

// count makes now and over of base and the recent ones.
func (b *book) count() {
	b.now, b.over = b.base.clone(), b.over[:0]
	var heardAt time.Time
	for i, e := range b.recent {
		if e.heardAt.After(heardAt) {
			heardAt = e.heardAt
		}
		for _, over := range b.now.apply(e) {
			over.by, over.heardAt = i, heardAt
			b.over = append(b.over, over)
		}
	}
}

// settle counts the recent executions up to one in for good. Of one that has turned the
// position round the part that opened the other one stays: what is found of the time
// before must not be counted in with that.
func (b *book) settle(through int) {
	for _, e := range b.recent[:through] {
		b.base.apply(e)
	}
	last := b.recent[through]
	b.cut = last.executionKey
	b.recent = slices.Delete(b.recent, 0, through+1)
	if closes := openQty(b.base.of(last.side.Reduces())); last.position == "" && closes.IsPositive() && closes.LessThan(last.qty) {
		var opens execution
		last, opens = last.split(closes)
		b.recent = slices.Insert(b.recent, 0, opens)
	}
	b.base.apply(last)
	b.dirty = true
	b.count()
}

// adjust brings a position to the quantity that the venue tells, after so many of
// the recent executions, where others in between are not to be had. It gives the
// positions that have ended by then.
func (b *book) adjust(through int, side venues.PositionSide, qty decimal.Decimal, entryPrice venues.Optional, at time.Time) []ended {
	var list []ended
	for _, over := range b.over {
		if over.by < through {
			list = append(list, over)
		}
	}
	if through > 0 {
		b.settle(through - 1)
	}
	if len(b.recent) > 0 && !at.Before(b.recent[0].at) {
		at = b.recent[0].at.Add(-time.Millisecond)
	}
	b.knownSince, b.dirty = at, true
	l := b.base.of(side)
	missing := qty.Sub(openQty(l))
	if missing.IsZero() {
		return list
	}
	if l == nil {
		l = &holding{}
		b.base.set(side, l)
	}
	if l.OpenCost = costOfPart(l, qty); entryPrice.Valid {
		l.OpenCost = qty.Mul(entryPrice.Decimal)
	}
	switch {
	case missing.IsNegative():
		l.UnpricedExit = l.UnpricedExit.Sub(missing)
	case entryPrice.Valid:
		l.EntryQty = l.EntryQty.Add(missing)
		l.EntryNotional = l.EntryNotional.Add(missing.Mul(entryPrice.Decimal))
	default:
		l.UnpricedEntry = l.UnpricedEntry.Add(missing)
	}
	list = append(list, b.base.end(side)...)
	b.count()
	return list
}

// restore takes a stored record and the executions after its cut.
func (b *book) restore(r persistence.PositionRecord, executions []execution) {
	b.base = lives{r.Long, r.Short}
	b.cut = executionKey{r.CutAt.Time, r.CutTrade}
	b.knownSince = r.KnownSince.Time
	for _, e := range executions {
		if e.compare(b.cut) > 0 {
			b.add(e)
		}
	}
	b.count()
	b.dirty = false
}

func (b *book) record(customer string, exchange venues.Venue) persistence.PositionRecord {
	stored := b.base.clone()
	for _, e := range b.recent {
		if e.compare(b.cut) == 0 { // the other part is counted in
			stored.apply(e)
		}
	}
	return persistence.PositionRecord{
		Customer: customer, Exchange: exchange, Symbol: b.symbol, Long: stored.long, Short: stored.short,
		CutAt: venues.At(b.cut.at), CutTrade: b.cut.trade, KnownSince: venues.At(b.knownSince),
	}
}
