package recording

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// Book is the recorded book of a symbol of an exchange. Not safe for concurrent
// use.
type Book struct {
	exchange *simcore.Exchange
	symbol   string
	levels   map[place]simcore.LevelChange
}

// place is where a level stands.
type place struct {
	side  simcore.Side
	ticks int64
}

// NewBook makes an empty book.
func NewBook(x *simcore.Exchange, symbol string) *Book {
	return &Book{exchange: x, symbol: symbol, levels: map[place]simcore.LevelChange{}}
}

// Clear takes all levels away, before a snapshot.
func (b *Book) Clear() { clear(b.levels) }

// Changes converts recorded rows of price and quantity; rows off the symbol's
// grid are left out.
func (b *Book) Changes(side simcore.Side, rows [][2]string) []simcore.LevelChange {
	changes := make([]simcore.LevelChange, 0, len(rows))
	for _, row := range rows {
		price, badPrice := venues.ParseDecimal(row[0])
		qty, badQty := venues.ParseDecimal(row[1])
		if badPrice != nil || badQty != nil {
			continue
		}
		if c, ok := b.exchange.ChangeOf(b.symbol, side, simcore.Level{Price: price, Qty: qty}); ok {
			changes = append(changes, c)
		}
	}
	return changes
}

// Put gives levels their new sizes; none removes a level.
func (b *Book) Put(changes []simcore.LevelChange) {
	for _, c := range changes {
		key := place{c.Side, c.Ticks}
		if c.Lots == 0 {
			delete(b.levels, key)
		} else {
			b.levels[key] = c
		}
	}
}

// Side lists the levels of a side, best first.
func (b *Book) Side(side simcore.Side) []simcore.LevelChange {
	levels := []simcore.LevelChange{}
	for key, change := range b.levels {
		if key.side == side {
			levels = append(levels, change)
		}
	}
	slices.SortFunc(levels, func(x, y simcore.LevelChange) int {
		if side == simcore.Buy {
			x, y = y, x
		}
		return cmp.Compare(x.Ticks, y.Ticks)
	})
	return levels
}

// Top lists the best levels of a side in decimals, best first.
func (b *Book) Top(side simcore.Side, depth int) []simcore.Level {
	changes := b.Side(side)
	levels := make([]simcore.Level, 0, min(depth, len(changes)))
	for _, change := range changes[:min(depth, len(changes))] {
		levels = append(levels, b.exchange.LevelOf(b.symbol, change))
	}
	return levels
}

// Best is the best price of a side; zero where it is empty.
func (b *Book) Best(side simcore.Side) decimal.Decimal {
	if best := b.Top(side, 1); len(best) > 0 {
		return best[0].Price
	}
	return decimal.Zero
}

// markPlaces are the decimals of a mark price in the middle of the book.
const markPlaces = 8

// Mirror puts the book behind the matching engine; see the function Mirror.
func (b *Book) Mirror() error {
	return Mirror(b.exchange, b.symbol, b.Side(simcore.Buy), b.Side(simcore.Sell))
}

// Mirror puts recorded levels, best first, behind the matching engine, with the
// mark price in their middle. Where a side is empty or the sides cross, the
// exchange stays as it is.
func Mirror(x *simcore.Exchange, symbol string, bids, asks []simcore.LevelChange) error {
	if len(bids) == 0 || len(asks) == 0 || bids[0].Ticks >= asks[0].Ticks {
		return nil
	}
	listed, ok := x.Instrument(symbol)
	if !ok {
		return fmt.Errorf("recorded book: the exchange does not list %s", symbol)
	}
	sum := x.LevelOf(symbol, bids[0]).Price.Add(x.LevelOf(symbol, asks[0]).Price)
	if err := x.SetMark(listed.Canonical, sum.DivRound(decimal.NewFromInt(2), markPlaces)); err != nil {
		return fmt.Errorf("mark price of the recorded book: %w", err)
	}
	if err := x.Mirror(symbol, bids, asks); err != nil {
		return fmt.Errorf("recorded book: %w", err)
	}
	return nil
}
