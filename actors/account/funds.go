package account

import (
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

const (
	// fundsFresh is the age up to which balances and positions are returned from memory, so
	// that many readers cause one request to the venue.
	fundsFresh = time.Second
	// fundsDelay is how long after an event of the private stream the values that it lacks
	// (margin, liquidation price) are read.
	fundsDelay = 300 * time.Millisecond
)

// Funds are an account's balances and open positions at one time.
type Funds struct {
	Balances  []venues.Balance
	Positions []venues.Position
	ReadAt    time.Time
	// closable are the positions that can be closed: the venue's list corrected by newer
	// executions.
	closable []venues.Position
}

// funds holds the balances, and the state of the readings of balances and positions.
type funds struct {
	balances []venues.Balance
	// readAt is when the newest reading began; zero if something has changed since.
	readAt time.Time
	// reading is set during a reading, planned while one is scheduled after fundsDelay,
	// again if another one was requested during the reading.
	reading bool
	planned bool
	again   bool
	waiters []fundsReply
}

func (s *state) getFunds(step stepContext, in getFunds) {
	if !s.funds.readAt.IsZero() && step.now.Sub(s.funds.readAt) < fundsFresh {
		s.after(replyFunds{to: in.fundsReply, value: s.currentFunds()})
		return
	}
	s.funds.waiters = append(s.funds.waiters, in.fundsReply)
	s.readFunds()
}

// readFunds starts a reading of balances and positions for all waiters.
func (s *state) readFunds() {
	s.funds.planned = false
	if s.funds.reading {
		s.funds.again = true
		return
	}
	s.funds.reading = true
	s.after(callFunds{})
}

// planFunds schedules a reading after fundsDelay, so that several changes cause one reading.
func (s *state) planFunds() {
	if !s.funds.planned {
		s.funds.planned = true
		s.after(planFunds{})
	}
}

func (s *state) currentFunds() Funds {
	return Funds{Balances: s.funds.balances, Positions: s.positions.Listed(), ReadAt: s.funds.readAt, closable: s.positions.Closable()}
}

// fundsRead applies balances and positions that were read by REST.
func (s *state) fundsRead(step stepContext, in fundsDone) {
	s.funds.reading = false
	if in.err == nil {
		s.setBalances(in.funds.Balances)
		s.updatePositions(step, in.funds.Positions, in.funds.ReadAt)
		s.funds.readAt = in.funds.ReadAt
	} else if s.positions.HasPending() { // a close awaits the list
		s.recon.due = deadline.Earlier(s.recon.due, step.now.Add(reconcileRetry))
	}
	for _, waiter := range s.funds.waiters {
		s.after(replyFunds{to: waiter, value: s.currentFunds(), err: in.err})
	}
	s.funds.waiters = nil
	if s.funds.again {
		s.funds.again = false
		s.planFunds()
	}
}

func (s *state) setBalances(balances []venues.Balance) {
	changed := len(balances) != len(s.funds.balances)
	for i := range balances {
		balances[i].Exchange = s.exchange
		changed = changed || !equalBalance(&balances[i], &s.funds.balances[i])
	}
	s.funds.balances = balances
	if changed {
		s.after(publishBalances{balances})
	}
}

func equalBalance(a, b *venues.Balance) bool {
	return a.Currency == b.Currency && a.AccountType == b.AccountType && a.Equity.Equal(b.Equity) &&
		a.Available.Equal(b.Available) && a.UsedMargin.Equal(b.UsedMargin) && a.UnrealizedPnl.Equal(b.UnrealizedPnl)
}

// updatePositions replaces the open positions by the venue's list, read at readAt.
func (s *state) updatePositions(step stepContext, list []venues.Position, readAt time.Time) {
	open := s.positions.Update(s.forPositions(step), list, readAt)
	s.protection(step).WithdrawOrphans(open, readAt)
	s.positions.Compare(s.forPositions(step), readAt)
}

// positionReported applies an event of the private stream and schedules a reading of the
// values that only REST returns. Until then the mark price is that of the market.
func (s *state) positionReported(step stepContext, p venues.Position) {
	if p.Qty.IsPositive() && !p.MarkPrice.Valid {
		p.MarkPrice = step.mark(p.Symbol)
	}
	s.positions.Report(s.forPositions(step), p)
	s.balancesChanged()
}

// balancesChanged marks the balances in memory as outdated and schedules a reading, which
// publishes the new ones.
func (s *state) balancesChanged() {
	s.funds.readAt = time.Time{}
	s.planFunds()
}
