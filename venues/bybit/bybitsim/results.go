package bybitsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// result is what a position has brought, fees and funding included.
type result struct {
	// cum is all that was ever realised, cur what was since the position was opened.
	cum, cur decimal.Decimal
	// openFees are the fees of opening what is still open.
	openFees decimal.Decimal
}

// fill books a fill and answers what it brought by closing: profit less the fees
// of opening and of closing.
func (r *result) fill(event *simcore.OrderEvent) (closedPnl decimal.Decimal) {
	f, closed := event.Fill, closedSize(event)
	before := event.Position.Qty.Sub(f.Qty.Mul(decimal.NewFromInt(int64(event.Order.Side)))).Abs()
	closeFee := part(f.Fee, closed, f.Qty)
	openFees := part(r.openFees, closed, before)
	openFee := f.Fee.Sub(closeFee)
	r.cum = r.cum.Add(f.RealizedPnL).Sub(f.Fee)
	r.cur = r.cur.Add(f.RealizedPnL).Sub(f.Fee)
	r.openFees = r.openFees.Sub(openFees).Add(openFee)
	if closed.Equal(before) { // what is open now was opened by this fill
		r.cur, r.openFees = openFee.Neg(), openFee
	}
	return f.RealizedPnL.Sub(closeFee).Sub(openFees)
}

// part is the share of an amount that some of a whole has; none of nothing.
func part(amount, some, whole decimal.Decimal) decimal.Decimal {
	if whole.IsZero() {
		return zero
	}
	const digits = 16
	return amount.Mul(some).DivRound(whole, digits)
}

// pay books money that a position was paid or has paid.
func (r *result) pay(change decimal.Decimal) {
	r.cum, r.cur = r.cum.Add(change), r.cur.Add(change)
}

// book is the result of a position to be changed. The lock is held.
func (u *users) book(key guardKey) *result {
	if u.results[key] == nil {
		u.results[key] = &result{}
	}
	return u.results[key]
}

// result is what a position has brought until now.
func (u *users) result(key guardKey) result {
	u.mu.Lock()
	defer u.mu.Unlock()
	return *u.book(key)
}

// realised is what all positions of an account have brought.
func (u *users) realised(account string) decimal.Decimal {
	u.mu.Lock()
	defer u.mu.Unlock()
	sum := zero
	for key, r := range u.results {
		if key.account == account {
			sum = sum.Add(r.cum)
		}
	}
	return sum
}

// breakEven is the price at which closing, fees of the taker included, leaves what
// a position has cost until now.
func breakEven(p *simcore.PositionView, realised decimal.Decimal) decimal.Decimal {
	direction := decimal.NewFromInt(int64(p.Qty.Sign()))
	due := p.EntryPrice.Mul(p.Qty).Sub(realised) // signed like the position
	const digits = 8
	return due.DivRound(p.Qty.Mul(one.Sub(direction.Mul(feeTaker))), digits)
}
