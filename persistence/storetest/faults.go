package storetest

import (
	"fmt"

	"venuegate/persistence"
)

// Sync makes the n oldest waiting batches durable and answers them; a negative n
// takes all. It returns how many there were. Batches that their answers submit
// are taken too while n lasts. Calls must not overlap: answers would mix.
func (m *Memory) Sync(n int) int {
	synced := 0
	for synced != n && m.Waiting() > 0 {
		m.syncOne()
		synced++
	}
	return synced
}

// Waiting is how many batches are submitted and not durable yet.
func (m *Memory) Waiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue)
}

// Committed is how many batches have been answered by the writer, refused ones
// and barriers included.
func (m *Memory) Committed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.committed
}

// FailNext answers the next batch that has no failure yet with err, and does not
// apply it.
func (m *Memory) FailNext(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures = append(m.failures, failure{err: err})
}

// LoseNextAnswer applies the next batch that has no failure yet, and answers
// ErrOutcomeUnknown.
func (m *Memory) LoseNextAnswer() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures = append(m.failures, failure{err: persistence.ErrOutcomeUnknown, applied: true})
}

// Refuse answers every batch with err and applies none, until Refuse(nil): a disk
// without room, or a store that has failed. Failures that were asked for before
// come first. A crash ends it.
func (m *Memory) Refuse(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusal = err
}

// BreakIntegrity makes Integrity fail from now on.
func (m *Memory) BreakIntegrity() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.integrity = fmt.Errorf("%w: a test broke it", persistence.ErrIntegrity)
}

// Crash ends the process that used the store and opens it anew: of the batches
// that wait, the oldest survive ones had become durable and the others are lost.
// All of them are answered ErrOutcomeUnknown, so that nothing waits for ever.
// Fences taken before are refused by the store returned; m itself is closed. It
// must not be called from an answer.
func (m *Memory) Crash(survive int) *Memory {
	m.mu.Lock()
	m.closed = true
	lost := m.queue
	m.queue = nil
	m.mu.Unlock()
	m.running.Wait()
	for _, p := range lost[:min(survive, len(lost))] {
		// A refusal changes nothing; nobody hears of it.
		_ = m.apply(p.op, nil)
	}
	next := m.successor()
	for _, p := range lost {
		p.done(persistence.ErrOutcomeUnknown)
	}
	return next
}

// Reopen closes the store and opens it anew.
func (m *Memory) Reopen() *Memory { return m.Crash(0) }

func (m *Memory) successor() *Memory {
	m.guarded.Lock()
	defer m.guarded.Unlock()
	next := NewMemory(func(n *Memory) { n.mode, n.latency, n.durable = m.mode, m.latency, m.durable })
	next.generation = m.generation + 1
	m.durable = nil
	return next
}

func (m *Memory) refuseQueue(err error) {
	m.mu.Lock()
	refused := m.queue
	m.queue = nil
	m.mu.Unlock()
	for _, p := range refused {
		p.done(err)
	}
}
