package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// Order returns an order, open or closed; an empty symbol means any. If several have
// the client order id, it returns the latest. The error is a *Rejection, with
// ReasonUnknownOrder where there is none.
func (x *Exchange) Order(accountID, symbolName string, ref OrderRef) (Order, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a, rejection := x.account(accountID)
	if rejection != nil {
		return Order{}, rejection
	}
	if o := a.find(symbolName, ref); o != nil {
		return *o, nil
	}
	return Order{}, reject(ReasonUnknownOrder)
}

// OpenOrders returns the open orders, sorted by id; an empty symbol means all.
func (x *Exchange) OpenOrders(accountID, symbolName string) []Order {
	return readAccount(x, accountID, func(a *account) []Order {
		open := a.openOrders(symbolName)
		orders := make([]Order, len(open))
		for i, o := range open {
			orders[i] = *o
		}
		return orders
	})
}

// readAccount returns the result of read, which is called with the exchange's lock held;
// zero for an unknown account.
func readAccount[T any](x *Exchange, id string, read func(*account) T) (result T) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if a, ok := x.accounts[id]; ok {
		result = read(a)
	}
	return result
}

// readSymbol is readAccount for a symbol. It reports whether the symbol is known.
func readSymbol[T any](x *Exchange, name string, read func(*symbol) T) (result T, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, known := x.symbols[name]
	if known {
		result = read(s)
	}
	return result, known
}

// Orders returns the orders in the history for which keep is true, oldest first.
func (x *Exchange) Orders(accountID string, keep func(*Order) bool) []Order {
	return readAccount(x, accountID, func(a *account) (orders []Order) {
		for _, o := range a.history {
			if keep(o) {
				orders = append(orders, *o)
			}
		}
		return orders
	})
}

// Fills returns the fills in the history for which keep is true, oldest first.
func (x *Exchange) Fills(accountID string, keep func(*Fill) bool) []Fill {
	return readAccount(x, accountID, func(a *account) []Fill { return filter(a.fills, keep) })
}

func filter[T any](list []T, keep func(*T) bool) []T {
	var kept []T
	for i := range list {
		if keep(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// Conditional returns a conditional order, open or closed. The error is a *Rejection,
// with ReasonUnknownOrder where there is none.
func (x *Exchange) Conditional(accountID string, ref OrderRef) (Conditional, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a, rejection := x.account(accountID)
	if rejection != nil {
		return Conditional{}, rejection
	}
	c := a.conditionals.find(ref)
	if c == nil {
		return Conditional{}, reject(ReasonUnknownOrder)
	}
	return a.copyConditional(c), nil
}

// Conditionals returns the conditional orders in the history for which keep is true,
// oldest first.
func (x *Exchange) Conditionals(accountID string, keep func(*Conditional) bool) []Conditional {
	return readAccount(x, accountID, func(a *account) (found []Conditional) {
		for _, c := range a.conditionals.history {
			if keep(c) {
				found = append(found, a.copyConditional(c))
			}
		}
		return found
	})
}

// Symbols returns the venue's symbols, sorted.
func (x *Exchange) Symbols() []string { return append([]string(nil), x.names...) }

// Instrument returns the listing of a symbol with its current halt state.
func (x *Exchange) Instrument(symbolName string) (Instrument, bool) {
	return readSymbol(x, symbolName, func(s *symbol) Instrument {
		listed := *s.Instrument
		listed.Halted = s.halted
		return listed
	})
}

// Level is a price with its total quantity.
type Level struct{ Price, Qty decimal.Decimal }

// BookView is a snapshot of a book, best levels first.
type BookView struct {
	Symbol   string
	UpdateID int64
	Time     time.Time
	Bids     []Level
	Asks     []Level
}

// Book returns the best depth levels of a book. UpdateID is that of its newest change.
func (x *Exchange) Book(symbolName string, depth int) (BookView, bool) {
	return readSymbol(x, symbolName, func(s *symbol) BookView {
		return BookView{
			Symbol: symbolName, UpdateID: s.lastUpdate, Time: x.clock.Now(),
			Bids: s.top(&s.book.bids, depth), Asks: s.top(&s.book.asks, depth),
		}
	})
}

func (s *symbol) top(half *bookSide, depth int) []Level {
	depth = min(depth, len(half.levels))
	levels := make([]Level, depth)
	for i := range levels {
		l := half.levels[len(half.levels)-1-i]
		levels[i] = Level{Price: s.prices.value(l.ticks), Qty: s.sizes.value(l.lots)}
	}
	return levels
}

// LevelOf converts a level change to decimals.
func (x *Exchange) LevelOf(symbolName string, change LevelChange) Level {
	s := x.symbols[symbolName]
	return Level{Price: s.prices.value(change.Ticks), Qty: s.sizes.value(change.Lots)}
}

// Trades returns the newest limit public trades of a symbol, oldest first.
func (x *Exchange) Trades(symbolName string, limit int) []Trade {
	trades, _ := readSymbol(x, symbolName, func(s *symbol) []Trade {
		return append([]Trade(nil), s.trades[max(0, len(s.trades)-limit):]...)
	})
	return trades
}

// Mark returns the mark price of a symbol.
func (x *Exchange) Mark(symbolName string) (MarkPrice, bool) {
	return readSymbol(x, symbolName, (*symbol).markPrice)
}

// LastPrice returns the price of the newest trade, zero for an unknown symbol.
func (x *Exchange) LastPrice(symbolName string) decimal.Decimal {
	price, _ := readSymbol(x, symbolName, func(s *symbol) decimal.Decimal { return s.prices.value(s.lastTicks) })
	return price
}

// Candles returns the newest limit candles that begin within [from, to), oldest
// first. Zero times mean no bound. Those before the opening of the market are generated
// for a year; a candle is always the sum of its minutes.
func (x *Exchange) Candles(symbolName string, interval Interval, from, to time.Time, limit int) []Candle {
	if !interval.Valid() {
		return nil
	}
	x.mu.Lock()
	s, ok := x.symbols[symbolName]
	if !ok {
		x.mu.Unlock()
		return nil
	}
	now := x.clock.Now()
	if to.IsZero() {
		to = now.Add(week)
	}
	bars := s.candles.live(interval, from, to, limit)
	x.mu.Unlock()
	// Without the lock: a year of minutes takes some ten milliseconds.
	bars = s.candles.history.bars(bars, interval, from, to, limit)
	candles := make([]Candle, len(bars))
	for i, b := range bars {
		c := s.export(b, interval)
		c.Closed = !now.Before(c.End)
		candles[len(candles)-1-i] = c
	}
	return candles
}

// OpenInterest returns the total quantity of the positions of all accounts, long and
// short, in the venue's units.
func (x *Exchange) OpenInterest(symbolName string) decimal.Decimal {
	interest, _ := readSymbol(x, symbolName, func(s *symbol) decimal.Decimal {
		var lots int64
		for _, a := range x.accounts {
			if h, ok := a.holdings[symbolName]; ok {
				for i := range h.positions {
					lots += abs(h.positions[i].lots)
				}
			}
		}
		return s.sizes.value(lots)
	})
	return interest
}

// RandSeed returns the two parts of the seed of a random generator for a purpose.
func (x *Exchange) RandSeed(purpose string) (uint64, uint64) {
	return x.options.Seed, hash64(purpose)
}
