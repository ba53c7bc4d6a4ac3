package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
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

	mu    sync.Mutex
	queue []pending
	// unsynced has the batches that are written and not durable, oldest first. synced is
	// closed when they are; nil if there are none.
	unsynced []unsynced
	synced   chan struct{}
	draining bool
	closed   bool
	// crashed ends drain, with the batches that are not durable left.
	crashed   bool
	failures  []failure
	rejectErr error
	integrity error
	committed int

	// diskFull is set while only batches that may use the reserve are accepted.
	diskFull atomic.Bool
}

// cacheBytesMax is so small that longer tests use rows with and without the cache.
const cacheBytesMax = 64 << 10

type mode int

const (
	modeSync mode = iota
	modeAsync
	modeManual
)

// pending is one batch in the queue. written allows a delayed sync; see
// persistence.Batch.
type pending struct {
	op      rows.Operation
	written func()
	done    func(error)
}

// unsynced is a batch that is written and not durable.
type unsynced struct {
	tx   *mapTx
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
// while batches are queued. The sync of those that allow it is delayed.
func Async(latency time.Duration) Option {
	return func(m *Memory) { m.mode, m.latency = modeAsync, latency }
}

// Manual makes batches durable when Sync is called.
func Manual() Option { return func(m *Memory) { m.mode = modeManual } }

// NewMemory returns an empty store. Without options a batch is durable, and done has
// been called, when Submit returns, unless Submit is called while another call runs or
// from done: then the batch is queued.
func NewMemory(options ...Option) *Memory {
	m := &Memory{durable: newRowMap(), cache: rows.NewRowCache(cacheBytesMax), generation: 1}
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
	if err := m.awaitSync(ctx); err != nil {
		return err
	}
	m.rowsMu.RLock()
	defer m.rowsMu.RUnlock()
	if m.durable == nil {
		return errClosed
	}
	return read(m.durable)
}

func (m *Memory) awaitSync(ctx context.Context) error {
	m.mu.Lock()
	synced := m.synced
	m.mu.Unlock()
	if synced == nil {
		return nil
	}
	select {
	case <-synced:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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
	op := rows.Operation(commit.Apply)
	if !b.Reserve && !b.Empty() {
		op = m.unlessFull(op)
	}
	m.submit(pending{op, b.Written, done})
}

// unlessFull returns an operation that may not use the reserve.
func (m *Memory) unlessFull(op rows.Operation) rows.Operation {
	return func(tx rows.Tx, generation uint64) error {
		if m.diskFull.Load() {
			return persistence.ErrDiskFull
		}
		return op(tx, generation)
	}
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
	return rows.Purge(ctx, m, m.enqueueUnlessFull, before)
}

// Archive implements persistence.Store.
func (m *Memory) Archive(ctx context.Context, before persistence.Retention, to persistence.Archive) error {
	return rows.Archive(ctx, m, m.enqueueUnlessFull, before, to)
}

func (m *Memory) enqueueUnlessFull(op rows.Operation, done func(error)) {
	m.enqueue(m.unlessFull(op), done)
}

// Full implements persistence.Store; see FillDisk.
func (m *Memory) Full() error {
	if m.diskFull.Load() {
		return persistence.ErrDiskFull
	}
	return nil
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

func (m *Memory) enqueue(op rows.Operation, done func(error)) { m.submit(pending{op: op, done: done}) }

func (m *Memory) submit(p pending) {
	m.mu.Lock()
	switch {
	case m.closed:
		m.mu.Unlock()
		p.done(errClosed)
		return
	case len(m.queue) >= QueueMax:
		m.mu.Unlock()
		p.done(fmt.Errorf("%w: the queue is full", persistence.ErrUnavailable))
		return
	}
	m.queue = append(m.queue, p)
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
	for m.next() {
		if m.latency > 0 {
			time.Sleep(m.latency)
		}
		m.commitOne(m.mode == modeAsync)
	}
}

// next reports whether a batch is queued. If none is, it first syncs what is written,
// after SyncDelayMax.
func (m *Memory) next() bool {
	for {
		m.mu.Lock()
		switch {
		case m.crashed || (len(m.queue) == 0 && len(m.unsynced) == 0):
			m.draining = false
			m.mu.Unlock()
			return false
		case len(m.queue) > 0:
			m.mu.Unlock()
			return true
		}
		m.mu.Unlock()
		time.Sleep(persistence.SyncDelayMax)
		if m.isIdle() {
			m.settle()
		}
	}
}

func (m *Memory) isIdle() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue) == 0 && !m.crashed
}

// commitOne writes the oldest batch. Unless its sync may be delayed, it makes all written
// batches durable and calls their done. During the latency before it, the batch is still in
// the queue, so that a crash can lose it.
func (m *Memory) commitOne(mayDelay bool) {
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
	tx, err := m.apply(next.op, fail)
	if mayDelay && next.written != nil && err == nil {
		m.hold(unsynced{tx, next.done})
		next.written()
		return
	}
	m.settle()
	if next.written != nil && err == nil {
		next.written()
	}
	next.done(err)
}

func (m *Memory) hold(u unsynced) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unsynced = append(m.unsynced, u)
	if m.synced == nil {
		m.synced = make(chan struct{})
	}
}

// settle makes all written batches durable and calls their done.
func (m *Memory) settle() {
	for _, u := range m.takeUnsynced() {
		u.done(nil)
	}
}

// takeUnsynced removes the batches that are written and not durable, and ends the wait of
// readers.
func (m *Memory) takeUnsynced() []unsynced {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.unsynced
	m.unsynced = nil
	if m.synced != nil {
		close(m.synced)
		m.synced = nil
	}
	return taken
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

// apply executes an operation and returns its changes.
func (m *Memory) apply(op rows.Operation, fail *failure) (*mapTx, error) {
	if fail != nil && !fail.applied {
		return nil, fail.err
	}
	m.rowsMu.Lock()
	defer m.rowsMu.Unlock()
	if m.durable == nil {
		return nil, errClosed
	}
	tx := &mapTx{rows: m.durable, cache: m.cache}
	err := op(tx, m.generation)
	if err != nil {
		tx.undo()
	}
	switch {
	case fail != nil:
		return nil, fail.err
	case rows.IsReply(err):
		return tx, err
	default:
		return nil, fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	}
}
