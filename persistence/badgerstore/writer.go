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

// request is one place in the queue.
type request struct {
	op   rows.Operation
	done func(error)
	size int
	// barrier changes nothing, so that nothing can refuse it.
	barrier bool
	// accept is AcceptLoss; it is a group of its own.
	accept bool
}

// writer is the only one who writes to the database and the seal.
type writer struct {
	versions *versions
	wal      *wal
	seal     *seal
	disk     *diskGuard
	log      *zap.Logger
	// schema is the one that this program writes.
	schema schema

	// The goroutine's own: the newest ledger row, how often the store has been
	// opened, why commits are refused, and what Open found if that is why.
	head       ledger
	generation uint64
	refusal    error
	lost       *inspection
	diskFull   bool
	// known are rows as the groups so far have left them. A group that is thrown away
	// empties it.
	known  rows.Known
	filter *keyFilter
	// alone is how many groups are still begun without waiting for company, of
	// the pause that began when nobody came.
	alone, pause int

	mu          sync.Mutex
	queue       []request
	queuedBytes int
	stopping    bool
	wake        chan struct{}
	finished    chan struct{}
}

func newWriter(db *badger.DB, wal *wal, seal *seal, disk *diskGuard, schema schema, log *zap.Logger) *writer {
	return &writer{
		versions: newVersions(db), wal: wal, seal: seal, disk: disk, schema: schema, log: log,
		known: rows.NewKnown(knownBytesMax),
		wake:  make(chan struct{}, 1), finished: make(chan struct{}),
	}
}

// start writes what an opening writes and begins to take requests.
func (w *writer) start(found inspection) error {
	w.head, w.filter = found.head, found.filter
	if err := w.opened(found); err != nil {
		return err
	}
	go w.run()
	return nil
}

// startRefusing takes requests only to refuse them, until a loss is accepted.
func (w *writer) startRefusing(found inspection, why error) {
	w.lost, w.filter = &found, found.filter
	w.refusal = fmt.Errorf("%w: %w", persistence.ErrUnavailable, why)
	go w.run()
}

func (w *writer) enqueue(op rows.Operation, done func(error)) {
	w.submit(request{op: op, done: done})
}

func (w *writer) acceptLoss(done func(error)) { w.submit(request{accept: true, done: done}) }

var errQueueFull = fmt.Errorf("%w: the queue is full", persistence.ErrUnavailable)

func (w *writer) submit(r request) {
	w.mu.Lock()
	var refusal error
	switch {
	case w.stopping:
		refusal = errClosed
	case len(w.queue) >= QueueBatchesMax || w.queuedBytes+r.size > QueueBytesMax:
		refusal = errQueueFull
	default:
		w.queue = append(w.queue, r)
		w.queuedBytes += r.size
	}
	w.mu.Unlock()
	if refusal != nil {
		r.done(refusal)
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// stop lets the goroutine finish what is queued and waits for its end.
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
			if w.refusal == nil {
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

// gather lets those who are about to submit something join the group: a group
// costs as much as several batches. It only yields the processor, once, and the
// more often nobody has joined the longer it is not tried again.
func (w *writer) gather() {
	if w.alone > 0 {
		w.alone--
		return
	}
	runtime.Gosched()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > 1 {
		w.pause = 0
		return
	}
	w.pause = min(2*w.pause+1, gatherPauseMax)
	w.alone = w.pause
}

// take moves the next group out of the queue.
func (w *writer) take(group []request) (taken []request, stopping bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	bytes := 0
	for _, r := range w.queue {
		full := len(group) >= GroupBatchesMax || bytes+r.size > GroupBytesMax
		if len(group) > 0 && (full || r.accept || group[0].accept) {
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

// process answers every request of a group, in order.
func (w *writer) process(group []request) {
	if group[0].accept {
		group[0].done(w.accept())
		return
	}
	if err := w.checkDisk(); w.refusal == nil && err != nil {
		refuse(group, err)
		return
	}
	for len(group) > 0 {
		if w.refusal != nil {
			refuse(group, w.refusal)
			return
		}
		group = group[w.commit(group):]
	}
}

func refuse(group []request, why error) {
	for _, r := range group {
		if r.barrier {
			r.done(nil)
			continue
		}
		r.done(why)
	}
}

func (w *writer) checkDisk() error {
	err := w.disk.check(time.Now())
	if full := err != nil; full != w.diskFull {
		w.diskFull = full
		w.log.Warn("room on the disk", zap.Bool("full", full), zap.Error(err))
	}
	return err
}

// commit makes the group durable, or as many of its first requests as one
// transaction takes, and answers those. It returns how many.
func (w *writer) commit(group []request) int {
	tx := w.begin(w.head)
	defer tx.txn.Discard()
	answers := make([]error, len(group))
	for i, r := range group {
		answers[i] = r.op(tx, w.generation)
		if rows.IsAnswer(answers[i]) {
			continue
		}
		w.known.Clear()
		if i > 0 {
			return w.commit(group[:i])
		}
		r.done(fmt.Errorf("%w: %w", persistence.ErrUnavailable, answers[0]))
		return 1
	}
	if tx.changed {
		err := w.write(tx)
		if err != nil {
			w.known.Clear()
		}
		switch {
		case errors.Is(err, badger.ErrTxnTooBig) && len(group) > 1:
			return w.commit(group[:len(group)/2])
		case errors.Is(err, badger.ErrTxnTooBig):
			answers[0] = fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
		case err != nil:
			w.fail(group, err)
			return len(group)
		}
	}
	for i, r := range group {
		r.done(answers[i])
	}
	return len(group)
}

// write makes a transaction durable with its ledger row, then tells the seal.
func (w *writer) write(tx *groupTx) error {
	if err := tx.seal(w.head); err != nil {
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

// fail ends writing: what is on the disk is not known any more.
func (w *writer) fail(group []request, cause error) {
	w.log.Error("a commit failed; the store refuses commits until it is opened anew", zap.Error(cause))
	w.refusal = fmt.Errorf("%w: an earlier commit failed: %w", persistence.ErrUnavailable, cause)
	for _, r := range group {
		r.done(fmt.Errorf("%w: %w", persistence.ErrOutcomeUnknown, cause))
	}
}

func (w *writer) syncSeal() {
	if w.refusal != nil {
		return
	}
	if err := w.seal.sync(); err != nil {
		w.fail(nil, err)
	}
}

// accept seals a damaged database as it is.
func (w *writer) accept() error {
	if w.lost == nil {
		return w.refusal
	}
	if err := w.checkDisk(); err != nil {
		return err
	}
	err := w.reseal(*w.lost)
	if err == nil {
		err = w.opened(*w.lost)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	}
	w.refusal, w.lost = nil, nil
	return nil
}
