package storetest

import (
	"fmt"

	"venuegate/persistence"
)

// Sync makes the n oldest queued batches durable and calls their done; a negative n
// means all. It returns their number. Batches that done submits count too. Calls must
// not overlap, because the order of replies would be lost.
func (m *Memory) Sync(n int) int {
	synced := 0
	for synced != n && m.Waiting() > 0 {
		m.syncOne()
		synced++
	}
	return synced
}

// Waiting returns the number of queued batches, which are not durable yet.
func (m *Memory) Waiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue)
}

// Committed returns the number of batches that the writer has processed, including
// rejected ones and barriers.
func (m *Memory) Committed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.committed
}

// FailNext makes the next batch without a failure return err. It is not applied.
func (m *Memory) FailNext(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures = append(m.failures, failure{err: err})
}

// LoseNextAnswer makes the next batch without a failure return ErrOutcomeUnknown. It
// is applied.
func (m *Memory) LoseNextAnswer() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures = append(m.failures, failure{err: persistence.ErrOutcomeUnknown, applied: true})
}

// RejectAll makes every batch return err and applies none, until RejectAll(nil), like a
// full disk or a failed store. Earlier FailNext and LoseNextAnswer take precedence. A
// crash ends it.
func (m *Memory) RejectAll(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rejectErr = err
}

// BreakIntegrity makes Integrity return an error from now on.
func (m *Memory) BreakIntegrity() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.integrity = fmt.Errorf("%w: broken by a test", persistence.ErrIntegrity)
}

// Crash simulates a crash of the process and returns the store as it is opened again:
// the oldest survive queued batches have become durable, the others are lost. All of
// them return ErrOutcomeUnknown, so that no caller waits forever. The returned store
// rejects earlier fences; m is closed. Crash must not be called from done.
func (m *Memory) Crash(survive int) *Memory {
	m.mu.Lock()
	m.closed = true
	lost := m.queue
	m.queue = nil
	m.mu.Unlock()
	m.running.Wait()
	for _, p := range lost[:min(survive, len(lost))] {
		// The reply is lost in the crash.
		_ = m.apply(p.op, nil)
	}
	next := m.successor()
	for _, p := range lost {
		p.done(persistence.ErrOutcomeUnknown)
	}
	return next
}

// Reopen closes the store and returns it as it is opened again.
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
