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

// recordPosition records the position after an order's event and returns the profit
// that its fill realized.
func (u *users) recordPosition(key positionKey, event *simcore.OrderEvent) (closedPnl decimal.Decimal) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.positions[key] = event.Position
	if event.Fill == nil {
		return zero
	}
	return u.resultOf(key).fill(event)
}

// funding returns the execution of a funding payment, nil for any other change.
func (u *users) funding(event *simcore.AccountEvent, c *change) *execution {
	if event.Reason != simcore.AccountFunding {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	mark := u.marks[event.Symbol]
	position := u.funded(event, mark)
	u.resultOf(positionKey{event.Account, event.Symbol, position.Side}).pay(event.Change)
	position.MarkPrice, position.Notional = mark.Mark, mark.Mark.Mul(position.Qty)
	e := fundingOf(event, position, mark.FundingRate, c.at, c.seq)
	return &e
}

// funded returns the position of a funding payment. In hedge mode it follows from
// the direction of the payment: longs pay while the rate is positive. The lock is
// held.
func (u *users) funded(event *simcore.AccountEvent, mark simcore.MarkPrice) simcore.PositionView {
	if p := u.positions[positionKey{event.Account, event.Symbol, simcore.PositionBoth}]; !p.Qty.IsZero() {
		return p
	}
	side := simcore.PositionShort
	if event.Change.IsNegative() == mark.FundingRate.IsPositive() {
		side = simcore.PositionLong
	}
	return u.positions[positionKey{event.Account, event.Symbol, side}]
}
