package bybitsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

func (u *users) mark(mark simcore.MarkPrice) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.marks[mark.Symbol] = mark
}

// hold notes a position as an order's event leaves it, and answers what its fill
// brought by closing.
func (u *users) hold(key guardKey, event *simcore.OrderEvent) (closedPnl decimal.Decimal) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.held[key] = event.Position
	if event.Fill == nil {
		return zero
	}
	return u.book(key).fill(event)
}

// funding is the execution of a funding payment; nil for any other change.
func (u *users) funding(event *simcore.AccountEvent, c *change) *execution {
	if event.Reason != simcore.AccountFunding {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	mark := u.marks[event.Symbol]
	position := u.funded(event, mark)
	u.book(guardKey{event.Account, event.Symbol, position.Side}).pay(event.Change)
	position.MarkPrice, position.Notional = mark.Mark, mark.Mark.Mul(position.Qty)
	e := fundingOf(event, position, mark.FundingRate, c.at, c.seq)
	return &e
}

// funded is the position that paid or was paid. In hedge mode the direction of
// the money tells which one: longs pay while the rate is positive. The lock is
// held.
func (u *users) funded(event *simcore.AccountEvent, mark simcore.MarkPrice) simcore.PositionView {
	if p := u.held[guardKey{event.Account, event.Symbol, simcore.PositionBoth}]; !p.Qty.IsZero() {
		return p
	}
	side := simcore.PositionShort
	if event.Change.IsNegative() == mark.FundingRate.IsPositive() {
		side = simcore.PositionLong
	}
	return u.held[guardKey{event.Account, event.Symbol, side}]
}
