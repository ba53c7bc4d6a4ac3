package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/internal/wal"
)

// writer appends commit groups to the log, in one goroutine.
type writer struct {
	views   *views
	logDir  string
	seal    *seal
	disk    *diskSpace
	reserve *reserve
	// reopen opens a database that was opened on a full disk again.
	reopen func() error
	logger *zap.Logger
	// schema is the schema of this program.
	schema schema
	// filter contains the keys of all rows.
	filter *keyFilter
	// check verifies what is read of a database that was not checked before; else nil.
	check *tableCheck

	// syncLog syncs the log; nil is fdatasync. segmentBytes is the size of its segments;
	// zero is the default of package wal. Tests replace them.
	syncLog      func(*os.File) error
	segmentBytes int64
	// failed receives the error with which the flusher has ended.
	failed chan error
	// broken receives the damage that is found while the store is in use.
	broken chan error
	meter  meter

	// Only the goroutine uses the fields up to mu.

	// log and flusher are nil while the store is damaged.
	log     *wal.Log
	flusher *flusher
	// generation is the number of times that the store has been opened.
	generation uint64
	// rejectErr is the reason why all commits are rejected; nil if they are not.
	rejectErr error
	// damaged is what Open found, if rejectErr is damage.
	damaged *damage
	// diskFull is set while only the reserve is used: then nothing is written to the
	// database, and held are the full tables, oldest first.
	diskFull bool
	held     []*memTable
	// written is the ledger after the newest group in the log, nil if it is durable.
	// replies are those that wait for its sync, in order. syncDue is the time of it.
	written *ledger
	replies []reply
	syncDue *time.Timer
	// active is the table of the newest groups, nil before the first, and tableRows
	// the number of rows that it was made for.
	active    *memTable
	tableRows int64
	// record, changes and changed are reused: the record of a group, its changes and
	// their keys.
	record  []byte
	changes []change
	changed map[string]int
	// cache has rows as written by the groups so far. A rollback clears it.
	cache rows.RowCache
	// gatherSkips is the number of groups to begin without yielding, out of
	// gatherSkipsMax since the writer last yielded in vain; see gather.
	gatherSkips, gatherSkipsMax int

	mu          sync.Mutex
	queue       []request
	queuedBytes int
	stopping    bool
	wake        chan struct{}
	finished    chan struct{}
}

// newWriter returns a writer that is not started. Until it is, its groups go to the
// database directly (see replay).
func newWriter(s *Store, o Options, found inspection) *writer {
	w := &writer{
		views: newViews(s.db, found.counted), logDir: filepath.Join(s.dir, logName), seal: s.seal, disk: s.disk, reserve: s.reserve,
		reopen: func() error { return nil }, schema: s.schema,
		syncLog: o.syncLog, segmentBytes: o.segmentBytes, logger: o.Logger, filter: found.filter, check: s.check, failed: make(chan error, 1), broken: make(chan error, 1), tableRows: tableRowsMin,
		meter:   meter{observe: o.ObserveGroup},
		changed: map[string]int{}, cache: rows.NewRowCache(cacheBytesMax), syncDue: stoppedTimer(),
		wake: make(chan struct{}, 1), finished: make(chan struct{}),
	}
	if s.cramped {
		w.reopen = s.reopenDatabase
		_ = w.checkDisk() // It logs.
		w.diskFull = true
	}
	return w
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// start opens the log after its last record, runs the pending migrations and starts the
// goroutine.
func (w *writer) start(end wal.Position) error {
	err := w.openLog(end)
	if err == nil {
		err = w.initialize()
	}
	if err == nil {
		go w.run()
	}
	return err
}

func (w *writer) openLog(end wal.Position) error {
	log, err := wal.Start(w.logDir, end, wal.Options{SegmentBytes: w.segmentBytes, Sync: w.syncLog, OnlyReserve: w.diskFull})
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	w.log = log
	w.flusher = startFlusher(w.views, log, w.seal, w.reserve, w.failed, w.logger)
	return nil
}

// startRejecting starts the goroutine, which rejects commits until AcceptLoss.
func (w *writer) startRejecting(found inspection, end wal.Position, why error) {
	w.damaged = &damage{found, end}
	w.rejectErr = fmt.Errorf("%w: %w", persistence.ErrUnavailable, why)
	go w.run()
}

// damage is what Open found in a store that fails its integrity check.
type damage struct {
	found inspection
	// end is the last record of the log that could be read.
	end wal.Position
}

// close writes all rows in memory to the database, unless keepRows is set or writing has
// failed, and closes the log. The goroutine must have ended.
func (w *writer) close(keepRows bool) error {
	if w.log == nil {
		return nil
	}
	// Without a sync the rows are in the log only if a kill would leave them there.
	keepRows = keepRows || w.written != nil
	if w.rejectErr == nil && !keepRows {
		for _, t := range w.held {
			w.flusher.add(t)
		}
		if w.hasRows() {
			w.flusher.add(w.active)
		}
	}
	w.flusher.stop(keepRows)
	err := w.seal.sync()
	select {
	case failed := <-w.failed:
		err = errors.Join(err, failed)
	default:
		if w.rejectErr == nil && !keepRows {
			err = errors.Join(err, w.flusher.trim(w.views.latest().head.Seq))
		}
	}
	return errors.Join(err, w.log.Close())
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
	defer w.syncDue.Stop()
	tick := time.NewTimer(flushInterval)
	defer tick.Stop()
	armed := true
	group := make([]request, 0, GroupBatchesMax)
	for {
		var stopping bool
		w.meter.note(w.rejectErr)
		group, stopping = w.take(group[:0])
		if len(group) > 0 {
			w.checkOthers()
			w.process(group)
			clear(group)
			continue
		}
		if stopping {
			w.settle()
			return
		}
		if !armed && (w.seal.dirty || w.hasRows() || w.diskFull) {
			tick.Reset(flushInterval)
			armed = true
		}
		select {
		case <-w.wake:
			w.gather()
		case <-w.syncDue.C:
			w.settle()
		case <-tick.C:
			armed = false
			w.tick(time.Now())
		}
	}
}

// checkOthers ends writing if the flusher has ended or damage was found.
func (w *writer) checkOthers() {
	select {
	case err := <-w.failed:
		w.fail(nil, err)
	case err := <-w.broken:
		w.settle()
		w.rejectErr = fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	default:
	}
}

// tick hands the newest rows to the flusher and syncs the seal.
func (w *writer) tick(now time.Time) {
	if w.hasRows() || w.diskFull {
		_ = w.checkDisk()
	}
	if w.hasRows() && !w.diskFull && w.rejectErr == nil {
		if w.active.used().rows < w.tableRows/4 {
			w.tableRows = max(w.tableRows/2, tableRowsMin)
		}
		if err := w.freeze(room{}); err != nil {
			w.fail(nil, err)
			return
		}
	}
	if w.seal.dirty && now.Sub(w.seal.syncedAt) >= sealSyncInterval {
		w.syncSeal()
	}
}

// process executes the requests of a group and calls done for each, in order.
func (w *writer) process(group []request) {
	if group[0].acceptLoss {
		group[0].done(w.acceptLoss())
		return
	}
	full := w.checkDisk()
	for len(group) > 0 {
		switch allowed := allowedOf(group, full); {
		case w.rejectErr != nil:
			w.reject(group, w.rejectErr)
			return
		case allowed == 0:
			w.reject(group[:1], full)
			group = group[1:]
		default:
			began := time.Now()
			committed := w.commit(group[:allowed])
			w.meter.group(committed, began)
			group = group[committed:]
		}
	}
}

// reject answers a group that is not committed.
func (w *writer) reject(group []request, reason error) {
	w.settle() // Replies are in order.
	for _, r := range group {
		if r.barrier {
			r.done(nil)
			continue
		}
		r.done(reason)
	}
}

// commit writes the group, or as many of its first requests as fit one transaction, and
// syncs it unless all of them allow a delay. It returns their number.
func (w *writer) commit(group []request) int {
	tx := w.begin()
	defer tx.end()
	results := make([]error, len(group))
	for i, r := range group {
		results[i] = r.op(tx, w.generation)
		if rows.IsReply(results[i]) {
			continue
		}
		w.cache.Clear()
		if i > 0 {
			return w.commit(group[:i])
		}
		w.reject(group[:1], fmt.Errorf("%w: %w", persistence.ErrUnavailable, results[0]))
		return 1
	}
	if len(tx.changes) > 0 {
		err := w.write(tx)
		if err != nil {
			w.cache.Clear()
		}
		switch {
		case errors.Is(err, errGroupTooLarge) && len(group) > 1:
			return w.commit(group[:len(group)/2])
		case errors.Is(err, wal.ErrNoSegment):
			w.disk.recheck()
			w.reject(group, fmt.Errorf("%w: %w", persistence.ErrDiskFull, err))
			return len(group)
		case errors.Is(err, errGroupTooLarge):
			w.reject(group, fmt.Errorf("%w: %w", persistence.ErrUnavailable, err))
			return len(group)
		case err != nil:
			w.fail(group, err)
			return len(group)
		}
	}
	w.reply(group, results)
	return len(group)
}

// errGroupTooLarge reports a group that does not fit one transaction of the database.
var errGroupTooLarge = errors.New("the batch is too large")

// write appends a group to the log. It is not durable, and not visible to readers,
// before sync. If write returns errGroupTooLarge or wal.ErrNoSegment, nothing was
// written.
func (w *writer) write(tx *groupTx) error {
	need := sizeOf(tx.changes)
	if !transactionRoom(w.views.db).fits(need) {
		return errGroupTooLarge
	}
	w.record = tx.encode(w.record[:0])
	at, err := w.log.Append(w.record)
	if err != nil {
		return err
	}
	tx.ledger.Position = at
	return w.apply(tx, need)
}

// sync makes all written groups durable and visible, and then writes the seal. It does
// nothing if they are.
func (w *writer) sync() error {
	if w.written == nil {
		return nil
	}
	if err := w.log.Sync(); err != nil {
		return err
	}
	at := w.written.Position
	w.advance()
	return w.seal.write(at)
}

// advance makes all written groups visible.
func (w *writer) advance() {
	w.views.advance(*w.written)
	w.written = nil
}

// apply adds a written group to the rows in memory.
func (w *writer) apply(tx *groupTx, need room) error {
	switch {
	case w.active == nil:
		w.addTable(need)
	case !w.active.room.fits(need):
		w.tableRows = min(w.tableRows*2, tableRowsMax)
		if err := w.freeze(need); err != nil {
			return err
		}
	}
	w.active.add(tx.changes, tx.ledger)
	w.written = &tx.ledger
	w.changes = tx.changes
	if cap(w.changes) > changesKeptMax {
		w.changes, w.changed = nil, map[string]int{}
	}
	return nil
}

// changesKeptMax bounds the memory that is kept for the changes of the next group.
const changesKeptMax = 4096

func (w *writer) hasRows() bool { return w.active != nil && !w.active.empty() }

// freeze hands the active table to the flusher and begins another one, with room for at
// least need. While the log is replayed there is no flusher: the table is written at
// once. On a full disk it is kept.
func (w *writer) freeze(need room) error {
	if w.hasRows() {
		if w.diskFull {
			w.held = append(w.held, w.active)
		} else if w.flusher != nil {
			// No row may be in the database before it is durable in the log.
			if err := w.sync(); err != nil {
				return err
			}
			w.flusher.add(w.active)
		} else if err := w.views.write(w.active); err != nil {
			return err
		}
	}
	w.addTable(need)
	return nil
}

func (w *writer) addTable(need room) {
	w.active = newMemTable(w.views.db, w.tableRows, need)
	w.views.addTable(w.active)
}

// fail ends writing, because the state on the disk is unknown.
func (w *writer) fail(group []request, cause error) {
	w.logger.Error("a commit failed; commits are rejected until the store is opened again", zap.Error(cause))
	w.rejectErr = fmt.Errorf("%w: an earlier commit failed: %w", persistence.ErrUnavailable, cause)
	w.written = nil
	w.views.release()
	unknown := fmt.Errorf("%w: %w", persistence.ErrOutcomeUnknown, cause)
	for _, r := range w.replies {
		r.done(unknown)
	}
	w.forgetReplies()
	for _, r := range group {
		r.done(unknown)
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
