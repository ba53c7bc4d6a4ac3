package bybitsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// result is the realized result of a position, fees and funding included.
type result struct {
	// Cum is the total, Cur the result since the position was opened.
	Cum, Cur decimal.Decimal
	// OpenFees are the opening fees of the open quantity.
	OpenFees decimal.Decimal
}

// fill adds a fill and returns what it closed.
func (r *result) fill(event *simcore.OrderEvent) closing {
	f, closed := event.Fill, closedSize(event)
	before := event.Position.Qty.Sub(f.Qty.Mul(decimal.NewFromInt(int64(event.Order.Side)))).Abs()
	closeFee := part(f.Fee, closed, f.Qty)
	openFees := part(r.OpenFees, closed, before)
	openFee := f.Fee.Sub(closeFee)
	r.Cum = r.Cum.Add(f.RealizedPnL).Sub(f.Fee)
	r.Cur = r.Cur.Add(f.RealizedPnL).Sub(f.Fee)
	r.OpenFees = r.OpenFees.Sub(openFees).Add(openFee)
	if closed.Equal(before) { // this fill opened the present position
		r.Cur, r.OpenFees = openFee.Neg(), openFee
	}
	exit := f.Price.Mul(closed)
	return closing{
		Order: closedOrderOf(&event.Order), At: f.Time, Leverage: event.Position.Leverage, Size: closed, Exit: exit,
		Entry: exit.Add(f.RealizedPnL.Mul(decimal.NewFromInt(int64(event.Order.Side)))), OpenFee: openFees, CloseFee: closeFee,
	}
}

// part returns amount times some over whole, or zero where the whole is zero.
func part(amount, some, whole decimal.Decimal) decimal.Decimal {
	if whole.IsZero() {
		return zero
	}
	const digits = 16
	return amount.Mul(some).DivRound(whole, digits)
}

// pay adds a payment that a position received or made.
func (r *result) pay(change decimal.Decimal) {
	r.Cum, r.Cur = r.Cum.Add(change), r.Cur.Add(change)
}

// change returns the result of a position for changes. The lock is held.
func (u *users) change(key positionKey) *result {
	if u.keepsState {
		u.unsaved.results = touch(u.unsaved.results, key)
	}
	return u.resultOf(key)
}

// resultOf returns the result of a position. The lock is held.
func (u *users) resultOf(key positionKey) *result {
	if u.results[key] == nil {
		u.results[key] = &result{}
	}
	return u.results[key]
}

// result returns the present result of a position.
func (u *users) result(key positionKey) result {
	u.mu.Lock()
	defer u.mu.Unlock()
	return *u.resultOf(key)
}

// realised returns the sum of the results of all positions of an account.
func (u *users) realised(account string) decimal.Decimal {
	u.mu.Lock()
	defer u.mu.Unlock()
	sum := zero
	for key, r := range u.results {
		if key.account == account {
			sum = sum.Add(r.Cum)
		}
	}
	return sum
}

// breakEven returns the price at which closing, with taker fees, results in neither
// profit nor loss.
func breakEven(p *simcore.PositionView, realised decimal.Decimal) decimal.Decimal {
	direction := decimal.NewFromInt(int64(p.Qty.Sign()))
	due := p.EntryPrice.Mul(p.Qty).Sub(realised) // signed like the position
	const digits = 8
	return due.DivRound(p.Qty.Mul(one.Sub(direction.Mul(feeTaker))), digits)
}
