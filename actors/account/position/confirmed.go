package position

import (
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

const (
	// ConfirmMax is how long a closing waits for the venue to report the close. Until then
	// an earlier execution may be found that changes the closing.
	ConfirmMax = 5 * time.Second
	// DisputeMax is how long a closing waits if the venue has reported nothing about the
	// instrument since, or if the closing is disputed although the account was reconciled.
	DisputeMax = time.Minute
)

// confirmed returns the number of recent executions up to which all closings are certain; 0 if
// none is. A reported close confirms a closing if the list and the executions agree on the open
// quantities, and no execution is known to be missing.
func (s *State) confirmed(a Account, l *ledger) int {
	if len(l.closings) == 0 {
		return 0
	}
	n := 0
	agrees := isComplete(a, l) && l.agrees(s.listed.open)
	for _, c := range l.confirmable() {
		_, reported := l.reported.first(c.Side)
		if (reported && agrees && !l.lacksEntries(&c)) || deadline.Passed(s.confirmDeadline(a, l, &c), a.Now()) {
			n = c.by + 1
		}
	}
	return n
}

// isComplete reports whether the account is ready and no executions of the instrument are known
// to be missing.
func isComplete(a Account, l *ledger) bool { return a.Ready() && a.IsComplete(l.symbol) }

// confirmDeadline returns when a closing is confirmed without a report of the venue; zero if
// the account has to be reconciled first.
func (s *State) confirmDeadline(a Account, l *ledger, c *Closing) time.Time {
	isDisputed := s.isDisputed(a, l, c)
	switch {
	case isDisputed && !a.ReconciledAt().After(c.knownAt.Add(ListLag)):
		return time.Time{}
	case isDisputed, !s.listed.reportedAt(l.symbol).After(c.knownAt):
		return c.knownAt.Add(DisputeMax)
	}
	return c.knownAt.Add(ConfirmMax)
}

// lacksEntries reports whether the venue has reported a larger quantity of the closed position
// than its executions have entered. The missing executions may add up to zero.
func (l *ledger) lacksEntries(c *Closing) bool {
	reported, pending := l.reported.first(c.Side)
	return pending && venues.Sum(c.Position.EntryQty, c.Position.UnpricedEntry).LessThan(reported.maxListed)
}

// isDisputed reports whether a closing may be wrong: executions are known to be missing, the
// account is not ready, or the venue has reported other open quantities after the close or a
// larger position before it. Executions that a reconciliation finds may change or undo the
// closing.
func (s *State) isDisputed(a Account, l *ledger, c *Closing) bool {
	return !isComplete(a, l) || l.lacksEntries(c) || (s.listed.reportedAt(l.symbol).After(c.knownAt) && !l.agrees(s.listed.open))
}

// confirmable returns the closings before the first wrong one. A closing is wrong if its last
// execution belongs to a position that was opened after the reported close: executions of the
// reported close are missing then. A reported close that wasFlat lacks none.
func (l *ledger) confirmable() []Closing {
	longs := 0
	for i, c := range l.closings {
		n := longs
		if c.Side == venues.Short {
			n = i - longs
		} else {
			longs++
		}
		if closed, reported := l.reported.nth(c.Side, n); reported && !closed.wasFlat && closed.isBefore(&l.recent[c.by]) {
			return l.closings[:i]
		}
	}
	return l.closings
}
