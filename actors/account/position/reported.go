package position

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

const (
	// CloseFillsMax is how long a reported close waits for its executions. After that it is
	// published without their prices.
	CloseFillsMax = 10 * time.Second
	// ClockSkewMax is how far the venue's clock may be ahead. Executions up to this long
	// after a reported close are part of it.
	ClockSkewMax = time.Second
	// ReportedClosesMax bounds the reported closes of one side that wait for executions.
	ReportedClosesMax = 8
)

// reportedClose is the close of a position that the venue has reported.
type reportedClose struct {
	position venues.Position
	// at is when it was reported, due when it is published without its executions.
	at, due time.Time
	// reconcileDue is when the account is reconciled if the close is still pending; zero
	// once it has been requested.
	reconcileDue time.Time
	// maxListed is the largest quantity that the venue has reported of the position;
	// zero if wasFlat.
	maxListed decimal.Decimal
	// wasFlat is set if the side was flat by the executions at the time of the report: the
	// closing was published before, or no execution of the position is known.
	wasFlat bool
}

// isBefore reports whether an execution belongs to a position that was opened after the close:
// it became known after the report of the close, and took place after it or its order was sent
// after it.
func (c *reportedClose) isBefore(e *Execution) bool {
	return e.KnownAt.After(c.at) && (e.SentAt.After(c.at) || e.At.After(c.at.Add(ClockSkewMax)))
}

// reportedCloses has the reported closes without a closing by side, oldest first.
type reportedCloses map[venues.PositionSide][]reportedClose

func (r reportedCloses) first(side venues.PositionSide) (reportedClose, bool) { return r.nth(side, 0) }

func (r reportedCloses) nth(side venues.PositionSide, n int) (reportedClose, bool) {
	if n >= len(r[side]) {
		return reportedClose{}, false
	}
	return r[side][n], true
}

func (r reportedCloses) dropFirst(side venues.PositionSide) {
	if r[side] = slices.Delete(r[side], 0, 1); len(r[side]) == 0 {
		delete(r, side)
	}
}

func (r reportedCloses) due() time.Time {
	var due time.Time
	for _, closes := range r {
		for i := range closes {
			due = deadline.Earlier(due, deadline.Earlier(closes[i].due, closes[i].reconcileDue))
		}
	}
	return due
}

// takeReconcileDue reports whether the reconcileDue of a close has passed, and clears it.
func (r reportedCloses) takeReconcileDue(now time.Time) bool {
	isDue := false
	for _, closes := range r {
		for i := range closes {
			if deadline.Passed(closes[i].reconcileDue, now) {
				isDue, closes[i].reconcileDue = true, time.Time{}
			}
		}
	}
	return isDue
}

// reportClosed records a reported close. It is published once the executions agree.
func (s *State) reportClosed(a Account, p venues.Position) {
	l := s.ledger(p.Symbol)
	s.checkAtFinish(l)
	closed := reportedClose{
		position: p, at: a.Now(), due: a.Now().Add(CloseFillsMax), reconcileDue: a.Now().Add(MismatchRetry), wasFlat: l.isFlat(p.Side),
	}
	if !closed.wasFlat {
		closed.maxListed = l.maxListed[p.Side]
	}
	delete(l.maxListed, p.Side)
	l.reported[p.Side] = append(l.reported[p.Side], closed)
}

// expireReported publishes the reported closes whose executions have not arrived in time.
func (s *State) expireReported(a Account, l *ledger) {
	for _, side := range Sides() {
		for {
			closed, pending := l.reported.first(side)
			if !pending || (!deadline.Passed(closed.due, a.Now()) && len(l.reported[side]) <= ReportedClosesMax) {
				break
			}
			s.closeWithoutFills(a, l, side, &closed)
		}
	}
}

// closeWithoutFills publishes a reported close whose executions are missing. What was opened
// after it is another position.
func (s *State) closeWithoutFills(a Account, l *ledger, side venues.PositionSide, closed *reportedClose) {
	n := l.countBefore(closed)
	before := l.after(n)
	if closed.wasFlat || OpenQty(before.of(side)).IsZero() || s.isListedAgain(l, side, closed, n) {
		// The executions that opened the position are missing too, or the report is about an
		// older position. The closing is published when they are found.
		l.reported.dropFirst(side)
		if _, listed := s.listed.open[closed.position.Key()]; !listed {
			closed.position.Reason = a.CloseReason(l.symbol, side, closed.position.OpenedAt.Time)
			a.Publish(closed.position)
		}
		return
	}
	for _, c := range l.adjust(n, side, decimal.Zero, venues.Optional{}, closed.at.Add(ClockSkewMax)) {
		s.publishClosing(a, l, c)
	}
}

// isListedAgain reports whether the venue's list is newer than the close and has the quantity
// of the executions, although no execution is from after the close. n is the number of those
// before it.
func (s *State) isListedAgain(l *ledger, side venues.PositionSide, closed *reportedClose, n int) bool {
	k := closed.position.Key()
	p, listed := s.listed.open[k]
	return listed && s.listed.asOf[k].After(closed.at) && n == len(l.recent) && p.Qty.Equal(OpenQty(l.now.of(side)))
}

// countBefore returns the number of recent executions before the first one that belongs to a
// position that was opened after a close.
func (l *ledger) countBefore(closed *reportedClose) int {
	if i := slices.IndexFunc(l.recent, func(e Execution) bool { return closed.isBefore(&e) }); i >= 0 {
		return i
	}
	return len(l.recent)
}
