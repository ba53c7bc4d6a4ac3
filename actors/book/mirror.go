package book

import (
	"time"

	"venuegate/venues"
)

// Mirror is a book without its actor: the same sequence rules over the same
// ladders, for measurements and tools. It begins at a snapshot of the stream's
// own numbering and never fetches one. Not safe for concurrent use.
type Mirror struct {
	sequencer sequencer
	count     counters
	out       outbox
}

// NewMirror makes an empty mirror.
func NewMirror() *Mirror {
	m := &Mirror{}
	m.sequencer = newSequencer(false, &m.count, &m.out)
	m.sequencer.start(time.Time{})
	return m
}

// Update takes over the next message; see venues.BookUpdate.
func (m *Mirror) Update(u *venues.BookUpdate) {
	m.sequencer.update(time.Time{}, u)
	m.out.reset()
}

// Live says whether the book stands at a known point of the sequence.
func (m *Mirror) Live() bool { return m.sequencer.phase == PhaseLive }

// Best is the best level of each side; quantities are zero where there is none.
func (m *Mirror) Best() (bid, ask venues.Level) {
	bid, _ = m.sequencer.book.bids.best()
	ask, _ = m.sequencer.book.asks.best()
	return bid, ask
}
