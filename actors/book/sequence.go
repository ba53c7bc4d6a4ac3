package book

import (
	"time"

	"venuegate/venues"
)

// Phase is the state of a book.
type Phase uint8

// Phases of a book. Only a live one is published.
const (
	// PhaseWaiting: no message was received yet.
	PhaseWaiting Phase = iota
	// PhaseSyncing: the book is being built for the first time.
	PhaseSyncing
	// PhaseLive: the book is at a known point of the venue's sequence.
	PhaseLive
	// PhaseStale: the book is no longer live and is being rebuilt.
	PhaseStale
)

func (p Phase) String() string {
	return [...]string{"waiting", "syncing", "live", "stale"}[p]
}

// Causes of the loss of a book, for the log.
const (
	lossGap         = "gap"
	lossCrossed     = "crossed"
	lossExhausted   = "exhausted"
	lossInterrupted = "interrupted"
	lossMismatch    = "mismatch"
	lossOverrun     = "overrun"
	lossRescaled    = "rescaled"
)

// sequencer applies updates in the venue's sequence, and detects gaps. The rule, in
// venues.BookUpdate's numbers: a snapshot s is joined by the first update with
// FirstSeq <= s <= LastSeq or PrevSeq == s; from then on each update's PrevSeq is the
// LastSeq of the one before. Anything else is a gap.
//
// It takes ownership of updates.
type sequencer struct {
	// restSnapshots: the stream has only changes, and snapshots are fetched over REST.
	restSnapshots bool
	count         *counters
	out           *outbox

	open  bool // the book's topic is subscribed
	phase Phase
	since time.Time // when the phase began
	loss  string    // why the book was last lost, for the log

	book      ladders
	seq       uint64 // sequence number of the book
	venueTime time.Time
	received  time.Time // when the newest message arrived, used or not
	// renewed: a snapshot was loaded since the last publication.
	renewed bool

	// following: the book applies updates of the stream. A book that follows but is
	// crossed is not live.
	following bool
	chain     uint64 // LastSeq of the newest update; known if chained
	chained   bool
	// ahead: the snapshot is newer than the stream, whose updates before seq are
	// skipped.
	ahead bool

	resync  resync
	backlog backlog
	check   check
}

func newSequencer(restSnapshots bool, count *counters, out *outbox) sequencer {
	return sequencer{
		restSnapshots: restSnapshots, count: count, out: out,
		book: newLadders(), check: check{shadow: newLadders()},
	}
}

// start expects updates from now on.
func (q *sequencer) start(now time.Time) {
	q.open = true
	q.enter(PhaseWaiting, now)
	if !q.restSnapshots {
		q.expect()
	}
}

// stop drops the book; later updates are dropped too.
func (q *sequencer) stop(now time.Time) {
	q.forget()
	q.open = false
	q.resync.attempt = 0
	q.enter(PhaseWaiting, now)
}

// update processes the next message of the stream.
func (q *sequencer) update(now time.Time, u *venues.BookUpdate) {
	if !q.open {
		u.Release()
		return
	}
	q.count.updates.Add(1)
	q.received = u.Received
	switch {
	case u.Snapshot:
		q.adopt(now, u)
	case q.following:
		q.follow(now, u)
	default:
		q.collect(now, u)
	}
}

// adopt replaces the book by a snapshot of the stream.
func (q *sequencer) adopt(now time.Time, u *venues.BookUpdate) {
	q.forget()
	q.count.snapshots.Add(1)
	q.load(u, q.restSnapshots)
	q.chain, q.chained, q.ahead = u.LastSeq, true, false
	u.Release()
	q.settle(now)
}

// load replaces the book by a snapshot.
func (q *sequencer) load(u *venues.BookUpdate, mayBeCut bool) {
	q.book.load(u, mayBeCut)
	q.seq, q.venueTime = u.LastSeq, u.VenueTime
	q.following, q.renewed = true, true
}

// settle makes a book that follows the stream live, unless it is crossed.
func (q *sequencer) settle(now time.Time) {
	if !q.book.crossed() {
		q.enter(PhaseLive, now)
		return
	}
	// A new snapshot is crossed: either the venue is in an auction, and updates will
	// uncross it, or the snapshot was wrong, and another one may be better.
	q.count.crossings.Add(1)
	switch q.phase {
	case PhaseLive:
		q.distrust(now, lossCrossed)
	case PhaseWaiting:
		q.enter(PhaseSyncing, now)
	case PhaseSyncing, PhaseStale:
	}
	q.retryAfter(retryMax)
}

// link is how an update relates to the one before it.
type link uint8

const (
	linkNext link = iota
	linkRepeated
	linkGap
)

func (q *sequencer) link(u *venues.BookUpdate) link {
	switch {
	case !q.chained && (u.LastSeq < q.seq || joins(u, q.seq)):
		return linkNext
	case q.chained && u.PrevSeq == q.chain:
		return linkNext
	case q.chained && u.LastSeq == q.chain && u.PrevSeq < q.chain:
		return linkRepeated
	}
	return linkGap
}

// joins reports whether u continues a snapshot at seq.
func joins(u *venues.BookUpdate, seq uint64) bool {
	return u.FirstSeq <= seq && seq <= u.LastSeq || u.PrevSeq == seq
}

func (q *sequencer) follow(now time.Time, u *venues.BookUpdate) {
	switch q.link(u) {
	case linkGap:
		q.count.gaps.Add(1)
		q.lose(now, lossGap, u)
		return
	case linkRepeated:
		q.count.duplicates.Add(1)
		u.Release()
		return
	case linkNext:
	}
	q.take(u)
	q.check.keep(q, u)
	if q.phase == PhaseLive && q.book.crossed() {
		q.count.crossings.Add(1)
		q.lose(now, lossCrossed, nil)
		return
	}
	if q.book.exhausted() {
		q.lose(now, lossExhausted, nil)
		return
	}
	if q.phase != PhaseLive && !q.book.crossed() {
		q.renewed = true
		q.enter(PhaseLive, now)
	}
	q.check.conclude(q, now)
}

// take applies u. Quantities are absolute, so an update that began before the snapshot
// is harmless; one that ended before it would not be.
func (q *sequencer) take(u *venues.BookUpdate) {
	q.chain, q.chained = u.LastSeq, true
	if q.ahead && u.LastSeq < q.seq {
		return
	}
	q.ahead = false
	q.book.apply(u)
	q.seq, q.venueTime = u.LastSeq, u.VenueTime
}

// collect processes an update of a book that does not follow the stream.
func (q *sequencer) collect(now time.Time, u *venues.BookUpdate) {
	if !q.restSnapshots {
		u.Release()
		if q.resync.step == stepNone {
			q.expect()
		}
		return
	}
	q.backlog.add(u)
	if q.resync.step == stepNone || q.resync.step == stepQuiet {
		q.begin(now)
	}
}

// overrun handles updates that were lost in the inbox.
func (q *sequencer) overrun(now time.Time) {
	if q.following {
		q.lose(now, lossOverrun, nil)
		return
	}
	q.backlog.clear()
}

// lose drops a book that has lost the sequence, and begins to rebuild it. The update
// that showed the loss may be nil.
func (q *sequencer) lose(now time.Time, why string, u *venues.BookUpdate) {
	if q.phase == PhaseLive && now.Sub(q.since) >= settledAfter {
		q.resync.attempt = 0
	}
	q.forget()
	q.distrust(now, why)
	if u != nil && q.restSnapshots {
		q.backlog.add(u)
	} else if u != nil {
		u.Release()
	}
	q.begin(now)
}

// interrupted handles a connection that has lost messages and is being restored; nothing
// is done until it is.
func (q *sequencer) interrupted(now time.Time) {
	if !q.open {
		return
	}
	q.forget()
	q.resync.attempt = 0
	q.distrust(now, lossInterrupted)
}

// resumed handles a topic that is subscribed, for the first time or again. A book with
// REST snapshots depends on it: before, a snapshot would not be followed by updates.
func (q *sequencer) resumed() {
	if q.open && !q.following && q.resync.step == stepNone {
		q.expect()
	}
}

func (q *sequencer) distrust(now time.Time, why string) {
	q.loss = why
	switch q.phase {
	case PhaseLive:
		q.enter(PhaseStale, now)
	case PhaseSyncing:
		q.enter(PhaseWaiting, now)
	case PhaseWaiting, PhaseStale:
	}
}

// forget drops the book and its pending requests.
func (q *sequencer) forget() {
	q.following, q.chained, q.ahead, q.renewed = false, false, false, false
	q.book.clear()
	q.backlog.clear()
	q.check.abandon(q)
	q.disarm()
}

func (q *sequencer) enter(p Phase, now time.Time) {
	if p == PhaseLive {
		q.disarm()
	}
	if p != q.phase {
		q.phase, q.since = p, now
	}
}

// published marks the current state as published.
func (q *sequencer) published() {
	q.renewed = false
	q.book.bids.touched, q.book.asks.touched = untouched, untouched
}
