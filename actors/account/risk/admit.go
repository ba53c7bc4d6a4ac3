package risk

import (
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/persistence"
	"venuegate/venues"
)

// Values of details.rule in a rejection with the code risk_rejected. Package venues has
// those of a channel's limits.
const (
	RuleMaxNotional   = "max_order_notional"
	RuleMaxOpenOrders = "max_open_orders"
)

// Admit checks an order against the account's limits and reports the result of each that
// applies. Orders that can only reduce a position are always admitted. mark may be unknown.
func (s *State) Admit(a Account, spec *venues.OrderSpec, mark venues.Optional, report func(venues.RuleCheck)) {
	if s.Reduces(a, spec, nil) {
		return
	}
	report(s.checkLock())
	if s.Limits.MaxOpenOrders > 0 {
		report(s.checkOpenOrders(a))
	}
	if s.Limits.MaxOrderNotional.Valid {
		report(s.checkNotional(spec, mark))
	}
}

func (s *State) checkOpenOrders(a Account) venues.RuleCheck {
	limit, given := s.Limits.MaxOpenOrders, openOrders(a)+1
	check := venues.RuleCheck{Rule: RuleMaxOpenOrders, Limit: strconv.Itoa(limit), Given: strconv.Itoa(given)}
	if given > limit {
		check.Rejection = venues.Errorf(venues.CodeRiskRejected, "too many open orders").
			With("rule", check.Rule).With("limit", limit).With("given", given)
	}
	return check
}

// AdmitAmend checks the terms of an amended order against the account's limits. Terms
// that do not increase are always admitted.
func (s *State) AdmitAmend(a Account, o *persistence.OrderRecord, spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	if !s.Increases(a, spec, o) {
		return nil
	}
	if s.IsReduceOnly() {
		return s.TradingLocked()
	}
	if !s.Limits.MaxOrderNotional.Valid {
		return nil
	}
	return s.checkNotional(spec, mark).Rejection
}

// checkNotional checks the notional of an order against its limit. If it is not known, the
// rejection has no detail given: by that account.Client recognizes it, waits for the mark price
// and tries again.
func (s *State) checkNotional(spec *venues.OrderSpec, mark venues.Optional) venues.RuleCheck {
	limit, given := s.Limits.MaxOrderNotional.Decimal, Notional(spec, mark)
	check := venues.RuleCheck{Rule: RuleMaxNotional, Limit: venues.FormatDecimal(limit)}
	if given.Valid {
		check.Given = venues.FormatDecimal(given.Decimal)
		if given.Decimal.LessThanOrEqual(limit) {
			return check
		}
	}
	check.Rejection = venues.Errorf(venues.CodeRiskRejected, "the order is too large").With("rule", check.Rule).With("limit", check.Limit)
	if given.Valid {
		check.Rejection = check.Rejection.With("given", check.Given)
	}
	return check
}

// Notional returns the notional of an order: at its price, else at the mark price, else at its
// trigger price. It is unknown if all of them are.
func Notional(spec *venues.OrderSpec, mark venues.Optional) venues.Optional {
	price := mark
	if spec.Price.Valid {
		price = spec.Price
	} else if !price.Valid {
		price = spec.TriggerPrice
	}
	if !price.Valid {
		return venues.Optional{}
	}
	return venues.Some(spec.Qty.Mul(price.Decimal))
}

// openOrders returns the number of orders that are not closed, without legs and exits.
func openOrders(a Account) int {
	n := 0
	for o := range a.Live() {
		if !o.Status.IsClosed() && o.EntryOrderID == "" && o.Source != venues.SourceProtection {
			n++
		}
	}
	return n
}

// Increases reports whether an order may make a position larger with new terms.
func (s *State) Increases(a Account, spec *venues.OrderSpec, o *persistence.OrderRecord) bool {
	return !IsReducedTo(o, spec) && !s.Reduces(a, spec, o)
}

// Reduces reports whether an order can only make a position smaller: it is reduce-only, or not
// larger than the opposite position by both the venue's list and the executions, less the
// other live orders of its side. In hedge mode only a reduce-only order reduces. except, which
// may be nil, does not count as another order.
func (s *State) Reduces(a Account, spec *venues.OrderSpec, except *persistence.OrderRecord) bool {
	if spec.ReduceOnly {
		return true
	}
	symbol, side := spec.Symbol, spec.Side
	left, known := s.positions.Reducible(symbol, side.Reduces())
	if !known || s.positions.IsHedged(symbol) {
		return false
	}
	for o := range a.Live() {
		if o.OrderRecord != except && o.Symbol == symbol && o.Side == side {
			left = left.Sub(o.RemainingQty())
		}
	}
	return spec.Qty.LessThanOrEqual(left)
}

// IsReducedTo reports whether spec has the prices of an order and no larger quantity.
func IsReducedTo(o *persistence.OrderRecord, spec *venues.OrderSpec) bool {
	return spec.Qty.LessThanOrEqual(o.Qty) &&
		venues.EqualOptional(spec.Price, o.Price) && venues.EqualOptional(spec.TriggerPrice, o.TriggerPrice)
}

// AdmitPosition checks an order against the position limits of its channel and reports the
// result of each that applies. Orders that are sent, resting or of unknown outcome count as if
// they will fill.
func (s *State) AdmitPosition(a Account, cmd *venues.PlaceOrder, report func(venues.RuleCheck)) {
	if cmd.ReduceOnly {
		return
	}
	if cmd.RejectOpposite {
		opposite := s.positions.Qty(cmd.Symbol, cmd.Side.Reduces())
		report(checkQty(venues.RuleOpposite, "a position on the other side is open", decimal.Zero, opposite))
	}
	if cmd.MaxPosition.Valid {
		// The opposite position is not subtracted: a stop or another client may close it before
		// the order fills.
		own := s.worstCase(a, cmd.Symbol, cmd.Side)
		given := own.Add(InFlight(a, cmd.Symbol, cmd.Side)).Add(cmd.Qty)
		report(checkQty(venues.RuleMaxPosition, "the position would be larger than allowed", cmd.MaxPosition.Decimal, given))
	}
}

// checkQty checks a quantity against a limit. message explains the rejection.
func checkQty(rule, message string, limit, given decimal.Decimal) venues.RuleCheck {
	check := venues.RuleCheck{Rule: rule, Limit: venues.FormatDecimal(limit), Given: venues.FormatDecimal(given)}
	if given.GreaterThan(limit) {
		check.Rejection = venues.Errorf(venues.CodeRiskRejected, "%s", message).
			With("rule", rule).With("limit", check.Limit).With("given", check.Given)
	}
	return check
}

// worstCase returns the largest quantity that can already be open of the position that orders
// of a side open. If a newer list of the venue has more, executions are missing, and its
// quantity counts.
func (s *State) worstCase(a Account, symbol string, side venues.Side) decimal.Decimal {
	opens := side.Opens()
	open := s.positions.Qty(symbol, opens).Add(unrecorded(a, symbol, side)).Add(s.possibleExposure(a, symbol, side))
	if listed, newer := s.positions.NewerListed(symbol, opens); newer {
		return decimal.Max(open, listed)
	}
	return open
}

// unrecorded returns the filled quantity of closed orders of a side whose executions are not
// recorded yet.
func unrecorded(a Account, symbol string, side venues.Side) decimal.Decimal {
	sum := decimal.Zero
	for o := range a.Unrecorded() {
		if o.Symbol == symbol && o.Side == side && !o.ReduceOnly {
			sum = sum.Add(o.FilledQty.Sub(o.RecordedQty))
		}
	}
	return sum
}

// possibleExposure returns the quantity that executions of a side may have opened although they
// seem to have reduced the opposite position: a reduce-only order, whose executions are not
// known yet, may have closed that position first. It is zero if a newer list of the venue
// agrees with the executions.
func (s *State) possibleExposure(a Account, symbol string, side venues.Side) decimal.Decimal {
	if !s.positions.IsUnconfirmed(symbol) {
		return decimal.Zero
	}
	reducing := decimal.Zero
	var since time.Time
	for o := range a.Live() {
		if o.Symbol == symbol && o.Side == side && o.ReduceOnly && !o.Status.IsClosed() {
			reducing = reducing.Add(decimal.Max(decimal.Zero, o.Qty.Sub(o.RecordedQty)))
			since = deadline.Earlier(since, o.CreatedAt.Time)
		}
	}
	return decimal.Min(s.positions.ExecutedSince(symbol, side, since), reducing)
}

// InFlight returns the quantity that the live orders of a side may still add to a position.
func InFlight(a Account, symbol string, side venues.Side) decimal.Decimal {
	sum := decimal.Zero
	for o := range a.Live() {
		if o.Symbol != symbol || o.Side != side || o.ReduceOnly || o.Status.IsClosed() {
			continue
		}
		total := o.Qty
		if o.AmendQty.Valid {
			total = decimal.Max(total, o.AmendQty.Decimal)
		}
		left := total.Sub(o.RecordedQty) // fills that are not recorded are not part of the position yet
		sum = sum.Add(decimal.Max(decimal.Zero, left))
	}
	return sum
}
