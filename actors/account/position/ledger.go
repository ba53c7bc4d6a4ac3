package position

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// RecentMax bounds the recent executions of an instrument, before and between which
	// others can be inserted. Older ones are final.
	RecentMax = 32
	// recentSpan is how long before the first known execution of an instrument the first
	// cut of its ledger is, so that slightly older executions can be inserted.
	recentSpan = time.Minute
)

// ledger is the accounting of one instrument. It depends on its executions only, not on the
// order in which they became known: executions after the cut are kept, and counted again when
// one is found that comes before others.
type ledger struct {
	symbol string
	// base has the final executions, cut is the key of the last one.
	base netting
	cut  Key
	// knownSince is when the base was taken from the venue's list. Earlier executions are
	// included in it.
	knownSince time.Time
	// recent has the executions after the cut, in order.
	recent []Execution

	// now is base with the recent executions applied, closings are the positions that these
	// have closed, oldest first.
	now      netting
	closings []Closing
	// countedAt is when the newest of the recent executions became known.
	countedAt time.Time

	// knownAt is when the newest execution became known.
	knownAt  time.Time
	reported reportedCloses
	// maxListed is the largest quantity that the venue has reported of each position
	// whose close it has not reported.
	maxListed map[venues.PositionSide]decimal.Decimal
	// mismatchSince is when the venue's list began to differ from the executions; zero if it
	// does not.
	mismatchSince time.Time
	// dirty is set if the record has to be stored, toCheck if the ledger is in State.toCheck.
	dirty, toCheck bool
	// hedged is set if the newest execution has a PositionSide, as those in hedge mode have.
	hedged bool
}

func newLedger(symbol string) *ledger {
	return &ledger{symbol: symbol, reported: reportedCloses{}, maxListed: map[venues.PositionSide]decimal.Decimal{}}
}

// isNew reports whether the ledger has no execution and no quantity of the venue's list.
func (l *ledger) isNew() bool {
	return l.cut.At.IsZero() && l.knownSince.IsZero() && len(l.recent) == 0
}

// newestAt returns the time of the newest recent execution; zero without one.
func (l *ledger) newestAt() time.Time {
	if len(l.recent) == 0 {
		return time.Time{}
	}
	return l.recent[len(l.recent)-1].At
}

// add counts an execution. It returns the positions that the execution closes if it is before
// the cut. The caller must not add an execution twice.
func (l *ledger) add(e Execution) []Closing {
	l.knownAt, l.hedged = e.KnownAt, e.PositionSide != ""
	if l.cut.At.IsZero() {
		l.cut.At, l.dirty = e.At.Add(-recentSpan), true
	}
	switch {
	case !e.At.After(l.knownSince):
		return nil // the quantity of the venue's list includes it
	case e.compare(l.cut) <= 0:
		l.dirty = true
		closings := l.base.apply(e)
		l.recount()
		return closings
	}
	i, _ := slices.BinarySearchFunc(l.recent, e, func(x, y Execution) int { return x.compare(y.Key) })
	l.recent = slices.Insert(l.recent, i, e)
	if i == len(l.recent)-1 {
		l.count(i)
	} else {
		l.recount()
	}
	return nil
}

// setCause replaces the cause of a recent execution. A final one keeps the cause with which
// its position was published.
func (l *ledger) setCause(k Key, why Cause) {
	if i, found := slices.BinarySearchFunc(l.recent, k, func(x Execution, k Key) int { return x.compare(k) }); found {
		l.recent[i].Cause = why
		l.recount()
	}
}

// recount computes now and closings from base and recent.
func (l *ledger) recount() {
	l.now, l.closings, l.countedAt = l.base.clone(), l.closings[:0], time.Time{}
	for i := range l.recent {
		l.count(i)
	}
}

// count adds the recent execution i, which comes after all others that are counted, to now and
// closings.
func (l *ledger) count(i int) {
	l.countedAt = deadline.Later(l.countedAt, l.recent[i].KnownAt)
	for _, c := range l.now.apply(l.recent[i]) {
		c.by, c.knownAt = i, l.countedAt
		l.closings = append(l.closings, c)
	}
}

// finalize makes the first n recent executions final; n is at least 1. If the last of them has
// reversed the position, the part that opened the new one stays recent: earlier executions
// that are found later belong to the position before it.
func (l *ledger) finalize(n int) {
	for _, e := range l.recent[:n-1] {
		l.base.apply(e)
	}
	last := l.recent[n-1]
	l.cut = last.Key
	l.recent = slices.Delete(l.recent, 0, n)
	if closes := OpenQty(l.base.of(last.Side.Reduces())); last.PositionSide == "" && closes.IsPositive() && closes.LessThan(last.Qty) {
		var opens Execution
		last, opens = last.split(closes)
		l.recent = slices.Insert(l.recent, 0, opens)
	}
	l.base.apply(last)
	l.dirty = true
	l.recount()
}

// adjust sets a position to the venue's quantity after the first n recent executions,
// which become final. It is used when the executions that would explain the difference are not
// available. It returns the positions that these executions and the adjustment have closed.
func (l *ledger) adjust(n int, side venues.PositionSide, qty decimal.Decimal, entryPrice venues.Optional, at time.Time) []Closing {
	var closings []Closing
	for _, c := range l.closings {
		if c.by < n {
			closings = append(closings, c)
		}
	}
	if n > 0 {
		l.finalize(n)
	}
	if len(l.recent) > 0 && !at.Before(l.recent[0].At) {
		at = l.recent[0].At.Add(-time.Millisecond)
	}
	l.knownSince, l.dirty = at, true
	p := l.base.of(side)
	missing := qty.Sub(OpenQty(p))
	if missing.IsZero() {
		return closings
	}
	if p == nil {
		p = &Position{}
		l.base.set(side, p)
	}
	if p.OpenCost = costOfPart(p, qty); entryPrice.Valid {
		p.OpenCost = qty.Mul(entryPrice.Decimal)
	}
	switch {
	case missing.IsNegative():
		p.UnpricedExit = p.UnpricedExit.Sub(missing)
	case entryPrice.Valid:
		p.EntryQty = p.EntryQty.Add(missing)
		p.EntryNotional = p.EntryNotional.Add(missing.Mul(entryPrice.Decimal))
	default:
		p.UnpricedEntry = p.UnpricedEntry.Add(missing)
	}
	closings = append(closings, l.base.closeFlat(side)...)
	l.recount()
	return closings
}

// agrees reports whether the open quantities equal those of the venue's list.
func (l *ledger) agrees(listed map[string]venues.Position) bool {
	for _, side := range Sides() {
		p := listed[key(l.symbol, side)]
		if !p.Qty.Equal(OpenQty(l.now.of(side))) {
			return false
		}
	}
	return true
}

// isFlat reports whether a side is flat by the executions, and all its closings are published.
func (l *ledger) isFlat(side venues.PositionSide) bool {
	return OpenQty(l.now.of(side)).IsZero() && !slices.ContainsFunc(l.closings, func(c Closing) bool { return c.Side == side })
}

// after returns the positions after the first n recent executions.
func (l *ledger) after(n int) netting {
	positions := l.base.clone()
	for _, e := range l.recent[:n] {
		positions.apply(e)
	}
	return positions
}

// restore loads a stored record and the executions after its cut.
func (l *ledger) restore(r *persistence.PositionRecord, executions []Execution) {
	l.base = netting{r.Long, r.Short}
	l.cut = Key{r.CutAt.Time, r.CutTrade}
	l.knownSince = r.KnownSince.Time
	for _, e := range executions {
		if e.compare(l.cut) > 0 {
			l.add(e)
		}
	}
	l.recount()
	l.dirty = false
}

func (l *ledger) record(customer string, exchange venues.Venue) persistence.PositionRecord {
	stored := l.base.clone()
	for _, e := range l.recent {
		if e.compare(l.cut) == 0 { // the rest of a split execution: its first part is in base
			stored.apply(e)
		}
	}
	return persistence.PositionRecord{
		Customer: customer, Exchange: exchange, Symbol: l.symbol, Long: stored.long, Short: stored.short,
		CutAt: venues.At(l.cut.At), CutTrade: l.cut.Trade, KnownSince: venues.At(l.knownSince),
	}
}
