package storetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
)

// QueueMax bounds the queued batches; one more fails with ErrUnavailable.
const QueueMax = 8192

// Memory is a store in memory. It is safe for concurrent use.
type Memory struct {
	rows.Reader
	mode    mode
	latency time.Duration
	running sync.WaitGroup

	// rowsMu guards the rows, so that readers see whole commits.
	rowsMu     sync.RWMutex
	durable    *rowMap
	cache      rows.RowCache
	generation uint64

	mu        sync.Mutex
	queue     []pending
	draining  bool
	closed    bool
	failures  []failure
	rejectErr error
	integrity error
	committed int
}

// cacheBytesMax is so small that longer tests use rows with and without the cache.
const cacheBytesMax = 64 << 10

type mode int

const (
	modeSync mode = iota
	modeAsync
	modeManual
)

// pending is one batch in the queue.
type pending struct {
	op   rows.Operation
	done func(error)
}

// failure is the result of a batch that a test has requested.
type failure struct {
	err     error
	applied bool
}

var _ persistence.Store = (*Memory)(nil)

// Option is an option of NewMemory.
type Option func(*Memory)

// Async makes batches durable one by one, each after latency, in a goroutine that runs
// while batches are queued.
func Async(latency time.Duration) Option {
	return func(m *Memory) { m.mode, m.latency = modeAsync, latency }
}

// Manual makes batches durable when Sync is called.
func Manual() Option { return func(m *Memory) { m.mode = modeManual } }

// NewMemory returns an empty store. Without options a batch is durable, and done has
// been called, when Submit returns, unless Submit is called while another call runs or
// from done: then the batch is queued.
func NewMemory(options ...Option) *Memory {
	m := &Memory{durable: &rowMap{}, cache: rows.NewRowCache(cacheBytesMax), generation: 1}
	for _, option := range options {
		option(m)
	}
	m.Reader = rows.NewReader(m)
	return m
}

// View implements rows.Viewer.
func (m *Memory) View(ctx context.Context, read func(rows.Snapshot) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.rowsMu.RLock()
	defer m.rowsMu.RUnlock()
	if m.durable == nil {
		return errClosed
	}
	return read(m.durable)
}

var errClosed = fmt.Errorf("%w: the store is closed", persistence.ErrUnavailable)

// Submit implements persistence.Writer.
func (m *Memory) Submit(b persistence.Batch, done func(error)) {
	commit, err := rows.Prepare(b)
	if err != nil {
		rejection := rows.Rejected(err)
		m.enqueue(func(rows.Tx, uint64) error { return rejection }, done)
		return
	}
	m.enqueue(commit.Apply, done)
}

// Commit implements persistence.Writer.
func (m *Memory) Commit(ctx context.Context, b persistence.Batch) error {
	return rows.Await(ctx, func(done func(error)) { m.Submit(b, done) })
}

// TakeOwnership implements persistence.Writer.
func (m *Memory) TakeOwnership(ctx context.Context, customer string) (persistence.Fence, error) {
	return rows.TakeOwnership(ctx, m.enqueue, customer)
}

// Purge implements persistence.Store.
func (m *Memory) Purge(ctx context.Context, before persistence.Retention) error {
	return rows.Purge(ctx, m, m.enqueue, before)
}

// Integrity implements persistence.Store; see BreakIntegrity.
func (m *Memory) Integrity() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.integrity
}

// Close makes the queued batches durable; with Manual it rejects them instead. A second
// call does nothing. It must not be called from done.
func (m *Memory) Close() error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	if m.mode == modeManual {
		m.rejectQueue(errClosed)
	}
	m.running.Wait()
	m.rowsMu.Lock()
	defer m.rowsMu.Unlock()
	m.durable = nil
	return nil
}

func (m *Memory) enqueue(op rows.Operation, done func(error)) {
	m.mu.Lock()
	switch {
	case m.closed:
		m.mu.Unlock()
		done(errClosed)
		return
	case len(m.queue) >= QueueMax:
		m.mu.Unlock()
		done(fmt.Errorf("%w: the queue is full", persistence.ErrUnavailable))
		return
	}
	m.queue = append(m.queue, pending{op, done})
	start := m.mode != modeManual && !m.draining
	if start {
		m.draining = true
		m.running.Add(1)
	}
	m.mu.Unlock()
	switch {
	case start && m.mode == modeAsync:
		go m.drain()
	case start:
		m.drain()
	}
}

// drain processes the queue. At most one call runs at a time.
func (m *Memory) drain() {
	defer m.running.Done()
	for {
		m.mu.Lock()
		if len(m.queue) == 0 {
			m.draining = false
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
		if m.latency > 0 {
			time.Sleep(m.latency)
		}
		m.syncOne()
	}
}

// syncOne makes the oldest batch durable and calls its done. During the latency before
// it, the batch is still in the queue, so that a crash can lose it.
func (m *Memory) syncOne() {
	m.mu.Lock()
	if len(m.queue) == 0 {
		m.mu.Unlock()
		return
	}
	next := m.queue[0]
	m.queue = m.queue[1:]
	fail := m.takeFailure()
	m.committed++
	m.mu.Unlock()
	next.done(m.apply(next.op, fail))
}

func (m *Memory) takeFailure() *failure {
	switch {
	case len(m.failures) > 0:
	case m.rejectErr != nil:
		return &failure{err: m.rejectErr}
	default:
		return nil
	}
	first := m.failures[0]
	m.failures = m.failures[1:]
	return &first
}

func (m *Memory) apply(op rows.Operation, fail *failure) error {
	if fail != nil && !fail.applied {
		return fail.err
	}
	m.rowsMu.Lock()
	defer m.rowsMu.Unlock()
	if m.durable == nil {
		return errClosed
	}
	tx := &mapTx{rows: m.durable, cache: m.cache}
	err := op(tx, m.generation)
	if err != nil {
		tx.undo()
	}
	switch {
	case fail != nil:
		return fail.err
	case rows.IsReply(err):
		return err
	default:
		return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	}
}
