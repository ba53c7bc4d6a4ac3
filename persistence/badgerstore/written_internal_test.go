package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/internal/fsync"
)

// logDisk is a log whose syncs a test counts, blocks and fails.
type logDisk struct {
	syncs atomic.Int64
	mu    sync.Mutex
	// before is called before each sync, whose error it may return.
	before func() error
}

func (d *logDisk) sync(file *os.File) error {
	d.syncs.Add(1)
	d.mu.Lock()
	before := d.before
	d.mu.Unlock()
	if before != nil {
		if err := before(); err != nil {
			return err
		}
	}
	return fsync.File(file)
}

func (d *logDisk) intercept(before func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = before
}

func openSyncing(t *testing.T, dir string, d *logDisk) *Store {
	t.Helper()
	store, err := Open(dir, smallSyncing(d.sync))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// submitWritten submits a setting whose sync may be delayed, and returns when it is written.
func submitWritten(s *Store, name string) (done <-chan error) {
	return submitDelayed(s, setting(name, 10))
}

// submitDelayed submits a batch whose sync may be delayed, and returns when it is written.
func submitDelayed(s *Store, b persistence.Batch) (done <-chan error) {
	reply, written := make(chan error, 1), make(chan struct{})
	b.Written = func() { close(written) }
	s.Submit(b, func(err error) { reply <- err })
	<-written
	return reply
}

// One sync makes a written batch and the commit behind it durable.
func TestWrittenBatchIsSyncedWithTheNextCommit(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { // no time passes, and so no delay ends
		d := &logDisk{}
		s := openSyncing(t, dir, d)
		before := d.syncs.Load()
		const rounds = 10
		for i := range rounds {
			done := submitWritten(s, "outcome"+strconv.Itoa(i))
			if err := s.Commit(t.Context(), setting("intent", i)); err != nil {
				t.Error(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if syncs := d.syncs.Load() - before; syncs != rounds {
			t.Errorf("%d rounds took %d syncs, want one each", rounds, syncs)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A kill after Written loses nothing; a power failure before the sync loses the batch, and the
// store is intact.
func TestWrittenBatchSurvivesAKill(t *testing.T) {
	d, running := &logDisk{}, t.TempDir()
	s := openSyncing(t, running, d)
	if err := s.Commit(t.Context(), setting("durable", 10)); err != nil {
		t.Fatal(err)
	}
	powerFailure, kill := t.TempDir(), t.TempDir()
	copyDir(t, running, powerFailure)
	syncing, resume := make(chan struct{}), make(chan struct{})
	d.intercept(sync.OnceValue(func() error {
		close(syncing)
		<-resume
		return nil
	}))
	done := submitWritten(s, "written")
	<-syncing
	copyDir(t, running, kill)
	close(resume)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]error{kill: nil, powerFailure: persistence.ErrNotFound} {
		opened := openSmall(t, dir)
		if err := opened.Integrity(); err != nil {
			t.Errorf("Integrity = %v, want nil", err)
		}
		if _, err := opened.Setting(t.Context(), "durable"); err != nil {
			t.Errorf("Setting(durable) = %v, want nil", err)
		}
		if _, err := opened.Setting(t.Context(), "written"); !errors.Is(err, want) {
			t.Errorf("Setting(written) = %v, want %v", err, want)
		}
	}
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// A reader that begins after Written waits for the sync, and sees the batch.
func TestReaderWaitsForTheSync(t *testing.T) {
	d := &logDisk{}
	s := openSyncing(t, t.TempDir(), d)
	resume := make(chan struct{})
	resumeOnce := sync.OnceFunc(func() { close(resume) })
	defer resumeOnce()
	d.intercept(func() error {
		<-resume
		return nil
	})
	done := submitWritten(s, "written")
	read := make(chan error, 1)
	go func() {
		_, err := s.Setting(t.Context(), "written")
		read <- err
	}()
	select {
	case err := <-read:
		t.Fatalf("the read = %v before the sync, want it to wait", err)
	case err := <-done:
		t.Fatalf("done(%v) before the sync", err)
	case <-time.After(20 * persistence.SyncDelayMax):
	}
	resumeOnce()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-read; err != nil {
		t.Errorf("the read = %v, want nil", err)
	}
}

// After a failed sync the outcome of what was written is unknown, readers do not wait any
// longer, and nothing is accepted any more.
func TestFailedSyncOfWrittenBatches(t *testing.T) {
	d := &logDisk{}
	s := openSyncing(t, t.TempDir(), d)
	broken := errors.New("broken")
	d.intercept(func() error { return broken })
	if err := <-submitWritten(s, "a"); !errors.Is(err, persistence.ErrOutcomeUnknown) || !errors.Is(err, broken) {
		t.Errorf("done(%v), want ErrOutcomeUnknown and the cause", err)
	}
	if _, err := s.Setting(t.Context(), "a"); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("Setting = %v, want ErrNotFound: it is not durable", err)
	}
	if err := s.Commit(t.Context(), setting("b", 10)); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("Commit = %v, want ErrUnavailable", err)
	}
}

// What could not be synced does not reach the database later, nor when the store is closed.
func TestFailedSyncStaysOutOfTheDatabase(t *testing.T) {
	dir := t.TempDir()
	var before ledger
	synctest.Test(t, func(t *testing.T) {
		d := &logDisk{}
		s := openSyncing(t, dir, d)
		time.Sleep(2 * flushInterval) // The rows of the opening are in the database.
		before = s.writer.views.latest().head
		d.intercept(func() error { return errors.New("broken") })
		if err := <-submitWritten(s, "a"); !errors.Is(err, persistence.ErrOutcomeUnknown) {
			t.Errorf("done(%v), want ErrOutcomeUnknown", err)
		}
		time.Sleep(2 * flushInterval)
		_ = s.Close() // It cannot sync either.
	})
	if after := headOf(t, dir); after != before {
		t.Errorf("the database is at commit %d, want %d", after.Seq, before.Seq)
	}
}

// Rows that were kept in memory on a full disk, and could not be synced, do not reach the
// database once there is space again.
func TestFailedSyncOnAFullDiskStaysOutOfTheDatabase(t *testing.T) {
	dir := t.TempDir()
	var before ledger
	synctest.Test(t, func(t *testing.T) {
		free, d := diskWith(roomyBytes), &logDisk{}
		o := onDisk(free)
		o.syncLog = d.sync
		s, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * flushInterval) // The rows of the opening are in the database.
		before = s.writer.views.latest().head
		free.Store(0)
		time.Sleep(diskCheckInterval)
		d.intercept(func() error { return errors.New("broken") })
		var replies []<-chan error
		for n := range 2 { // The second one does not fit the table of the first.
			b := persistence.Batch{Reserve: true}
			for i := range tableRowsMin {
				b.Puts = append(b.Puts, setting(fmt.Sprint(n, "/", i), 1).Puts...)
			}
			replies = append(replies, submitDelayed(s, b))
		}
		for _, done := range replies {
			if err := <-done; !errors.Is(err, persistence.ErrOutcomeUnknown) {
				t.Errorf("done(%v), want ErrOutcomeUnknown", err)
			}
		}
		if n := len(s.writer.held); n != 1 {
			t.Errorf("%d tables are kept in memory, want 1", n)
		}
		free.Store(roomyBytes)
		time.Sleep(fullCheckInterval + 2*flushInterval)
		_ = s.Close() // It cannot sync either.
	})
	if after := headOf(t, dir); after != before {
		t.Errorf("the database is at commit %d, want %d", after.Seq, before.Seq)
	}
}

// Rows reach the database only after they are durable in the log.
func TestFlushFollowsTheSync(t *testing.T) {
	d := &logDisk{}
	s := openSyncing(t, t.TempDir(), d)
	var early atomic.Bool
	d.intercept(func() error {
		found, err := inspect(s.db)
		early.Store(early.Load() || found.head.Seq > s.writer.views.latest().head.Seq)
		return err
	})
	var replies []<-chan error
	for i := range 3 * tableRowsMin { // fills several tables
		replies = append(replies, submitWritten(s, strconv.Itoa(i)))
	}
	for _, done := range replies {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if early.Load() {
		t.Error("the database was ahead of the synced log")
	}
}

// The delay ends at its time although the writer always has something to do.
func TestDelayEndsWhileTheWriterIsBusy(t *testing.T) {
	s := openSyncing(t, t.TempDir(), &logDisk{})
	const batches = 30
	var synced atomic.Int64
	end := make(chan int64, 1)
	var next func(i int)
	next = func(i int) {
		b := setting(strconv.Itoa(i), 10)
		b.Written = func() {
			time.Sleep(persistence.SyncDelayMax)
			if i == batches {
				end <- synced.Load()
				return
			}
			next(i + 1)
		}
		s.Submit(b, func(error) { synced.Add(1) })
	}
	next(1)
	if got := <-end; got < batches/2 {
		t.Errorf("%d of %d batches are durable after %d delays, want at least half", got, batches, batches)
	}
}

func TestReaderDoesNotWaitLongerThanItsContext(t *testing.T) {
	d := &logDisk{}
	s := openSyncing(t, t.TempDir(), d)
	resume := make(chan struct{})
	defer close(resume)
	d.intercept(func() error {
		<-resume
		return nil
	})
	submitWritten(s, "written")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := s.Setting(ctx, "written"); !errors.Is(err, context.Canceled) {
		t.Errorf("Setting = %v, want context.Canceled", err)
	}
}

// What an opening could not sync does not reach the database.
func TestFailedSyncOfAnOpening(t *testing.T) {
	dir, d := t.TempDir(), &logDisk{}
	s := openSyncing(t, dir, d)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := headOf(t, dir)
	d.syncs.Store(0)
	s = openSyncing(t, dir, d)
	last := d.syncs.Load()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := headOf(t, dir); after.Seq != before.Seq+1 {
		t.Fatalf("an opening leads from commit %d to %d, want the next", before.Seq, after.Seq)
	}
	before = headOf(t, dir)
	d.syncs.Store(0)
	broken := errors.New("broken")
	d.intercept(func() error {
		if d.syncs.Load() == last {
			return broken
		}
		return nil
	})
	if _, err := Open(dir, smallSyncing(d.sync)); !errors.Is(err, broken) {
		t.Fatalf("Open = %v, want the error of the sync", err)
	}
	if after := headOf(t, dir); after != before {
		t.Errorf("the database is at commit %d, want %d", after.Seq, before.Seq)
	}
}

// headOf returns the ledger in the database of a store that is not open.
func headOf(t *testing.T, dir string) ledger {
	t.Helper()
	db, err := openBadger(Options{MemTableBytes: memTableBytesMin}.withDefaults().badger(filepath.Join(dir, databaseName)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	found, err := inspect(db)
	if err != nil {
		t.Fatal(err)
	}
	return found.head
}
