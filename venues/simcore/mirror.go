package simcore

import (
	"fmt"
	"slices"
	"sort"

	"github.com/shopspring/decimal"
)

// List adds an instrument. It must be called before the exchange is shared, because
// LevelOf, ChangeOf and Symbols read the listing without a lock.
func (x *Exchange) List(listed Instrument) error {
	x.mu.Lock()
	defer x.unlock()
	if err := x.list(listed, x.clock.Now()); err != nil {
		return fmt.Errorf("simcore: %w", err)
	}
	sort.Strings(x.names)
	x.openMarket(x.symbols[listed.Symbol])
	x.settle()
	return nil
}

// ChangeOf converts a level to ticks and steps. It returns false where the level is
// off the symbol's grid.
func (x *Exchange) ChangeOf(symbolName string, side Side, level Level) (LevelChange, bool) {
	s, ok := x.symbols[symbolName]
	if !ok {
		return LevelChange{}, false
	}
	ticks, onTick := s.prices.count(level.Price)
	lots, onStep := s.sizes.count(level.Qty)
	return LevelChange{Side: side, Ticks: ticks, Lots: lots}, onTick && onStep && ticks > 0 && lots >= 0
}

// Mirror replaces the liquidity of the house in a book by the given levels, so that
// orders match against a market from elsewhere. It fills resting orders of accounts
// that the levels cross.
func (x *Exchange) Mirror(symbolName string, bids, asks []LevelChange) error {
	x.mu.Lock()
	defer x.unlock()
	s, rejection := x.symbol(symbolName)
	if rejection != nil {
		return rejection
	}
	wanted := map[Side]map[int64]int64{Buy: levelsOf(bids), Sell: levelsOf(asks)}
	for _, side := range []Side{Buy, Sell} {
		x.dropHouse(s, side, wanted[side])
	}
	for _, levels := range [][]LevelChange{bids, asks} {
		for _, l := range levels {
			x.sweep(s, l.Side, l.Ticks)
		}
	}
	for _, levels := range [][]LevelChange{bids, asks} {
		for _, l := range levels {
			if have := s.book.of(l.Side).find(l.Ticks); have == nil || have.houseLots() != l.Lots {
				x.setHouse(s, l.Side, l.Ticks, l.Lots)
			}
		}
	}
	x.settle()
	return nil
}

func levelsOf(changes []LevelChange) map[int64]int64 {
	levels := make(map[int64]int64, len(changes))
	for _, c := range changes {
		levels[c.Ticks] = c.Lots
	}
	return levels
}

// dropHouse removes the levels of the house that are not in wanted.
func (x *Exchange) dropHouse(s *symbol, side Side, wanted map[int64]int64) {
	for _, l := range slices.Backward(s.book.of(side).levels) {
		if l.houseLots() > 0 && wanted[l.ticks] == 0 {
			x.setHouse(s, side, l.ticks, 0)
		}
	}
}

// Print publishes a trade from elsewhere. It updates the last price and the candles
// and may trigger conditional orders, but fills no order.
func (x *Exchange) Print(symbolName string, taker Side, price, qty decimal.Decimal) error {
	x.mu.Lock()
	defer x.unlock()
	s, rejection := x.symbol(symbolName)
	if rejection != nil {
		return rejection
	}
	ticks, onTick := s.prices.count(price)
	lots, onStep := s.sizes.count(qty)
	if !onTick || !onStep || ticks <= 0 || lots <= 0 {
		return rejectAt(ReasonPriceOffTick, s.TickSize)
	}
	x.publish(s, x.newTrade(s, ticks, lots, taker))
	x.settle()
	return nil
}
