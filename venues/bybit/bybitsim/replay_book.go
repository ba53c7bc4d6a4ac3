package bybitsim

import (
	"encoding/json"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/recording"
)

// replayBook is a recorded book under its recorded update ids.
type replayBook struct {
	*recording.Book
	listing *listing
	topic   string
	u, seq  int64
}

func newReplayBook(x *simcore.Exchange, topic string, l *listing) *replayBook {
	return &replayBook{Book: recording.NewBook(x, l.Symbol), topic: topic, listing: l}
}

// apply applies a recorded message.
func (b *replayBook) apply(f frame) {
	var data bookData
	if json.Unmarshal(f.data, &data) != nil {
		return
	}
	if f.whole {
		b.Clear()
	}
	b.Put(b.Changes(simcore.Buy, data.Bids))
	b.Put(b.Changes(simcore.Sell, data.Asks))
	b.u, b.seq = data.U, data.Seq
}

func (b *replayBook) rows(side simcore.Side, limit int) [][2]string {
	levels := b.Top(side, limit)
	rows := make([][2]string, len(levels))
	for i, level := range levels {
		rows[i] = b.listing.row(level)
	}
	return rows
}

// data returns the whole book, as in a snapshot.
func (b *replayBook) data(limit int) bookData {
	return bookData{
		Symbol: b.listing.Symbol, Bids: b.rows(simcore.Buy, limit), Asks: b.rows(simcore.Sell, limit), U: b.u, Seq: b.seq,
	}
}
