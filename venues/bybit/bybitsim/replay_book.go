package bybitsim

import (
	"encoding/json"
	"sort"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// replayBook is a recorded book under its recorded update ids.
type replayBook struct {
	exchange *simcore.Exchange
	listing  *listing
	topic    string
	levels   map[levelKey]simcore.LevelChange
	u, seq   int64
}

type levelKey struct {
	side  simcore.Side
	ticks int64
}

func newReplayBook(x *simcore.Exchange, topic string, l *listing) *replayBook {
	return &replayBook{exchange: x, topic: topic, listing: l, levels: map[levelKey]simcore.LevelChange{}}
}

// apply takes a recorded message.
func (b *replayBook) apply(f frame) {
	var data bookData
	if json.Unmarshal(f.data, &data) != nil {
		return
	}
	if f.whole {
		clear(b.levels)
	}
	b.put(simcore.Buy, data.Bids)
	b.put(simcore.Sell, data.Asks)
	b.u, b.seq = data.U, data.Seq
}

// put applies recorded rows; rows off the symbol's grid are left out.
func (b *replayBook) put(side simcore.Side, rows [][2]string) {
	for _, row := range rows {
		price, badPrice := venues.ParseDecimal(row[0])
		qty, badQty := venues.ParseDecimal(row[1])
		if badPrice != nil || badQty != nil {
			continue
		}
		change, ok := b.exchange.ChangeOf(b.listing.Symbol, side, simcore.Level{Price: price, Qty: qty})
		key := levelKey{side, change.Ticks}
		switch {
		case !ok:
		case change.Lots == 0:
			delete(b.levels, key)
		default:
			b.levels[key] = change
		}
	}
}

// side lists the levels of a side, best first.
func (b *replayBook) side(side simcore.Side) []simcore.LevelChange {
	levels := []simcore.LevelChange{}
	for key, change := range b.levels {
		if key.side == side {
			levels = append(levels, change)
		}
	}
	sort.Slice(levels, func(i, j int) bool {
		if side == simcore.Buy {
			return levels[i].Ticks > levels[j].Ticks
		}
		return levels[i].Ticks < levels[j].Ticks
	})
	return levels
}

// best is the best price of a side; zero where it is empty.
func (b *replayBook) best(side simcore.Side) decimal.Decimal {
	levels := b.side(side)
	if len(levels) == 0 {
		return zero
	}
	return b.exchange.LevelOf(b.listing.Symbol, levels[0]).Price
}

func (b *replayBook) rows(side simcore.Side, limit int) [][2]string {
	levels := b.side(side)
	rows := make([][2]string, 0, len(levels))
	for _, change := range levels[:min(limit, len(levels))] {
		rows = append(rows, b.listing.row(b.exchange.LevelOf(b.listing.Symbol, change)))
	}
	return rows
}

// data is the whole book, as a snapshot carries it.
func (b *replayBook) data(limit int) bookData {
	return bookData{
		Symbol: b.listing.Symbol, Bids: b.rows(simcore.Buy, limit), Asks: b.rows(simcore.Sell, limit), U: b.u, Seq: b.seq,
	}
}
