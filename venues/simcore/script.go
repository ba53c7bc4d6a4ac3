package simcore

import "github.com/shopspring/decimal"

// MovePrice moves a market to a price at once: resting orders that the price
// passes are filled at their own prices, the ladder is laid anew around it, one
// trade is printed at it, and mark and index price are set to it.
func (x *Exchange) MovePrice(canonical string, price decimal.Decimal) error {
	return x.on(canonical, func(s *symbol) error {
		if !price.IsPositive() {
			return refuse(ReasonPriceNotPositive)
		}
		ticks, ok := s.prices.count(price)
		if !ok {
			return refuseAt(ReasonPriceOffTick, s.TickSize)
		}
		x.moveTo(s, ticks)
		x.settle()
		return nil
	})
}

func (x *Exchange) moveTo(s *symbol, ticks int64) {
	m := s.maker
	m.fair, m.anchor, m.mark = ticks*milli, ticks*milli, ticks*milli
	x.layAround(s, ticks)
	x.publish(s, x.newTrade(s, ticks, 1, Buy))
	price := s.prices.value(ticks)
	x.setMark(s, price, price)
}

// layAround lays the ladder of a market anew on both sides of a price, which passes
// the orders of accounts that are in its way.
func (x *Exchange) layAround(s *symbol, ticks int64) {
	x.clearHouse(s)
	x.sweep(s, Buy, ticks)
	x.sweep(s, Sell, ticks)
	x.layLadder(s, ticks-1, ticks+1)
}

// SetMark sets the mark and index price of a market and leaves its book alone.
func (x *Exchange) SetMark(canonical string, price decimal.Decimal) error {
	return x.on(canonical, func(s *symbol) error {
		if !price.IsPositive() {
			return refuse(ReasonPriceNotPositive)
		}
		s.maker.mark = s.prices.floor(price) * milli
		x.setMark(s, price, price)
		x.settle()
		return nil
	})
}

// SetIndex sets the index price of a market alone.
func (x *Exchange) SetIndex(canonical string, price decimal.Decimal) error {
	return x.on(canonical, func(s *symbol) error {
		if !price.IsPositive() {
			return refuse(ReasonPriceNotPositive)
		}
		x.setMark(s, s.mark, price)
		x.settle()
		return nil
	})
}

// SetFundingRate changes the rate of the next funding.
func (x *Exchange) SetFundingRate(canonical string, rate decimal.Decimal) error {
	return x.on(canonical, func(s *symbol) error {
		s.FundingRate = rate
		return nil
	})
}

// Pause stops or resumes the flow of a market; its orders still match.
func (x *Exchange) Pause(canonical string, paused bool) error {
	return x.on(canonical, func(s *symbol) error {
		s.maker.paused = paused
		return nil
	})
}

// Halt stops or resumes trading of a symbol.
func (x *Exchange) Halt(canonical string, halted bool) error {
	return x.on(canonical, func(s *symbol) error {
		if s.halted != halted {
			s.halted = halted
			x.emit(StatusEvent{Symbol: s.Symbol, Halted: halted})
		}
		return nil
	})
}

// SetDepth lays the ladder of a market anew with levels a side; zero leaves the
// orders of accounts alone in the book.
func (x *Exchange) SetDepth(canonical string, levels int) error {
	return x.on(canonical, func(s *symbol) error {
		if levels < 0 || levels > bookDepthMax {
			return refuse(ReasonBadRequest)
		}
		s.maker.depth = levels
		x.layAround(s, s.maker.fair/milli)
		x.settle()
		return nil
	})
}

// HouseTrade lets the house take qty (in the venue's units) from the book, at
// the limit price or better where it is positive. It answers how much it got.
func (x *Exchange) HouseTrade(canonical string, side Side, qty, limit decimal.Decimal) (got decimal.Decimal, err error) {
	err = x.on(canonical, func(s *symbol) error {
		lots, ok := s.sizes.count(qty)
		if !ok || lots <= 0 {
			return refuseAt(ReasonQtyOffStep, s.StepSize)
		}
		t := taker{side: side, lots: lots}
		if limit.IsPositive() {
			if t.limit, t.limited = s.prices.count(limit); !t.limited {
				return refuseAt(ReasonPriceOffTick, s.TickSize)
			}
		}
		x.take(s, &t)
		x.settle()
		got = s.sizes.value(lots - t.lots)
		return nil
	})
	return got, err
}

// HouseLevel sets the house's quantity at one price of a book; zero removes it.
func (x *Exchange) HouseLevel(canonical string, side Side, price, qty decimal.Decimal) error {
	return x.on(canonical, func(s *symbol) error {
		ticks, ok := s.prices.count(price)
		if !ok || ticks <= 0 {
			return refuseAt(ReasonPriceOffTick, s.TickSize)
		}
		lots, ok := s.sizes.count(qty)
		if !ok || lots < 0 {
			return refuseAt(ReasonQtyOffStep, s.StepSize)
		}
		if lots > 0 {
			x.sweep(s, side, ticks)
		}
		x.setHouse(s, side, ticks, lots)
		x.settle()
		return nil
	})
}

// on does something to a market while nothing else happens at the exchange.
func (x *Exchange) on(canonical string, do func(*symbol) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, refusal := x.byCanonical(canonical)
	if refusal != nil {
		return refusal
	}
	return do(s)
}

func (x *Exchange) byCanonical(canonical string) (*symbol, *Refusal) {
	for _, name := range x.names {
		if s := x.symbols[name]; s.Canonical == canonical {
			return s, nil
		}
	}
	return nil, refuse(ReasonUnknownSymbol)
}
