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
	// known reports whether there was a snapshot.
	known bool
}

func newReplayBook(x *simcore.Exchange, l *listing) *replayBook {
	b := &replayBook{Book: recording.NewBook(x, l.Symbol), listing: l}
	b.MirrorDepth = mirrorDepth
	return b
}

// seed starts the book from a snapshot.
func (b *replayBook) seed(snapshot depthBody) {
	b.Clear()
	b.known, b.lastID = true, snapshot.LastUpdateID
	b.Put(b.Changes(simcore.Buy, snapshot.Bids))
	b.Put(b.Changes(simcore.Sell, snapshot.Asks))
}

// apply applies a recorded event, unless the snapshot contains it already, and
// returns its changes.
func (b *replayBook) apply(event depthBodyEvent) []simcore.LevelChange {
	changes := append(b.Changes(simcore.Buy, event.Bids), b.Changes(simcore.Sell, event.Asks)...)
	if event.LastID > b.lastID {
		b.Put(changes)
		b.lastID = event.LastID
	}
	return changes
}

func (b *replayBook) rows(side simcore.Side, depth int) [][2]string {
	levels := b.Top(side, depth)
	rows := make([][2]string, len(levels))
	for i, level := range levels {
		rows[i] = [2]string{b.listing.price(level.Price), b.listing.qty(level.Qty)}
	}
	return rows
}
