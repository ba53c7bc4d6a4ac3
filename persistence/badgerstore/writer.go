package badgerstore

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
)

// request is an entry of the queue.
type request struct {
	op   rows.Operation
	done func(error)
	size int
	// barrier marks an empty batch, which is never rejected.
	barrier bool
	// acceptLoss marks a call of AcceptLoss, which is a group of its own.
	acceptLoss bool
}

// writer writes to the database and the seal, in one goroutine.
type writer struct {
	versions *versions
	wal      *wal
	seal     *seal
	disk     *diskSpace
	log      *zap.Logger
	// schema is the schema of this program.
	schema schema

	// Only the goroutine uses the fields up to mu, except for filter, which readers use
	// too.

	// head is the newest ledger row.
	head ledger
	// generation is the number of times that the store has been opened.
	generation uint64
	// rejectErr is the reason why all commits are rejected; nil if they are not.
	rejectErr error
	// damaged is the content that Open found, if rejectErr is its damage.
	damaged  *inspection
	diskFull bool
	// cache has rows as written by the groups so far. A rollback clears it.
	cache  rows.RowCache
	filter *keyFilter
	// gatherSkips is the number of groups to begin without yielding. It starts at
	// gatherSkipsMax when a yield has added no batch; see gather.
	gatherSkips, gatherSkipsMax int

	mu          sync.Mutex
	queue       []request
	queuedBytes int
	stopping    bool
	wake        chan struct{}
	finished    chan struct{}
}

func newWriter(db *badger.DB, wal *wal, seal *seal, disk *diskSpace, schema schema, log *zap.Logger) *writer {
	return &writer{
		versions: newVersions(db), wal: wal, seal: seal, disk: disk, schema: schema, log: log,
		cache: rows.NewRowCache(cacheBytesMax),
		wake:  make(chan struct{}, 1), finished: make(chan struct{}),
	}
}

// start runs the pending migrations and starts the goroutine.
func (w *writer) start(found inspection) error {
	w.head, w.filter = found.head, found.filter
	if err := w.initialize(found); err != nil {
		return err
	}
	go w.run()
	return nil
}

// startRejecting starts the goroutine, which rejects commits until AcceptLoss is called.
func (w *writer) startRejecting(found inspection, reason error) {
	w.damaged, w.filter = &found, found.filter
	w.rejectErr = fmt.Errorf("%w: %w", persistence.ErrUnavailable, reason)
	go w.run()
}

func (w *writer) enqueue(op rows.Operation, done func(error)) {
	w.submit(request{op: op, done: done})
}

func (w *writer) enqueueAcceptLoss(done func(error)) {
	w.submit(request{acceptLoss: true, done: done})
}

var errQueueFull = fmt.Errorf("%w: the queue is full", persistence.ErrUnavailable)

func (w *writer) submit(r request) {
	w.mu.Lock()
	var rejection error
	switch {
	case w.stopping:
		rejection = errClosed
	case len(w.queue) >= QueueBatchesMax || w.queuedBytes+r.size > QueueBytesMax:
		rejection = errQueueFull
	default:
		w.queue = append(w.queue, r)
		w.queuedBytes += r.size
	}
	w.mu.Unlock()
	if rejection != nil {
		r.done(rejection)
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// stop waits until the goroutine has processed the queue and returned.
func (w *writer) stop() {
	w.mu.Lock()
	w.stopping = true
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	<-w.finished
}

func (w *writer) run() {
	defer close(w.finished)
	sealSync := time.NewTimer(sealSyncInterval)
	defer sealSync.Stop()
	armed := true
	group := make([]request, 0, GroupBatchesMax)
	for {
		var stopping bool
		group, stopping = w.take(group[:0])
		if len(group) > 0 {
			w.process(group)
			if w.rejectErr == nil {
				w.wal.fill()
			}
			clear(group)
			continue
		}
		if stopping {
			return
		}
		if w.seal.dirty && !armed {
			sealSync.Reset(sealSyncInterval)
			armed = true
		}
		select {
		case <-w.wake:
			w.gather()
		case <-sealSync.C:
			w.syncSeal()
			armed = false
		}
	}
}

// gather yields the processor once, so that other goroutines can submit to the group,
// which costs less than another group. Each time that none of them does, it skips the
// yield for twice as many groups.
func (w *writer) gather() {
	if w.gatherSkips > 0 {
		w.gatherSkips--
		return
	}
	runtime.Gosched()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > 1 {
		w.gatherSkipsMax = 0
		return
	}
	w.gatherSkipsMax = min(2*w.gatherSkipsMax+1, gatherSkipsLimit)
	w.gatherSkips = w.gatherSkipsMax
}

// take removes the next group from the queue.
func (w *writer) take(group []request) (taken []request, stopping bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	bytes := 0
	for _, r := range w.queue {
		full := len(group) >= GroupBatchesMax || bytes+r.size > GroupBytesMax
		if len(group) > 0 && (full || r.acceptLoss || group[0].acceptLoss) {
			break
		}
		group = append(group, r)
		bytes += r.size
	}
	clear(w.queue[:len(group)])
	w.queue = w.queue[len(group):]
	w.queuedBytes -= bytes
	return group, w.stopping
}

// process executes the requests of a group and calls done for each, in order.
func (w *writer) process(group []request) {
	if group[0].acceptLoss {
		group[0].done(w.acceptLoss())
		return
	}
	if err := w.checkDisk(); w.rejectErr == nil && err != nil {
		reject(group, err)
		return
	}
	for len(group) > 0 {
		if w.rejectErr != nil {
			reject(group, w.rejectErr)
			return
		}
		group = group[w.commit(group):]
	}
}

func reject(group []request, reason error) {
	for _, r := range group {
		if r.barrier {
			r.done(nil)
			continue
		}
		r.done(reason)
	}
}

func (w *writer) checkDisk() error {
	err := w.disk.check(time.Now())
	if full := err != nil; full != w.diskFull {
		w.diskFull = full
		if full {
			w.log.Warn("the disk is full; commits are rejected", zap.Error(err))
		} else {
			w.log.Warn("the disk has enough free space again; commits are accepted")
		}
	}
	return err
}

// commit makes the group durable, or as many of its first requests as fit one
// transaction, and calls their done. It returns their number.
func (w *writer) commit(group []request) int {
	tx := w.begin(w.head)
	defer tx.txn.Discard()
	replies := make([]error, len(group))
	for i, r := range group {
		replies[i] = r.op(tx, w.generation)
		if rows.IsReply(replies[i]) {
			continue
		}
		w.cache.Clear()
		if i > 0 {
			return w.commit(group[:i])
		}
		r.done(fmt.Errorf("%w: %w", persistence.ErrUnavailable, replies[0]))
		return 1
	}
	if tx.changed {
		err := w.write(tx)
		if err != nil {
			w.cache.Clear()
		}
		switch {
		case errors.Is(err, badger.ErrTxnTooBig) && len(group) > 1:
			return w.commit(group[:len(group)/2])
		case errors.Is(err, badger.ErrTxnTooBig):
			replies[0] = fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
		case err != nil:
			w.fail(group, err)
			return len(group)
		}
	}
	for i, r := range group {
		r.done(replies[i])
	}
	return len(group)
}

// write makes a transaction durable with its ledger row, and then writes the seal.
func (w *writer) write(tx *groupTx) error {
	if err := tx.addLedger(w.head); err != nil {
		return err
	}
	if err := w.commitDurably(tx.txn); err != nil {
		return err
	}
	w.wal.written += tx.logBytes
	w.head = tx.ledger
	return w.seal.write(w.head)
}

func (w *writer) commitDurably(txn *badger.Txn) error {
	if err := w.versions.commit(txn); err != nil {
		return err
	}
	if err := w.wal.flush(); err != nil {
		return err
	}
	w.versions.advance()
	return nil
}

// fail ends writing, because the state on the disk is unknown.
func (w *writer) fail(group []request, cause error) {
	w.log.Error("a commit failed; commits are rejected until the store is opened again", zap.Error(cause))
	w.rejectErr = fmt.Errorf("%w: an earlier commit failed: %w", persistence.ErrUnavailable, cause)
	for _, r := range group {
		r.done(fmt.Errorf("%w: %w", persistence.ErrOutcomeUnknown, cause))
	}
}

func (w *writer) syncSeal() {
	if w.rejectErr != nil {
		return
	}
	if err := w.seal.sync(); err != nil {
		w.fail(nil, err)
	}
}

// acceptLoss seals a damaged database as it is, so that commits are accepted again.
func (w *writer) acceptLoss() error {
	if w.damaged == nil {
		return w.rejectErr
	}
	if err := w.checkDisk(); err != nil {
		return err
	}
	err := w.reseal(*w.damaged)
	if err == nil {
		err = w.initialize(*w.damaged)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	}
	w.rejectErr, w.damaged = nil, nil
	return nil
}
