package binancesim

import (
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/recording"
)

// replayBook is a recorded book: the recorded snapshot with the recorded
// changes applied, under the recorded update ids.
type replayBook struct {
	*recording.Book
	listing *listing
	lastID  int64
	// known says that there was a snapshot.
	known bool
}

func newReplayBook(x *simcore.Exchange, l *listing) *replayBook {
	return &replayBook{Book: recording.NewBook(x, l.Symbol), listing: l}
}

// seed starts the book from a snapshot.
func (b *replayBook) seed(snapshot depthBody) {
	b.Clear()
	b.known, b.lastID = true, snapshot.LastUpdateID
	b.Put(b.Changes(simcore.Buy, snapshot.Bids))
	b.Put(b.Changes(simcore.Sell, snapshot.Asks))
}

// apply adds a recorded event, unless the snapshot contains it already, and
// answers its changes.
func (b *replayBook) apply(event depthBodyEvent) []simcore.LevelChange {
	changes := append(b.Changes(simcore.Buy, event.Bids), b.Changes(simcore.Sell, event.Asks)...)
	if event.LastID > b.lastID {
		b.Put(changes)
		b.lastID = event.LastID
	}
	return changes
}

// top is the best levels of a side, best first.
func (b *replayBook) top(side simcore.Side, depth int) []simcore.LevelChange {
	levels := b.Side(side)
	return levels[:min(depth, len(levels))]
}

func (b *replayBook) rows(side simcore.Side, depth int) [][2]string {
	levels := b.Top(side, depth)
	rows := make([][2]string, len(levels))
	for i, level := range levels {
		rows[i] = [2]string{b.listing.price(level.Price), b.listing.qty(level.Qty)}
	}
	return rows
}
