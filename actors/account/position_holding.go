package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

type holding = persistence.PositionLife

// openQty is what has entered and not left. It is negative while executions that
// entered are still to come.
func openQty(l *holding) decimal.Decimal {
	if l == nil {
		return decimal.Zero
	}
	return l.EntryQty.Add(l.UnpricedEntry).Sub(l.ExitQty).Sub(l.UnpricedExit)
}

// lives are the open positions of one instrument.
type lives struct{ long, short *holding }

func (v *lives) of(side venues.PositionSide) *holding {
	if side == venues.Long {
		return v.long
	}
	return v.short
}

func (v *lives) set(side venues.PositionSide, l *holding) {
	if side == venues.Long {
		v.long = l
	} else {
		v.short = l
	}
}

func (v *lives) clone() lives {
	c := lives{}
	for _, side := range positionSides() {
		if l := v.of(side); l != nil {
			copied := *l
			c.set(side, &copied)
		}
	}
	return c
}

func positionSides() [2]venues.PositionSide { return [2]venues.PositionSide{venues.Long, venues.Short} }

// ended is a position that has become flat.
type ended struct {
	side venues.PositionSide
	life holding
	// by is the execution that ended it, an index of the book's recent ones.
	by int
	// heardAt is when the last of its executions became known.
	heardAt time.Time
}

// apply counts an execution in. In one-way mode it reduces the opposite position
// first and opens its own with what is left: a position that turns round ends.
func (v *lives) apply(e execution) []ended {
	own := e.side.Opens()
	if e.position != "" {
		if e.position == own {
			return v.enter(own, e)
		}
		return v.exit(e.position, e)
	}
	opposite := e.side.Reduces()
	open := openQty(v.of(opposite))
	if !open.IsPositive() {
		return v.enter(own, e)
	}
	out, rest := e.split(decimal.Min(open, e.qty))
	list := v.exit(opposite, out)
	if !rest.qty.IsPositive() {
		return list
	}
	return append(list, v.enter(own, rest)...)
}

func (v *lives) enter(side venues.PositionSide, e execution) []ended {
	l := v.begin(side, e)
	l.OpenCost = costWithEntry(l, e)
	l.EntryQty = l.EntryQty.Add(e.qty)
	l.EntryNotional = l.EntryNotional.Add(e.qty.Mul(e.price))
	addFee(l, e)
	return v.end(side)
}

func (v *lives) exit(side venues.PositionSide, e execution) []ended {
	l := v.begin(side, e)
	l.OpenCost = costOfPart(l, openQty(l).Sub(e.qty))
	l.ExitQty = l.ExitQty.Add(e.qty)
	l.ExitNotional = l.ExitNotional.Add(e.qty.Mul(e.price))
	l.Reason = e.reason
	addFee(l, e)
	return v.end(side)
}

// begin is the position that an execution belongs to.
func (v *lives) begin(side venues.PositionSide, e execution) *holding {
	l := v.of(side)
	if l == nil {
		l = &holding{OpenedAt: venues.At(e.at)}
		v.set(side, l)
	}
	if l.Comment == "" {
		l.Comment = e.comment
	}
	return l
}

// end takes a life out that has become flat.
func (v *lives) end(side venues.PositionSide) []ended {
	l := v.of(side)
	if !openQty(l).IsZero() {
		return nil
	}
	v.set(side, nil)
	return []ended{{side: side, life: *l}}
}

func addFee(l *holding, e execution) {
	switch {
	case !e.fee.Valid || l.FeesMixed:
	case l.FeeCurrency != "" && e.feeCurrency != l.FeeCurrency:
		l.FeesMixed, l.Fee = true, venues.Optional{}
	default:
		l.Fee, l.FeeCurrency = venues.Some(l.Fee.Decimal.Add(e.fee.Decimal)), e.feeCurrency
	}
}

// pnl is what a position that has ended brought, without fees. It is unknown if
// any of its executions was never told.
func pnl(side venues.PositionSide, l *holding) venues.Optional {
	if l.UnpricedEntry.IsPositive() || l.UnpricedExit.IsPositive() {
		return venues.Optional{}
	}
	gain := l.ExitNotional.Sub(l.EntryNotional)
	if side == venues.Short {
		gain = gain.Neg()
	}
	return venues.Some(gain)
}
