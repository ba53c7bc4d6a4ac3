package position

import (
	"cmp"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// Position has the totals of one position from its first execution to its last.
type Position = persistence.PositionTotals

// Sides returns both sides of an instrument, long first.
func Sides() [2]venues.PositionSide { return [2]venues.PositionSide{venues.Long, venues.Short} }

// key returns the Position.Key of a side of an instrument.
func key(symbol string, side venues.PositionSide) string {
	return (&venues.Position{Symbol: symbol, Side: side}).Key()
}

// OpenQty returns the open quantity of a position; nil is flat. It is negative while executions
// that entered the position are missing.
func OpenQty(p *Position) decimal.Decimal {
	if p == nil {
		return decimal.Zero
	}
	return venues.Difference(venues.Difference(venues.Sum(p.EntryQty, p.UnpricedEntry), p.ExitQty), p.UnpricedExit)
}

// Pnl returns the realized P&L of a closed position, without fees. It is unknown if the price
// of one of its executions is unknown.
func Pnl(side venues.PositionSide, p *Position) venues.Optional {
	if p.UnpricedEntry.IsPositive() || p.UnpricedExit.IsPositive() {
		return venues.Optional{}
	}
	gain := p.ExitNotional.Sub(p.EntryNotional)
	if side == venues.Short {
		gain = gain.Neg()
	}
	return venues.Some(gain)
}

// Closing is a position that has become flat.
type Closing struct {
	Side     venues.PositionSide
	Position Position
	// by is the index in ledger.recent of the execution that closed it.
	by int
	// knownAt is when the last of its executions became known.
	knownAt time.Time
}

// netting has the open positions of one instrument, to which executions are netted.
type netting struct{ long, short *Position }

func (n *netting) of(side venues.PositionSide) *Position {
	if side == venues.Long {
		return n.long
	}
	return n.short
}

func (n *netting) set(side venues.PositionSide, p *Position) {
	if side == venues.Long {
		n.long = p
	} else {
		n.short = p
	}
}

func (n *netting) clone() netting {
	c := netting{}
	for _, side := range Sides() {
		if p := n.of(side); p != nil {
			copied := *p
			c.set(side, &copied)
		}
	}
	return c
}

// apply adds an execution and returns the positions that it closes. In one-way mode it first
// reduces the opposite position, and opens its own with the rest.
func (n *netting) apply(e Execution) []Closing {
	own := e.Side.Opens()
	if e.PositionSide != "" {
		if e.PositionSide == own {
			return n.enter(own, e)
		}
		return n.exit(e.PositionSide, e)
	}
	opposite := e.Side.Reduces()
	open := OpenQty(n.of(opposite))
	if !open.IsPositive() {
		return n.enter(own, e)
	}
	out, rest := e.split(decimal.Min(open, e.Qty))
	closings := n.exit(opposite, out)
	if !rest.Qty.IsPositive() {
		return closings
	}
	return append(closings, n.enter(own, rest)...)
}

func (n *netting) enter(side venues.PositionSide, e Execution) []Closing {
	p := n.begin(side, e)
	p.OpenCost = costWithEntry(p, e)
	p.EntryQty = venues.Sum(p.EntryQty, e.Qty)
	p.EntryNotional = venues.Sum(p.EntryNotional, e.Qty.Mul(e.Price))
	addFee(p, e)
	return n.closeFlat(side)
}

func (n *netting) exit(side venues.PositionSide, e Execution) []Closing {
	p := n.begin(side, e)
	p.OpenCost = costOfPart(p, OpenQty(p).Sub(e.Qty))
	p.ExitQty = venues.Sum(p.ExitQty, e.Qty)
	p.ExitNotional = venues.Sum(p.ExitNotional, e.Qty.Mul(e.Price))
	p.Reason = e.Reason
	addFee(p, e)
	return n.closeFlat(side)
}

// begin returns the position of a side, and opens one if there is none.
func (n *netting) begin(side venues.PositionSide, e Execution) *Position {
	p := n.of(side)
	if p == nil {
		p = &Position{OpenedAt: venues.At(e.At)}
		n.set(side, p)
	}
	p.Comment = cmp.Or(p.Comment, e.Comment)
	return p
}

// closeFlat removes a position that has become flat, and returns it.
func (n *netting) closeFlat(side venues.PositionSide) []Closing {
	p := n.of(side)
	if !OpenQty(p).IsZero() {
		return nil
	}
	n.set(side, nil)
	return []Closing{{Side: side, Position: *p}}
}

func addFee(p *Position, e Execution) {
	switch {
	case !e.Fee.Valid || p.FeesMixed:
	case p.FeeCurrency != "" && e.FeeCurrency != p.FeeCurrency:
		p.FeesMixed, p.Fee = true, venues.Optional{}
	default:
		p.Fee, p.FeeCurrency = venues.Some(venues.Sum(p.Fee.Decimal, e.Fee.Decimal)), e.FeeCurrency
	}
}

// realized returns the realized P&L of an execution at the average cost of the open position.
// It is unknown if that cost is unknown.
func (n *netting) realized(e Execution) venues.Optional {
	side, reduces := e.Reduces()
	if !reduces {
		return venues.Some(decimal.Zero)
	}
	p := n.of(side)
	open := OpenQty(p)
	qty := decimal.Min(e.Qty, open)
	switch {
	case !qty.IsPositive():
		return venues.Some(decimal.Zero)
	case !p.OpenCost.IsPositive():
		return venues.Optional{}
	}
	gain := e.Price.Mul(qty).Sub(p.OpenCost.Mul(qty).DivRound(open, AvgPriceDecimals))
	if side == venues.Short {
		gain = gain.Neg()
	}
	return venues.Some(gain)
}

// costWithEntry returns the cost of the open quantity after an execution has entered the
// position. Zero means unknown; an unknown cost stays unknown.
func costWithEntry(p *Position, e Execution) decimal.Decimal {
	open := OpenQty(p)
	switch {
	case open.IsNegative(): // an exit became known first
		return e.Price.Mul(decimal.Max(decimal.Zero, open.Add(e.Qty)))
	case open.IsPositive() && p.OpenCost.IsZero():
		return decimal.Zero
	}
	return venues.Sum(p.OpenCost, e.Price.Mul(e.Qty))
}

// costOfPart returns the cost of a quantity at the average cost of the open quantity.
func costOfPart(p *Position, qty decimal.Decimal) decimal.Decimal {
	if !qty.IsPositive() {
		return decimal.Zero
	}
	open := OpenQty(p)
	if !open.IsPositive() {
		return decimal.Zero
	}
	return p.OpenCost.Mul(qty).DivRound(open, AvgPriceDecimals)
}
