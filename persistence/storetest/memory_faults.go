package storetest

import (
	"fmt"
	"slices"

	"venuegate/persistence"
)

// Sync makes the n oldest queued batches durable and calls their done; a negative n
// means all, including those that done submits. It returns their number. Calls must not
// overlap, because replies would be out of order.
func (m *Memory) Sync(n int) int {
	synced := 0
	for synced != n && m.Queued() > 0 {
		m.commitOne(false)
		synced++
	}
	return synced
}

// Write writes the oldest queued batch, which becomes durable with the next Sync if it
// allows a delay. Readers wait until then.
func (m *Memory) Write() { m.commitOne(true) }

// Queued returns the number of batches that are not written yet.
func (m *Memory) Queued() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue)
}

// Pending returns the number of batches that are not durable yet: those that are written,
// and the queued ones.
func (m *Memory) Pending() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.unsynced) + len(m.queue)
}

// Committed returns the number of batches that the writer has processed, including
// rejected ones and barriers.
func (m *Memory) Committed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.committed
}

// FailNext makes the next batch return err without being applied. Each further call of
// FailNext or LoseNextReply affects one batch more.
func (m *Memory) FailNext(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures = append(m.failures, failure{err: err})
}

// LoseNextReply makes the next batch return ErrOutcomeUnknown although it is applied.
func (m *Memory) LoseNextReply() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures = append(m.failures, failure{err: persistence.ErrOutcomeUnknown, applied: true})
}

// RejectAll makes every batch return err without being applied, like a full disk or a
// failed store, until RejectAll(nil) or a crash. Earlier calls of FailNext and
// LoseNextReply take precedence.
func (m *Memory) RejectAll(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rejectErr = err
}

// FillDisk makes the store accept only batches that may use the reserve, until it is called
// with false.
func (m *Memory) FillDisk(full bool) { m.diskFull.Store(full) }

// BreakIntegrity makes Integrity return an error from now on.
func (m *Memory) BreakIntegrity() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.integrity = fmt.Errorf("%w: broken by a test", persistence.ErrIntegrity)
}

// Crash simulates a crash and returns the store as the next process opens it. Of the
// pending batches, the oldest ones, as many as survive, have become durable; the others are
// lost. A kill of the process leaves all that are written, a power failure any number. All
// of them return ErrOutcomeUnknown, so that no caller waits forever. The returned store
// rejects earlier fences; m is closed. Crash must not be called from done.
func (m *Memory) Crash(survive int) *Memory {
	m.mu.Lock()
	m.closed, m.crashed = true, true
	queue := m.queue
	m.queue = nil
	m.mu.Unlock()
	m.running.Wait()
	written := m.undoUnsynced(survive)
	for _, p := range queue[:min(max(survive-len(written), 0), len(queue))] {
		// The reply is lost in the crash.
		_, _ = m.apply(p.op, nil)
	}
	next := m.successor()
	for _, u := range written {
		u.done(persistence.ErrOutcomeUnknown)
	}
	for _, p := range queue {
		p.done(persistence.ErrOutcomeUnknown)
	}
	return next
}

// undoUnsynced undoes the batches that are written and not durable, except for the oldest
// ones that survive, and returns all of them.
func (m *Memory) undoUnsynced(survive int) []unsynced {
	m.rowsMu.Lock()
	defer m.rowsMu.Unlock()
	written := m.takeUnsynced()
	for _, u := range slices.Backward(written[min(survive, len(written)):]) {
		u.tx.undo()
	}
	return written
}

// Reopen closes the store and returns it as the next process opens it. Queued batches are
// lost.
func (m *Memory) Reopen() *Memory { return m.Crash(0) }

func (m *Memory) successor() *Memory {
	m.rowsMu.Lock()
	defer m.rowsMu.Unlock()
	next := NewMemory(func(n *Memory) { n.mode, n.latency, n.durable = m.mode, m.latency, m.durable })
	next.generation = m.generation + 1
	m.durable = nil
	return next
}

func (m *Memory) rejectQueue(err error) {
	m.mu.Lock()
	rejected := m.queue
	m.queue = nil
	m.mu.Unlock()
	for _, p := range rejected {
		p.done(err)
	}
}
