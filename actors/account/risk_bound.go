package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// admitBound holds an order against what its channel may do with a position. The
// account decides, because it alone knows what is in flight: orders that are
// sent, resting or unknown count as if they will be filled.
func (s *state) admitBound(cmd *venues.PlaceOrder) *venues.Error {
	if cmd.ReduceOnly {
		return nil
	}
	own, against := s.mostOpen(cmd.Symbol, cmd.Side), s.open(cmd.Symbol, cmd.Side.Reduces())
	if cmd.NotOpposite && against.IsPositive() {
		return venues.Errorf(venues.CodeRiskRejected, "a position on the other side is open").
			With("rule", venues.RuleOpposite).With("limit", "0").With("given", venues.FormatDecimal(against))
	}
	if !cmd.MaxPosition.Valid {
		return nil
	}
	// What is open on the other side makes no room: a stop, or somebody else, may
	// close it first.
	leads := own.Add(s.inFlight(cmd.Symbol, cmd.Side)).Add(cmd.Qty)
	if leads.GreaterThan(cmd.MaxPosition.Decimal) {
		return venues.Errorf(venues.CodeRiskRejected, "the position would be larger than allowed").With("rule", venues.RuleMaxPosition).
			With("limit", venues.FormatDecimal(cmd.MaxPosition.Decimal)).With("given", venues.FormatDecimal(leads))
	}
	return nil
}

// open is the quantity of a position as its executions tell it, or, before any is
// known, as the venue does.
func (s *state) open(symbol string, side venues.PositionSide) decimal.Decimal {
	if b, known := s.ledger.books[symbol]; known {
		return decimal.Max(decimal.Zero, openQty(b.now.of(side)))
	}
	return s.funds.positions[(&venues.Position{Symbol: symbol, Side: side}).Key()].Qty
}

// mostOpen is what the position that orders of a side open may be at most. What the
// venue has told since the newest execution counts if it is more: others are missing.
func (s *state) mostOpen(symbol string, side venues.Side) decimal.Decimal {
	opens := side.Opens()
	open, key := s.open(symbol, opens).Add(s.unrecorded(symbol, side)), (&venues.Position{Symbol: symbol, Side: opens}).Key()
	b, known := s.ledger.books[symbol]
	if !known {
		return open
	}
	open = open.Add(s.perhapsOpened(b, side))
	if s.funds.asOf[key].After(b.heardAt) {
		return decimal.Max(open, s.funds.positions[key].Qty)
	}
	return open
}

// unrecorded is what closed orders of a side have opened and whose executions are
// still to come.
func (s *state) unrecorded(symbol string, side venues.Side) decimal.Decimal {
	sum := decimal.Zero
	for _, o := range s.unrecordedFills {
		if o.Symbol == symbol && o.Side == side && !o.ReduceOnly {
			sum = sum.Add(o.FilledQty.Sub(o.fillsQty))
		}
	}
	return sum
}

// perhapsOpened is what executions of a side may have opened while they seem to have
// closed: an order that only reduces, and whose own executions are still to come, may
// have closed the other side before them. The venue's word that agrees ends the doubt.
func (s *state) perhapsOpened(b *book, side venues.Side) decimal.Decimal {
	if b.hedged || (s.saidAt(b).After(b.heardAt) && b.agrees(s.funds.positions)) {
		return decimal.Zero
	}
	reducing, executed := decimal.Zero, decimal.Zero
	var since time.Time
	for _, o := range s.live {
		if o.Symbol == b.symbol && o.Side == side && o.ReduceOnly && !o.Status.IsClosed() {
			reducing = reducing.Add(decimal.Max(decimal.Zero, o.Qty.Sub(o.fillsQty)))
			since = earlier(since, o.CreatedAt.Time)
		}
	}
	for _, e := range b.recent {
		if e.side == side && !e.heardAt.Before(since) {
			executed = executed.Add(e.qty)
		}
	}
	return decimal.Min(executed, reducing)
}

// inFlight is what the orders of one side may still add to a position.
func (s *state) inFlight(symbol string, side venues.Side) decimal.Decimal {
	sum := decimal.Zero
	for _, o := range s.live {
		if o.Symbol != symbol || o.Side != side || o.ReduceOnly || o.Status.IsClosed() {
			continue
		}
		total := o.Qty
		if o.change.kind == venues.PendingAmend && o.change.protection == nil {
			total = decimal.Max(total, o.change.wanted.qty) // may be in force already
		}
		left := total.Sub(o.fillsQty) // what is filled and not recorded yet is no part of the position
		sum = sum.Add(decimal.Max(decimal.Zero, left))
	}
	return sum
}
