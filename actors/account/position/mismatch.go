package position

import (
	"iter"
	"time"
)

// MismatchRetry is the wait before the account is reconciled again after its positions
// differed from the executions.
const MismatchRetry = 2 * time.Second

// Compare compares the venue's list, read at readAt, with the executions, and requests a
// reconciliation if they differ. AdoptUnexplained resolves a difference that remains after it.
func (s *State) Compare(a Account, readAt time.Time) {
	for _, p := range s.listed.open {
		s.ledger(p.Symbol) // a position without executions needs a ledger to differ
	}
	for _, l := range s.inOrder() {
		if l.agrees(s.listed.open) {
			l.mismatchSince = time.Time{}
			continue
		}
		if !a.Ready() || l.knownAt.Add(ListLag).After(readAt) {
			if len(l.closings) > 0 { // a close waits for the list
				a.ReconcileBy(a.Now().Add(MismatchRetry))
			}
			continue // the list may lag
		}
		if l.mismatchSince.IsZero() {
			l.mismatchSince = a.Now()
		}
		a.ReconcileBy(a.Now().Add(MismatchRetry))
	}
}

// Mismatched iterates over the instruments whose executions differ from the venue's list, with
// the time since which they do.
func (s *State) Mismatched() iter.Seq2[string, time.Time] {
	return func(yield func(string, time.Time) bool) {
		for symbol, l := range s.ledgers {
			if !l.mismatchSince.IsZero() && !yield(symbol, l.mismatchSince) {
				return
			}
		}
	}
}

// HasMismatch reports whether the executions of any instrument differ from the venue's list.
func (s *State) HasMismatch() bool {
	for range s.Mismatched() {
		return true
	}
	return false
}

// AdoptUnexplained adopts the quantities of the venue's list, read at readAt, of instruments
// whose mismatch a reconciliation has not resolved. The reconciliation began at startedAt;
// hasRead reports whether it has read the executions of an instrument. Before the account is
// ready, the positions of instruments with a new ledger are adopted too.
func (s *State) AdoptUnexplained(a Account, startedAt, readAt time.Time, hasRead func(symbol string) bool) {
	for _, l := range s.inOrder() {
		isUnresolved := !l.mismatchSince.IsZero() && l.mismatchSince.Before(startedAt) && hasRead(l.symbol)
		if (!l.isNew() || a.Ready()) && !isUnresolved {
			continue
		}
		if !a.IsComplete(l.symbol) || l.agrees(s.listed.open) {
			continue
		}
		s.adopt(a, l, readAt)
	}
}

// adopt adjusts a ledger to the quantities of the venue's list.
func (s *State) adopt(a Account, l *ledger, readAt time.Time) {
	l.mismatchSince = time.Time{}
	s.checkAtFinish(l)
	for _, side := range Sides() {
		p := s.listed.open[key(l.symbol, side)]
		if _, pending := l.reported.first(side); pending || p.Qty.Equal(OpenQty(l.now.of(side))) {
			continue
		}
		for _, c := range l.adjust(len(l.recent), side, p.Qty, p.EntryPrice, readAt) {
			s.publishClosing(a, l, c)
		}
		a.Adopted(l.symbol, side, p.Qty)
	}
}
