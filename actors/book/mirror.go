package book

import (
	"time"

	"venuegate/venues"
)

// Mirror is a book without an actor, for benchmarks and tools: the same sequence rules
// and ladders. It begins with a snapshot of the stream and never fetches one. It is not
// safe for concurrent use.
type Mirror struct {
	sequencer sequencer
	count     counters
	out       outbox
}

// NewMirror returns an empty mirror.
func NewMirror() *Mirror {
	m := &Mirror{}
	m.sequencer = newSequencer(false, &m.count, &m.out)
	m.sequencer.start(time.Time{})
	return m
}

// Update applies the next message and takes ownership of it; see venues.BookUpdate.
func (m *Mirror) Update(u *venues.BookUpdate) {
	m.sequencer.update(time.Time{}, u)
	m.out.reset()
}

// Live reports whether the book is at a known point of the sequence.
func (m *Mirror) Live() bool { return m.sequencer.phase == PhaseLive }

// Best returns the best level of each side; the quantity is zero if there is none.
func (m *Mirror) Best() (bid, ask venues.Level) {
	bid, _ = m.sequencer.book.bids.best()
	ask, _ = m.sequencer.book.asks.best()
	return bid, ask
}
