package account

import (
	"time"

	"venuegate/venues"
)

const (
	// endWordMax is how long the end of a position that its executions show waits
	// for the venue to say that there was one. Until then executions may be found
	// that come between them.
	endWordMax = 5 * time.Second
	// endDoubtMax is how long it waits where the venue has told nothing of the
	// instrument since, or something else, although the account was compared.
	endDoubtMax = time.Minute
)

// proven is the last execution up to which every end is certain; -1 if none is. The
// venue's word that one side has ended proves the end that the executions show while
// both agree on what is open, and none of them is known to be missing.
func (s *state) proven(m moment, b *book) int {
	through := -1
	if len(b.over) == 0 {
		return through
	}
	agrees := s.isWhole(b) && b.agrees(s.funds.positions)
	for _, over := range b.provable() {
		_, told := b.told.first(over.side)
		if (told && agrees && !b.lacks(&over)) || isDue(s.wordDue(b, &over), m.now) {
			through = over.by
		}
	}
	return through
}

// isWhole says whether no executions are known to be missing.
func (s *state) isWhole(b *book) bool {
	return s.ready && s.lookups[b.symbol] == nil && !s.holdsReports(b.symbol)
}

// wordDue is when an end is told without the venue's word that it is one; zero if the
// venue has to be compared first.
func (s *state) wordDue(b *book, over *ended) time.Time {
	isDisputed := s.isDisputed(b, over)
	switch {
	case isDisputed && !s.recon.begunAt.After(over.heardAt.Add(positionLag)):
		return time.Time{}
	case isDisputed, !s.saidAt(b).After(over.heardAt):
		return over.heardAt.Add(endDoubtMax)
	}
	return over.heardAt.Add(endWordMax)
}

// lacks says whether the venue has told more of a position that it ended than its
// executions have entered: what they lack may add up to nothing.
func (b *book) lacks(over *ended) bool {
	end, told := b.told.first(over.side)
	return told && over.life.EntryQty.Add(over.life.UnpricedEntry).LessThan(end.listed)
}

// isDisputed says whether an end may not be the one that the executions show: some
// are known to be missing, or nobody has asked for them since the start, or the
// venue has said since that something else is open, or before that more was. Those that the reconciliation
// finds come before the end, and make it another one or none.
func (s *state) isDisputed(b *book, over *ended) bool {
	return !s.isWhole(b) || b.lacks(over) || (s.saidAt(b).After(over.heardAt) && !b.agrees(s.funds.positions))
}

// saidAt is when the venue has told last what is open of an instrument.
func (s *state) saidAt(b *book) time.Time {
	at := s.funds.provedAt
	for _, side := range positionSides() {
		key := (&venues.Position{Symbol: b.symbol, Side: side}).Key()
		at = later(at, later(s.funds.asOf[key], s.funds.closedAt[key]))
	}
	return at
}

// provable are the ends that the executions show, up to one that they show wrongly:
// it was made by an execution of what was opened after the venue had told the end,
// and the end's own executions are still to come. An end that was known before waits
// for none.
func (b *book) provable() []ended {
	longs := 0
	for i, over := range b.over {
		n := longs
		if over.side == venues.Short {
			n = i - longs
		} else {
			longs++
		}
		if end, told := b.told.nth(over.side, n); told && !end.isKnown && end.isBefore(&b.recent[over.by]) {
			return b.over[:i]
		}
	}
	return b.over
}
