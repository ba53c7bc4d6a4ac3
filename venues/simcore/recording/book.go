package recording

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// Book is the recorded book of a symbol of an exchange. It is safe for concurrent
// use.
type Book struct {
	// MirrorDepth limits how many levels of a side are mirrored; zero for all.
	MirrorDepth int
	// Convert turns recorded quantities into those of the exchange; nil where they
	// are the same.
	Convert func(decimal.Decimal) decimal.Decimal

	exchange *simcore.Exchange
	symbol   string

	mu         sync.Mutex
	levels     map[levelKey]simcore.LevelChange
	mirroredAt time.Time
}

type levelKey struct {
	side  simcore.Side
	ticks int64
}

// NewBook returns an empty book.
func NewBook(x *simcore.Exchange, symbol string) *Book {
	return &Book{exchange: x, symbol: symbol, levels: map[levelKey]simcore.LevelChange{}}
}

// Symbol returns the symbol under which the exchange lists the book's market.
func (b *Book) Symbol() string { return b.symbol }

// Clear removes all levels, before a snapshot.
func (b *Book) Clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.levels)
}

// parse parses a recorded price and quantity.
func (b *Book) parse(price, qty string) (level simcore.Level, ok bool) {
	var badPrice, badQty error
	level.Price, badPrice = venues.ParseDecimal(price)
	level.Qty, badQty = venues.ParseDecimal(qty)
	if ok = badPrice == nil && badQty == nil; ok && b.Convert != nil {
		level.Qty = b.Convert(level.Qty)
	}
	return level, ok
}

// Changes converts recorded rows of price and quantity. Rows that are malformed or
// off the symbol's grid are left out.
func (b *Book) Changes(side simcore.Side, rows [][2]string) []simcore.LevelChange {
	changes := make([]simcore.LevelChange, 0, len(rows))
	for _, row := range rows {
		level, ok := b.parse(row[0], row[1])
		if !ok {
			continue
		}
		if c, ok := b.exchange.ChangeOf(b.symbol, side, level); ok {
			changes = append(changes, c)
		}
	}
	return changes
}

// Put sets the sizes of levels; a size of zero removes a level.
func (b *Book) Put(changes []simcore.LevelChange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range changes {
		key := levelKey{c.Side, c.Ticks}
		if c.Lots == 0 {
			delete(b.levels, key)
		} else {
			b.levels[key] = c
		}
	}
}

// Side returns the levels of a side, best first.
func (b *Book) Side(side simcore.Side) []simcore.LevelChange {
	b.mu.Lock()
	levels := []simcore.LevelChange{}
	for key, change := range b.levels {
		if key.side == side {
			levels = append(levels, change)
		}
	}
	b.mu.Unlock()
	slices.SortFunc(levels, func(x, y simcore.LevelChange) int {
		if side == simcore.Buy {
			x, y = y, x
		}
		return cmp.Compare(x.Ticks, y.Ticks)
	})
	return levels
}

// Top returns the best levels of a side in decimals, best first.
func (b *Book) Top(side simcore.Side, depth int) []simcore.Level {
	changes := b.Side(side)
	levels := make([]simcore.Level, 0, min(depth, len(changes)))
	for _, change := range changes[:min(depth, len(changes))] {
		levels = append(levels, b.exchange.LevelOf(b.symbol, change))
	}
	return levels
}

// Best returns the best price of a side, zero where it is empty.
func (b *Book) Best(side simcore.Side) decimal.Decimal {
	if best := b.Top(side, 1); len(best) > 0 {
		return best[0].Price
	}
	return decimal.Zero
}

// Start stops the exchange's own order flow in the symbol and moves its market to
// the recorded book, which must have a bid.
func (b *Book) Start() error {
	listed, ok := b.exchange.Instrument(b.symbol)
	if !ok {
		return fmt.Errorf("replay: the exchange does not list %s", b.symbol)
	}
	name := listed.Canonical
	if err := errors.Join(b.exchange.Pause(name, true), b.exchange.MovePrice(name, b.Best(simcore.Buy)), b.Mirror()); err != nil {
		return fmt.Errorf("replay %s: %w", b.symbol, err)
	}
	return nil
}

// Print prints a recorded trade on the exchange. A malformed one is ignored; the
// error is that of a trade off the symbol's grid.
func (b *Book) Print(taker simcore.Side, price, qty string) error {
	trade, ok := b.parse(price, qty)
	if !ok {
		return nil
	}
	return b.exchange.Print(b.symbol, taker, trade.Price, trade.Qty)
}

// MirrorPaced mirrors the book unless that was done less than interval before base,
// which is a time of the base clock.
func (b *Book) MirrorPaced(base time.Time, interval time.Duration) error {
	b.mu.Lock()
	due := base.Sub(b.mirroredAt) >= interval
	if due {
		b.mirroredAt = base
	}
	b.mu.Unlock()
	if !due {
		return nil
	}
	return b.Mirror()
}

// markPlaces are the decimals of a mark price in the middle of the book.
const markPlaces = 8

// Mirror puts the book behind the matching engine of the exchange, with the mark
// price in its middle. Where a side is empty or the sides cross, the exchange stays
// as it is.
func (b *Book) Mirror() error {
	x, bids, asks := b.exchange, b.Side(simcore.Buy), b.Side(simcore.Sell)
	if depth := b.MirrorDepth; depth > 0 {
		bids, asks = bids[:min(depth, len(bids))], asks[:min(depth, len(asks))]
	}
	if len(bids) == 0 || len(asks) == 0 || bids[0].Ticks >= asks[0].Ticks {
		return nil
	}
	listed, ok := x.Instrument(b.symbol)
	if !ok {
		return fmt.Errorf("recorded book: the exchange does not list %s", b.symbol)
	}
	sum := x.LevelOf(b.symbol, bids[0]).Price.Add(x.LevelOf(b.symbol, asks[0]).Price)
	if err := x.SetMark(listed.Canonical, sum.DivRound(decimal.NewFromInt(2), markPlaces)); err != nil {
		return fmt.Errorf("mark price of the recorded book: %w", err)
	}
	if err := x.Mirror(b.symbol, bids, asks); err != nil {
		return fmt.Errorf("recorded book: %w", err)
	}
	return nil
}
