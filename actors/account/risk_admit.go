package account

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// Rules of risk_rejected.
const (
	ruleMaxNotional   = "max_order_notional"
	ruleMaxOpenOrders = "max_open_orders"
)

// admitRisk holds an order against the account's limits. Orders that reduce are
// always let through.
func (s *state) admitRisk(spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	if s.reduces(spec, nil) {
		return nil
	}
	if s.isClosed() {
		return s.lockRefusal()
	}
	if most := s.risk.limits.MaxOpenOrders; most > 0 {
		if open := s.openOrders(); open >= most {
			return venues.Errorf(venues.CodeRiskRejected, "too many open orders").
				With("rule", ruleMaxOpenOrders).With("limit", most).With("given", open+1)
		}
	}
	return s.checkNotional(spec, mark)
}

func (s *state) checkNotional(spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	most := s.risk.limits.MaxOrderNotional
	if !most.Valid {
		return nil
	}
	price := mark
	if spec.Price.Valid {
		price = spec.Price
	} else if !price.Valid {
		price = spec.TriggerPrice
	}
	refusal := venues.Errorf(venues.CodeRiskRejected, "the order is too large").
		With("rule", ruleMaxNotional).With("limit", venues.FormatDecimal(most.Decimal))
	if !price.Valid {
		return refusal // what it would cost is not known
	}
	if given := spec.Qty.Mul(price.Decimal); given.GreaterThan(most.Decimal) {
		return refusal.With("given", venues.FormatDecimal(given))
	}
	return nil
}

// openOrders counts the orders that are not closed, without protection.
func (s *state) openOrders() int {
	n := 0
	for _, o := range s.live {
		if !o.Status.IsClosed() && o.EntryOrderID == "" && o.Source != venues.SourceProtection {
			n++
		}
	}
	return n
}

// admitAmendRisk lets an order grow, or change its price, only within the limits.
func (s *state) admitAmendRisk(o *order, spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	if !s.increases(spec, o) {
		return nil
	}
	if s.isClosed() {
		return s.lockRefusal()
	}
	return s.checkNotional(spec, mark)
}

// increases says whether other terms of an order may make a position larger.
func (s *state) increases(spec *venues.OrderSpec, o *order) bool {
	return !o.isLoweredTo(spec) && !s.reduces(spec, o)
}

// reduces says whether an order can only make a position smaller: by its flag,
// or because it is not larger than what the venue and the executions both show
// open on the other side, less what other orders may take of it. In hedge mode
// an order without the flag opens.
func (s *state) reduces(spec *venues.OrderSpec, but *order) bool {
	if spec.ReduceOnly {
		return true
	}
	b := s.ledger.books[spec.Symbol]
	if b == nil || s.isHedged(b) {
		return false
	}
	side := spec.Side.Reduces()
	listed := s.funds.positions[(&venues.Position{Symbol: spec.Symbol, Side: side}).Key()]
	left := decimal.Min(listed.Qty, openQty(b.now.of(side)))
	for _, o := range s.live {
		if o != but && o.Symbol == spec.Symbol && o.Side == spec.Side {
			left = left.Sub(o.RemainingQty())
		}
	}
	return spec.Qty.LessThanOrEqual(left)
}

// isLoweredTo says whether terms differ from an order's by a smaller quantity
// alone.
func (o *order) isLoweredTo(spec *venues.OrderSpec) bool {
	return spec.Qty.LessThanOrEqual(o.Qty) &&
		venues.EqualOptional(spec.Price, o.Price) && venues.EqualOptional(spec.TriggerPrice, o.TriggerPrice)
}
