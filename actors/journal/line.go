package journal

import (
	"errors"
	"fmt"
	"sync"

	"venuegate/persistence"
)

// mergedRowsMax bounds the rows of a commit that was merged from several.
const mergedRowsMax = 256

// errBroken answers what was handed over behind a commit that failed.
var errBroken = fmt.Errorf("%w: a commit before this one has failed", persistence.ErrUnavailable)

// Line is the way of one actor to the journal. What an actor commits is made from
// what it committed before, so nothing may become durable behind a commit that
// did not: its record would carry a change whose events are lost.
//
//   - One commit is under way at a time. What is handed over meanwhile is merged
//     into the next one: a later record takes the place of an earlier one.
//   - A batch that claims something (Absent) is a commit of its own, since it may
//     be refused for its own reasons; nothing else may depend on it before it is
//     answered. Several of them, and one other commit behind them, may be under
//     way together.
//   - Behind a commit that failed everything is answered ErrUnavailable, until an
//     empty batch begins the line anew: an actor that starts again submits one
//     before it reads what is durable. A claim that was refused whole has failed
//     for itself alone.
//
// It is safe for concurrent use. One Line serves every incarnation of its actor.
type Line struct {
	journal persistence.Submitter

	mu sync.Mutex
	// entries are the commits that are not answered yet, oldest first.
	entries []*entry
	// working says that a goroutine goes through the entries.
	working bool
	broken  bool
}

// entry is one commit.
type entry struct {
	batch persistence.Batch
	// done are those whose batches were merged, in order.
	done []func(error)
	sent bool
	over bool
	err  error
}

// Line is the line of the actor of a customer that has this name, the same one
// whenever it is asked for.
func (c *Client) Line(customer, name string) *Line {
	key := customer + "/" + name
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines[key] == nil {
		c.lines[key] = &Line{journal: c}
	}
	return c.lines[key]
}

// Submit hands a batch over. done is called once, in the order of the calls, and
// must not block.
func (l *Line) Submit(b persistence.Batch, done func(error)) {
	l.mu.Lock()
	if last := l.last(); last == nil || !last.merge(b) {
		last = &entry{batch: b}
		l.entries = append(l.entries, last)
	}
	last := l.last()
	last.done = append(last.done, done)
	l.mu.Unlock()
	l.work()
}

func (l *Line) last() *entry {
	if len(l.entries) == 0 {
		return nil
	}
	return l.entries[len(l.entries)-1]
}

// work answers what is over and hands over what may go. One goroutine at a time
// does so, without the lock: a store may answer from inside Submit.
func (l *Line) work() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.working {
		return
	}
	l.working = true
	for l.step() {
	}
	l.working = false
}

// step does one thing, and says whether there was one to do.
func (l *Line) step() bool {
	if len(l.entries) > 0 && l.entries[0].over {
		first := l.entries[0]
		l.entries = l.entries[1:]
		l.unlocked(func() {
			for _, done := range first.done {
				done(first.err)
			}
		})
		return true
	}
	next := l.sendable()
	if next == nil {
		return false
	}
	next.sent = true
	if l.broken {
		next.over, next.err = true, errBroken
		return true
	}
	l.unlocked(func() { l.journal.Submit(next.batch, func(err error) { l.answered(next, err) }) })
	return true
}

func (l *Line) unlocked(do func()) {
	l.mu.Unlock()
	defer l.mu.Lock()
	do()
}

// sendable is the next commit if it may go: not behind one that others would
// depend on. A barrier waits for everything, and mends the line.
func (l *Line) sendable() *entry {
	for i, e := range l.entries {
		if !e.sent {
			if e.batch.Empty() && i > 0 {
				return nil
			}
			l.broken = l.broken && !e.batch.Empty()
			return e
		}
		if !e.claims() {
			return nil
		}
	}
	return nil
}

func (l *Line) answered(e *entry, err error) {
	l.mu.Lock()
	e.over, e.err = true, err
	if err != nil && !(e.claims() && refusedWhole(err)) {
		l.broken = true
	}
	l.mu.Unlock()
	l.work()
}

// refusedWhole says whether it is certain that nothing of a batch was applied,
// and that others may be.
func refusedWhole(err error) bool {
	return errors.Is(err, persistence.ErrExists) || errors.Is(err, persistence.ErrUnavailable)
}

func (e *entry) claims() bool { return len(e.batch.Absent) > 0 }

// merge takes a batch into a commit that waits, if neither must stay alone.
func (e *entry) merge(b persistence.Batch) bool {
	if e.sent || e.claims() || len(b.Absent) > 0 || e.batch.Empty() || b.Empty() || e.batch.Fence != b.Fence ||
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

// put adds a record in the place of an earlier version.
func put(records []persistence.Record, r persistence.Record) []persistence.Record {
	for i := range records {
		if records[i].Key() == r.Key() {
			records[i] = r
			return records
		}
	}
	return append(records, r)
}
