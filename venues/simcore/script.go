package simcore

import "github.com/shopspring/decimal"

// MovePrice moves a market to a price immediately: resting orders that the price
// crosses are filled at their own prices, the ladder of the house is placed around it,
// one trade is printed at it, and mark and index price are set to it.
func (x *Exchange) MovePrice(canonical string, price decimal.Decimal) error {
	return x.withMarket(canonical, func(s *symbol) error {
		if !price.IsPositive() {
			return reject(ReasonPriceNotPositive)
		}
		ticks, ok := s.prices.count(price)
		if !ok {
			return rejectAt(ReasonPriceOffTick, s.TickSize)
		}
		x.moveTo(s, ticks)
		x.settle()
		return nil
	})
}

func (x *Exchange) moveTo(s *symbol, ticks int64) {
	m := s.maker
	m.fair, m.anchor, m.mark = ticks*milli, ticks*milli, ticks*milli
	x.placeLadderAround(s, ticks)
	x.publish(s, x.newTrade(s, ticks, 1, Buy))
	price := s.prices.value(ticks)
	x.setMark(s, price, price)
}

// placeLadderAround replaces the ladder of the house by one around a price and fills
// the orders of accounts that the price crosses.
func (x *Exchange) placeLadderAround(s *symbol, ticks int64) {
	x.clearHouse(s)
	x.sweep(s, Buy, ticks)
	x.sweep(s, Sell, ticks)
	x.placeLadder(s, ticks-1, ticks+1)
}

// SetMark sets the mark and index price of a market without changing its book.
func (x *Exchange) SetMark(canonical string, price decimal.Decimal) error {
	return x.withMarket(canonical, func(s *symbol) error {
		if !price.IsPositive() {
			return reject(ReasonPriceNotPositive)
		}
		s.maker.mark = s.prices.floor(price) * milli
		x.setMark(s, price, price)
		x.settle()
		return nil
	})
}

// SetIndex sets the index price of a market without changing its mark price.
func (x *Exchange) SetIndex(canonical string, price decimal.Decimal) error {
	return x.withMarket(canonical, func(s *symbol) error {
		if !price.IsPositive() {
			return reject(ReasonPriceNotPositive)
		}
		x.setMark(s, s.mark, price)
		x.settle()
		return nil
	})
}

// SetFundingRate changes the rate of the next funding.
func (x *Exchange) SetFundingRate(canonical string, rate decimal.Decimal) error {
	return x.withMarket(canonical, func(s *symbol) error {
		s.FundingRate = rate
		return nil
	})
}

// Pause pauses or resumes the order flow of a market. Its orders still match.
func (x *Exchange) Pause(canonical string, paused bool) error {
	return x.withMarket(canonical, func(s *symbol) error {
		s.maker.paused = paused
		return nil
	})
}

// Halt halts or resumes trading of a symbol.
func (x *Exchange) Halt(canonical string, halted bool) error {
	return x.withMarket(canonical, func(s *symbol) error {
		if s.halted != halted {
			s.halted = halted
			x.emit(StatusEvent{Symbol: s.Symbol, Halted: halted})
		}
		return nil
	})
}

// SetDepth replaces the ladder of a market by one with the given number of levels on
// each side. With zero levels only the orders of accounts remain in the book.
func (x *Exchange) SetDepth(canonical string, levels int) error {
	return x.withMarket(canonical, func(s *symbol) error {
		if levels < 0 || levels > bookDepthMax {
			return reject(ReasonBadRequest)
		}
		s.maker.depth = levels
		x.placeLadderAround(s, s.maker.fair/milli)
		x.settle()
		return nil
	})
}

// HouseTrade takes qty (in the venue's units) from the book for the house, at the
// limit price or better where limit is positive. It returns the quantity taken.
func (x *Exchange) HouseTrade(canonical string, side Side, qty, limit decimal.Decimal) (got decimal.Decimal, err error) {
	err = x.withMarket(canonical, func(s *symbol) error {
		lots, ok := s.sizes.count(qty)
		if !ok || lots <= 0 {
			return rejectAt(ReasonQtyOffStep, s.StepSize)
		}
		t := taker{side: side, lots: lots}
		if limit.IsPositive() {
			if t.limit, t.limited = s.prices.count(limit); !t.limited {
				return rejectAt(ReasonPriceOffTick, s.TickSize)
			}
		}
		x.take(s, &t)
		x.settle()
		got = s.sizes.value(lots - t.lots)
		return nil
	})
	return got, err
}

// HouseLevel sets the quantity of the house at one price of a book; zero removes it.
func (x *Exchange) HouseLevel(canonical string, side Side, price, qty decimal.Decimal) error {
	return x.withMarket(canonical, func(s *symbol) error {
		ticks, ok := s.prices.count(price)
		if !ok || ticks <= 0 {
			return rejectAt(ReasonPriceOffTick, s.TickSize)
		}
		lots, ok := s.sizes.count(qty)
		if !ok || lots < 0 {
			return rejectAt(ReasonQtyOffStep, s.StepSize)
		}
		if lots > 0 {
			x.sweep(s, side, ticks)
		}
		x.setHouse(s, side, ticks, lots)
		x.settle()
		return nil
	})
}

// withMarket calls do for a market with the exchange's lock held.
func (x *Exchange) withMarket(canonical string, do func(*symbol) error) error {
	x.mu.Lock()
	defer x.unlock()
	s, rejection := x.byCanonical(canonical)
	if rejection != nil {
		return rejection
	}
	x.state.touchSymbol(s)
	return do(s)
}

func (x *Exchange) byCanonical(canonical string) (*symbol, *Rejection) {
	for _, name := range x.names {
		if s := x.symbols[name]; s.Canonical == canonical {
			return s, nil
		}
	}
	return nil, reject(ReasonUnknownSymbol)
}
