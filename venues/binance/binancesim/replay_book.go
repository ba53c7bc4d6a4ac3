package binancesim

import (
	"sort"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// replayBook is a recorded book: the recorded snapshot with the recorded
// changes applied, under the recorded update ids.
type replayBook struct {
	exchange *simcore.Exchange
	listing  *listing
	levels   map[levelKey]simcore.LevelChange
	lastID   int64
	// known says that there was a snapshot.
	known bool
}

func newReplayBook(x *simcore.Exchange, l *listing) *replayBook {
	return &replayBook{exchange: x, listing: l, levels: map[levelKey]simcore.LevelChange{}}
}

// seed starts the book from a snapshot.
func (b *replayBook) seed(snapshot depthBody) {
	b.levels = map[levelKey]simcore.LevelChange{}
	b.known, b.lastID = true, snapshot.LastUpdateID
	b.put(b.changes(simcore.Buy, snapshot.Bids))
	b.put(b.changes(simcore.Sell, snapshot.Asks))
}

// apply adds a recorded event, unless the snapshot contains it already, and
// answers its changes.
func (b *replayBook) apply(event depthBodyEvent) []simcore.LevelChange {
	changes := append(b.changes(simcore.Buy, event.Bids), b.changes(simcore.Sell, event.Asks)...)
	if event.LastID > b.lastID {
		b.put(changes)
		b.lastID = event.LastID
	}
	return changes
}

func (b *replayBook) put(changes []simcore.LevelChange) {
	for _, c := range changes {
		key := levelKey{c.Side, c.Ticks}
		if c.Lots == 0 {
			delete(b.levels, key)
		} else {
			b.levels[key] = c
		}
	}
}

// changes converts recorded rows; rows off the symbol's grid are left out.
func (b *replayBook) changes(side simcore.Side, rows [][2]string) []simcore.LevelChange {
	changes := make([]simcore.LevelChange, 0, len(rows))
	for _, row := range rows {
		price, badPrice := venues.ParseDecimal(row[0])
		qty, badQty := venues.ParseDecimal(row[1])
		if badPrice != nil || badQty != nil {
			continue
		}
		if c, ok := b.exchange.ChangeOf(b.listing.Symbol, side, simcore.Level{Price: price, Qty: qty}); ok {
			changes = append(changes, c)
		}
	}
	return changes
}

// top is the best levels of a side, best first.
func (b *replayBook) top(side simcore.Side, depth int) []simcore.LevelChange {
	var levels []simcore.LevelChange
	for key, c := range b.levels {
		if key.side == side {
			levels = append(levels, c)
		}
	}
	sort.Slice(levels, func(i, j int) bool {
		if side == simcore.Buy {
			return levels[i].Ticks > levels[j].Ticks
		}
		return levels[i].Ticks < levels[j].Ticks
	})
	return levels[:min(depth, len(levels))]
}

func (b *replayBook) rows(side simcore.Side, depth int) [][2]string {
	levels := b.top(side, depth)
	rows := make([][2]string, len(levels))
	for i, c := range levels {
		level := b.exchange.LevelOf(b.listing.Symbol, c)
		rows[i] = [2]string{b.listing.price(level.Price), b.listing.qty(level.Qty)}
	}
	return rows
}
