package book

import (
	"time"

	"venuegate/venues"
)

// checkLead is how long updates are kept before the snapshot of a comparison is
// fetched: REST may lag the stream, and a snapshot from before the first kept
// update cannot be compared.
const checkLead = 2 * time.Second

// check compares a live book with a second one that is built from a REST snapshot and
// the updates in the meantime. It detects a book that has drifted, and adds far levels
// that were unknown.
type check struct {
	running    bool
	generation uint64
	from       uint64 // the stream's sequence when the check began
	kept       backlog
	snapshot   *venues.BookUpdate
	shadow     ladders
}

// startCheck begins a comparison if the book is in a state to be compared.
func (q *sequencer) startCheck() {
	c := &q.check
	c.abandon(q)
	if q.phase != PhaseLive || !q.chained || q.ahead {
		return
	}
	c.running, c.from = true, q.chain
	c.generation++
	q.out.emit(armCheck{generation: c.generation})
}

// checkLed fetches the snapshot of a check that has kept updates for checkLead.
func (q *sequencer) checkLed(generation uint64) {
	if c := &q.check; c.running && c.generation == generation {
		q.out.emit(fetchSnapshot{generation: generation, check: true})
	}
}

// checkSnapshot handles the result of a check's fetchSnapshot.
func (q *sequencer) checkSnapshot(now time.Time, generation uint64, u *venues.BookUpdate, err error) {
	c := &q.check
	if !c.running || generation != c.generation {
		release(u)
		return
	}
	if err != nil || u.LastSeq < c.from {
		release(u)
		c.abandon(q)
		return
	}
	c.snapshot = u
	c.conclude(q, now)
}

// keep takes ownership of an update that the book has applied.
func (c *check) keep(q *sequencer, u *venues.BookUpdate) {
	if !c.running {
		u.Release()
		return
	}
	if renumbered := u.LastSeq < u.PrevSeq; renumbered || c.kept.full() {
		u.Release()
		c.abandon(q)
		return
	}
	c.kept.add(u)
}

// conclude compares both books once the stream has reached the snapshot.
func (c *check) conclude(q *sequencer, now time.Time) {
	if c.snapshot == nil || q.chain < c.snapshot.LastSeq {
		return
	}
	c.shadow.load(c.snapshot, true)
	c.kept.dropBefore(c.snapshot.LastSeq)
	for _, u := range c.kept.updates {
		c.shadow.apply(u)
	}
	agrees := c.shadow.agrees(&q.book)
	c.end()
	if !agrees {
		q.count.checksMismatched.Add(1)
		q.lose(now, lossMismatch, nil)
		return
	}
	q.count.checksMatched.Add(1)
	if q.book.bounded() {
		q.book, c.shadow = c.shadow, q.book
	}
}

// abandon ends a check without a result.
func (c *check) abandon(q *sequencer) {
	if c.running {
		q.count.checksAbandoned.Add(1)
		c.end()
	}
}

func (c *check) end() {
	c.running = false
	c.kept.clear()
	release(c.snapshot)
	c.snapshot = nil
}
