package book

import (
	"time"

	"venuegate/venues"
)

// Phase says how far a book can be trusted.
type Phase uint8

// Phases of a book. Only a live one is published.
const (
	// PhaseWaiting: nothing was heard of the book yet.
	PhaseWaiting Phase = iota
	// PhaseSyncing: the book is being built for the first time.
	PhaseSyncing
	// PhaseLive: the book stands at a known point of the venue's sequence.
	PhaseLive
	// PhaseStale: the book was live, is not any more, and is being rebuilt.
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

// sequencer keeps a book in step with the venue's sequence, or says at once that
// it is not. The rule, in venues.BookUpdate's numbers: a snapshot s is joined by
// the first update with FirstSeq <= s <= LastSeq or PrevSeq == s; from then on
// each update's PrevSeq is the LastSeq of the one before. Anything else is a gap.
//
// It owns the updates that it is given.
type sequencer struct {
	// restSnapshots: the stream brings changes alone, and snapshots are fetched.
	restSnapshots bool
	count         *counters
	out           *outbox

	open  bool // the book's channel is subscribed
	phase Phase
	since time.Time // when the phase began
	loss  string    // why the book was last lost, for the log

	book      ladders
	seq       uint64 // where the book stands
	venueTime time.Time
	received  time.Time // when the newest message came, of whatever use
	// renewed: the book was loaded anew since the last publication.
	renewed bool

	// following: the book takes updates from the stream. A book that follows
	// but is crossed is not live.
	following bool
	chain     uint64 // LastSeq of the newest update; known if chained
	chained   bool
	// ahead: the snapshot is newer than the stream, whose updates before seq
	// are to be passed over.
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

// stop forgets the book; updates that still come are dropped.
func (q *sequencer) stop(now time.Time) {
	q.forget()
	q.open = false
	q.resync.attempt = 0
	q.enter(PhaseWaiting, now)
}

// update takes the next message of the stream.
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

// adopt takes a snapshot that came in the stream; it replaces everything.
func (q *sequencer) adopt(now time.Time, u *venues.BookUpdate) {
	q.forget()
	q.count.snapshots.Add(1)
	q.load(u, q.restSnapshots)
	q.chain, q.chained, q.ahead = u.LastSeq, true, false
	u.Release()
	q.settle(now)
}

// load begins the book anew at a snapshot.
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
	// Fresh and crossed: either the venue is in an auction, and updates will
	// uncross it, or the snapshot was bad, and another one may be better.
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

// link is how an update stands to what came before it.
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

// joins says whether a snapshot at seq goes on with u.
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

// take brings the book to where u ends. Quantities are absolute, so an update
// that began before the snapshot does no harm; one that ended before it would.
func (q *sequencer) take(u *venues.BookUpdate) {
	q.chain, q.chained = u.LastSeq, true
	if q.ahead && u.LastSeq < q.seq {
		return
	}
	q.ahead = false
	q.book.apply(u)
	q.seq, q.venueTime = u.LastSeq, u.VenueTime
}

// collect takes an update of a book that does not follow the stream.
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

// overrun says that updates were lost on our own side.
func (q *sequencer) overrun(now time.Time) {
	if q.following {
		q.lose(now, lossOverrun, nil)
		return
	}
	q.backlog.clear()
}

// lose gives up a book that has lost the sequence, and begins to rebuild it. The
// update that showed the loss may be nil.
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

// interrupted says that the venue's connection lost messages and is being
// mended: there is nothing to do until it is.
func (q *sequencer) interrupted(now time.Time) {
	if !q.open {
		return
	}
	q.forget()
	q.resync.attempt = 0
	q.distrust(now, lossInterrupted)
}

// resumed says that the channel is subscribed, for the first time or again. A
// book by REST needs to know: before that a snapshot without updates would be a
// picture of a market that nobody watches.
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

// forget drops the book and whatever is under way about it.
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

// published says that everybody has been shown the book as it is.
func (q *sequencer) published() {
	q.renewed = false
	q.book.bids.touched, q.book.asks.touched = untouched, untouched
}
