package position

import (
	"maps"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

// Current returns the open positions by all that is known: those on the venue's list,
// corrected by newer executions, because the list may lack an execution for ListLag. While
// the executions of an instrument differ from the list, the list counts. liveMark
// returns the present mark price of an instrument, at which they are valued; where it is
// unknown, mark price and unrealized P&L are as the venue has last reported them.
func (s *State) Current(a Account, liveMark func(symbol string) venues.Optional) []venues.Position {
	open := maps.Clone(s.listed.open)
	for _, l := range s.ledgers {
		for _, side := range Sides() {
			k := key(l.symbol, side)
			if s.includes(l, side) || !l.mismatchSince.IsZero() { // executions are missing
				continue
			}
			if p, isOpen := s.executed(a, l, side); isOpen {
				open[k] = p
			} else {
				delete(open, k)
			}
		}
	}
	list := inKeyOrder(open)
	for i := range list {
		revalue(&list[i], liveMark(list[i].Symbol))
	}
	return list
}

// revalue sets the mark price of a position and its unrealized P&L at that price.
func revalue(p *venues.Position, mark venues.Optional) {
	if !mark.Valid {
		return
	}
	p.MarkPrice = mark
	if p.EntryPrice.Valid {
		p.UnrealizedPnl = venues.Some(p.Gain(mark.Decimal.Sub(p.EntryPrice.Decimal)))
	}
}

// includes reports whether the venue's list certainly includes the executions of a position:
// they became known before it and, by the venue's clock, are older. Of two executions in a
// millisecond it may lack the second.
func (s *State) includes(l *ledger, side venues.PositionSide) bool {
	k := key(l.symbol, side)
	if _, isListed := s.listed.open[k]; isListed {
		at := s.listed.venueAt[k]
		return !l.knownAt.After(s.listed.asOf[k]) && (at.IsZero() || l.newestAt().Before(at))
	}
	until := deadline.Later(s.listed.readAt.Add(-ListLag), s.listed.closedAt[k])
	if closes := l.reported[side]; len(closes) > 0 {
		until = deadline.Later(until, closes[len(closes)-1].at)
	}
	return !l.knownAt.After(until)
}

// executed returns a position by its executions, with what the venue has reported of it that
// does not depend on its quantity.
func (s *State) executed(a Account, l *ledger, side venues.PositionSide) (venues.Position, bool) {
	totals := l.now.of(side)
	qty := OpenQty(totals)
	if !qty.IsPositive() {
		return venues.Position{}, false
	}
	p, isListed := s.listed.open[key(l.symbol, side)]
	if isListed && p.Qty.Equal(qty) {
		return p, true
	}
	if !isListed {
		p = venues.Position{Exchange: s.exchange, Symbol: l.symbol, Side: side, OpenedAt: totals.OpenedAt}
		p = a.WithTriggers(p)
	}
	p.Qty, p.UpdatedAt = qty, venues.At(l.knownAt)
	p.EntryPrice, p.UnrealizedPnl, p.LiquidationPrice = venues.Optional{}, venues.Optional{}, venues.Optional{}
	if totals.OpenCost.IsPositive() {
		p.EntryPrice = venues.Some(totals.OpenCost.DivRound(qty, AvgPriceDecimals))
	}
	return p, true
}
