package book

import (
	"time"

	"venuegate/venues"
)

// Intervals of building a book.
const (
	// quietMax is how long a book that needs a REST snapshot waits for the first update
	// of its subscribed stream. Then it fetches one anyway, because an illiquid
	// instrument has a book too.
	quietMax = 3 * time.Second
	// snapshotWaitMax bounds the wait for a snapshot of the stream or over REST.
	snapshotWaitMax = 10 * time.Second
	// The first attempt is made immediately; the wait before the second is retryMin and
	// doubles with each further one up to retryMax.
	retryMin = 250 * time.Millisecond
	retryMax = 30 * time.Second
	// settledAfter is how long a book must have been live for its next rebuild to begin
	// immediately. A book that is lost repeatedly is rebuilt less often, because each
	// rebuild costs request weight.
	settledAfter = 10 * time.Second
	// renewEvery is the number of failed REST attempts after which the stream is
	// resubscribed.
	renewEvery = 5
)

// step is the current step of a resync.
type step uint8

const (
	stepNone     step = iota
	stepQuiet         // REST: for the first update
	stepRetrying      // for the time of the next attempt
	stepFetching      // REST: for the answer
	stepAwaiting      // stream: for its snapshot
)

// resync is the state of building a book.
type resync struct {
	step    step
	attempt int
	// generation identifies the pending timer or request; results of another generation
	// are late.
	generation uint64
}

// expect waits for the messages of a subscribed stream.
func (q *sequencer) expect() {
	if q.restSnapshots {
		q.arm(stepQuiet, quietMax, 0)
	} else {
		q.arm(stepAwaiting, snapshotWaitMax, 0)
	}
}

// begin makes the next attempt, immediately or after a wait.
func (q *sequencer) begin(now time.Time) {
	if q.phase == PhaseWaiting {
		q.enter(PhaseSyncing, now)
	}
	r := &q.resync
	r.attempt++
	if wait := retryWait(r.attempt); wait > 0 {
		q.retryAfter(wait)
		return
	}
	q.request()
}

// retryWait returns the wait before the n-th attempt, n from 1.
func retryWait(n int) time.Duration {
	if n <= 1 {
		return 0
	}
	wait := retryMin
	for ; n > 2 && wait < retryMax; n-- {
		wait *= 2
	}
	return min(wait, retryMax)
}

func (q *sequencer) retryAfter(wait time.Duration) { q.arm(stepRetrying, wait, wait/2) }

// request requests a snapshot.
func (q *sequencer) request() {
	q.count.resyncs.Add(1)
	if q.following { // but crossed
		q.following = false
		q.book.clear()
	}
	if !q.restSnapshots {
		q.out.emit(renewBook{})
		q.arm(stepAwaiting, snapshotWaitMax, 0)
		return
	}
	if q.resync.attempt%renewEvery == 0 {
		q.out.emit(renewBook{})
	}
	q.resync.generation++
	q.resync.step = stepFetching
	q.out.emit(fetchSnapshot{generation: q.resync.generation})
}

// due handles the timer that arm has set.
func (q *sequencer) due(now time.Time, generation uint64) {
	if generation != q.resync.generation {
		return
	}
	switch q.resync.step {
	case stepRetrying:
		q.request()
	case stepQuiet, stepAwaiting:
		q.begin(now)
	case stepNone, stepFetching:
	}
}

// snapshot handles the result of fetchSnapshot.
func (q *sequencer) snapshot(now time.Time, generation uint64, u *venues.BookUpdate, err error) {
	switch {
	case generation != q.resync.generation || q.resync.step != stepFetching:
		release(u)
		return
	case err != nil:
		q.count.snapshotErrors.Add(1)
	case !q.join(u):
		q.count.snapshotsTooOld.Add(1)
		u.Release()
	default:
		u.Release()
		q.settle(now)
		return
	}
	q.begin(now)
}

// join applies the backlog to a REST snapshot. It rejects one that ends
// before the backlog begins. The backlog may end before the snapshot: the next update of
// the stream continues the snapshot.
func (q *sequencer) join(s *venues.BookUpdate) bool {
	end, passed := q.backlog.dropBefore(s.LastSeq)
	if len(q.backlog.updates) > 0 && !passed && !joins(q.backlog.updates[0], s.LastSeq) {
		return false
	}
	q.count.snapshots.Add(1)
	q.load(s, true)
	q.chain, q.chained, q.ahead = end, passed, true
	for _, u := range q.backlog.updates {
		q.take(u)
	}
	q.backlog.clear()
	return true
}

func (q *sequencer) arm(s step, after, jitter time.Duration) {
	q.resync.generation++
	q.resync.step = s
	q.out.emit(armSync{generation: q.resync.generation, after: after, jitter: jitter})
}

// disarm makes the pending timer or request late.
func (q *sequencer) disarm() {
	if q.resync.step == stepNone {
		return
	}
	q.resync.generation++
	q.resync.step = stepNone
}

func release(u *venues.BookUpdate) {
	if u != nil {
		u.Release()
	}
}
