package journal

import (
	"fmt"
	"slices"
	"sync"

	"venuegate/persistence"
)

// mergedRowsMax bounds the rows of a commit that was merged from several.
const mergedRowsMax = 256

// errBroken is the error of batches behind a commit that failed.
var errBroken = fmt.Errorf("%w: a commit before this one has failed", persistence.ErrUnavailable)

// CommitQueue submits the batches of one actor. An actor computes each batch from
// the state that its earlier batches left, so nothing may become durable behind a
// commit that failed: a record would then contain a change whose events are lost.
//
//   - One commit is under way at a time, until it is written. Batches that arrive
//     meanwhile are merged into the next commit; a later version of a record replaces an
//     earlier one. A commit whose batches all allow it (Batch.Written) is synced later.
//     Batches that may use the reserve of a full disk (Batch.Reserve) are merged with
//     others that may, so that those that may not do not fail them.
//   - A batch with a claim (Absent) is a commit of its own, since it may be refused
//     for its own reasons; nothing else may depend on it before it is answered.
//     Several of them, and one other commit behind them, may be under way together.
//   - Behind a commit that failed, every batch is answered with ErrUnavailable until
//     an empty batch resets the queue. A restarted actor submits one before it reads
//     what is durable. A refused claim does not count as a failure.
//
// It is safe for concurrent use. One CommitQueue serves all incarnations of its
// actor.
type CommitQueue struct {
	journal persistence.Submitter

	mu sync.Mutex
	// entries are the commits that are not answered yet, oldest first.
	entries []*entry
	// working reports whether a goroutine is processing the entries.
	working bool
	broken  bool
}

// entry is one commit.
type entry struct {
	batch persistence.Batch
	// done and written are the callbacks of the merged batches, in order. delayed reports
	// that all batches allow a delayed sync.
	done    []func(error)
	written []func()
	delayed bool
	sent    bool
	// isWritten is set when the store has written the commit: what follows it is lost with
	// it.
	isWritten bool
	over      bool
	err       error
}

// CommitQueue returns the queue of the customer's actor with this name; every call
// returns the same one.
func (c *Client) CommitQueue(customer, name string) *CommitQueue {
	key := customer + "/" + name
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queues[key] == nil {
		c.queues[key] = &CommitQueue{journal: c}
	}
	return c.queues[key]
}

// Submit queues a batch. done is called once, in the order of the calls, and must
// not block.
func (q *CommitQueue) Submit(b persistence.Batch, done func(error)) {
	q.mu.Lock()
	if last := q.last(); last == nil || !last.merge(b) {
		q.entries = append(q.entries, &entry{batch: b, delayed: true})
	}
	last := q.last()
	last.done = append(last.done, done)
	last.delayed = last.delayed && b.Written != nil
	if b.Written != nil {
		last.written = append(last.written, b.Written)
	}
	q.mu.Unlock()
	q.work()
}

func (q *CommitQueue) last() *entry {
	if len(q.entries) == 0 {
		return nil
	}
	return q.entries[len(q.entries)-1]
}

// work answers finished commits and submits those that may follow. It runs on one
// goroutine at a time and calls out without the lock: a store may answer from
// within Submit.
func (q *CommitQueue) work() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.working {
		return
	}
	q.working = true
	for q.step() {
	}
	q.working = false
}

// step answers or submits one commit, and reports whether there was one.
func (q *CommitQueue) step() bool {
	if len(q.entries) > 0 && q.entries[0].over {
		first := q.entries[0]
		q.entries = slices.Delete(q.entries, 0, 1)
		q.unlocked(func() {
			for _, done := range first.done {
				done(first.err)
			}
		})
		return true
	}
	next := q.sendable()
	if next == nil {
		return false
	}
	next.sent = true
	if q.broken {
		next.over, next.err = true, errBroken
		return true
	}
	next.batch.Written = nil
	if next.delayed {
		next.batch.Written = func() { q.wrote(next) }
	}
	q.unlocked(func() { q.journal.Submit(next.batch, func(err error) { q.answered(next, err) }) })
	return true
}

func (q *CommitQueue) unlocked(do func()) {
	q.mu.Unlock()
	defer q.mu.Lock()
	do()
}

// sendable returns the next commit if it may be submitted: only claims, which nothing
// depends on, may be under way before it. An empty batch waits for all others and
// resets the queue.
func (q *CommitQueue) sendable() *entry {
	for i, e := range q.entries {
		if !e.sent {
			if e.batch.Empty() && i > 0 {
				return nil
			}
			q.broken = q.broken && !e.batch.Empty()
			return e
		}
		if !e.claims() && !e.isWritten {
			return nil
		}
	}
	return nil
}

// wrote notifies the callers of a commit that is written, and submits what waits for it.
func (q *CommitQueue) wrote(e *entry) {
	for _, written := range e.written {
		written()
	}
	q.mu.Lock()
	e.isWritten = true
	q.mu.Unlock()
	q.work()
}

func (q *CommitQueue) answered(e *entry, err error) {
	q.mu.Lock()
	e.over, e.err = true, err
	if err != nil && !(e.claims() && persistence.IsRejected(err)) {
		q.broken = true
	}
	q.mu.Unlock()
	q.work()
}

func (e *entry) claims() bool { return len(e.batch.Absent) > 0 }

// merge adds a batch to a pending commit, unless one of them must stay on its own,
// and reports whether it did.
func (e *entry) merge(b persistence.Batch) bool {
	if e.sent || e.claims() || len(b.Absent) > 0 || e.batch.Empty() || b.Empty() || e.batch.Fence != b.Fence || e.batch.Reserve != b.Reserve ||
		rowsOf(&e.batch)+rowsOf(&b) > mergedRowsMax {
		return false
	}
	for _, r := range b.Puts {
		e.batch.Puts = put(e.batch.Puts, r)
	}
	e.batch.Events = append(e.batch.Events, b.Events...)
	e.batch.Journal = append(e.batch.Journal, b.Journal...)
	return true
}

func rowsOf(b *persistence.Batch) int { return len(b.Puts) + len(b.Events) + len(b.Journal) }

// put adds a record, replacing an earlier version of it.
func put(records []persistence.Record, r persistence.Record) []persistence.Record {
	for i := range records {
		if records[i].Key() == r.Key() {
			records[i] = r
			return records
		}
	}
	return append(records, r)
}
