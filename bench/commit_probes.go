package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
)

// logFileBytes is the size that is written before the measurement, so that a sync
// writes only data.
const logFileBytes = 64 << 20

// storeCommitter is the service's store: one setting per commit, under the fence of
// the writer's own customer.
type storeCommitter struct {
	dir    string
	store  *badgerstore.Store
	fences []persistence.Fence
}

func openStoreCommitter(ctx context.Context, dir string) (*storeCommitter, error) {
	store, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		return nil, err
	}
	s := &storeCommitter{dir: dir, store: store}
	for writer := range commitWriters {
		fence, err := store.TakeOwnership(ctx, fmt.Sprint("customer", writer))
		if err != nil {
			return nil, errors.Join(err, store.Close())
		}
		s.fences = append(s.fences, fence)
	}
	return s, nil
}

func (s *storeCommitter) commit(writer, n int) error {
	return s.store.Commit(context.Background(), persistence.Batch{
		Fence: s.fences[writer],
		// In base64, with its key, the value has about commitBytes.
		Puts: []persistence.Record{persistence.Setting{Name: recordName(writer, n), Value: make([]byte, commitBytes*3/5)}},
	})
}

func (s *storeCommitter) close() error { return s.store.Close() }

// warm makes the first commits, and returns how many bytes a commit adds to the
// store's log.
func (s *storeCommitter) warm() (grown int, err error) {
	before, err := logBytes(s.dir)
	if err != nil {
		return 0, err
	}
	for n := range commitsWarm {
		if err := s.commit(0, -1-n); err != nil {
			return 0, err
		}
	}
	after, err := logBytes(s.dir)
	return int(after-before) / commitsWarm, err
}

func recordName(writer, n int) string { return fmt.Sprintf("%02d-%09d", writer, n) }

// logBytes returns the written size of the segments of a store's log. They are filled
// with zeros after the written part.
func logBytes(store string) (int64, error) {
	logs, err := filepath.Glob(filepath.Join(store, "log", "*.log"))
	if err == nil && len(logs) == 0 {
		err = fmt.Errorf("%s has no log", store)
	}
	var total int64
	for _, path := range logs {
		content, failure := os.ReadFile(path)
		err = errors.Join(err, failure)
		end := len(content)
		for end > 0 && content[end-1] == 0 {
			end--
		}
		total += int64(end)
	}
	return total, err
}

// syncLog is the minimum that makes a record durable: it is appended in a preallocated
// file and synced.
type syncLog struct {
	file        *os.File
	at          int64
	recordBytes int
}

func openSyncLog(dir string, recordBytes int) (*syncLog, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := createLog(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	return &syncLog{file: file, recordBytes: recordBytes}, nil
}

// createLog creates a preallocated file of logFileBytes.
func createLog(name string) (*os.File, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(make([]byte, logFileBytes))
	if err = errors.Join(err, file.Sync()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// put makes records durable with one sync.
func (l *syncLog) put(records int) error {
	content := make([]byte, records*l.recordBytes)
	if l.at+int64(len(content)) > logFileBytes {
		l.at = 0
	}
	if _, err := l.file.WriteAt(content, l.at); err != nil {
		return err
	}
	l.at += int64(len(content))
	return dataSync(l.file)
}

func (l *syncLog) commit(int, int) error { return l.put(1) }

func (l *syncLog) close() error { return l.file.Close() }

// badgerCommitter is plain badger.
type badgerCommitter struct {
	db *badger.DB
	// log is badger's log if only that is synced; otherwise badger itself syncs it
	// and its empty value log.
	log *os.File
}

func openBadger(dir string) (*badgerCommitter, error) {
	db, err := badger.Open(badger.DefaultOptions(dir).WithSyncWrites(true).WithLogger(nil))
	return &badgerCommitter{db: db}, err
}

// openBadgerLog opens badger so that only its log is synced. The data of a round fits
// into one log.
func openBadgerLog(dir string) (*badgerCommitter, error) {
	db, err := badger.Open(badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		return nil, err
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*.mem"))
	if err == nil && len(logs) != 1 {
		err = fmt.Errorf("badger has %d logs", len(logs))
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	log, err := os.Open(logs[0])
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &badgerCommitter{db: db, log: log}, nil
}

func (b *badgerCommitter) put(names ...string) error {
	txn := b.db.NewTransaction(true)
	defer txn.Discard()
	for _, name := range names {
		if err := txn.Set([]byte(name), make([]byte, commitBytes-len(name))); err != nil {
			return err
		}
	}
	if err := txn.Commit(); err != nil || b.log == nil {
		return err
	}
	return dataSync(b.log)
}

func (b *badgerCommitter) commit(writer, n int) error { return b.put(recordName(writer, n)) }

func (b *badgerCommitter) close() error {
	err := b.db.Close()
	if b.log != nil {
		err = errors.Join(err, b.log.Close())
	}
	return err
}

// groupCommit commits all pending records in one goroutine with one put. It checks
// nothing and has no state.
type groupCommit struct {
	waiting chan groupEntry
	ended   chan struct{}
	closed  func() error
}

type groupEntry struct {
	name string
	done chan<- error
}

func startGroupCommit(put func(names []string) error, closed func() error) *groupCommit {
	g := &groupCommit{waiting: make(chan groupEntry, commitWriters), ended: make(chan struct{}), closed: closed}
	go g.run(put)
	return g
}

func (g *groupCommit) run(put func(names []string) error) {
	defer close(g.ended)
	var group []groupEntry
	var names []string
	for first := range g.waiting {
		group, names = append(group[:0], first), append(names[:0], first.name)
		for range len(g.waiting) {
			next := <-g.waiting
			group, names = append(group, next), append(names, next.name)
		}
		err := put(names)
		for _, entry := range group {
			entry.done <- err
		}
	}
}

func (g *groupCommit) commit(writer, n int) error {
	done := make(chan error, 1)
	g.waiting <- groupEntry{recordName(writer, n), done}
	return <-done
}

func (g *groupCommit) close() error {
	close(g.waiting)
	<-g.ended
	return g.closed()
}

func openGroupedBadger(dir string, open func(dir string) (*badgerCommitter, error)) (*groupCommit, error) {
	b, err := open(dir)
	if err != nil {
		return nil, err
	}
	return startGroupCommit(func(names []string) error { return b.put(names...) }, b.close), nil
}

func openGroupedLog(dir string) (*groupCommit, error) {
	l, err := openSyncLog(dir, commitBytes)
	if err != nil {
		return nil, err
	}
	return startGroupCommit(func(names []string) error { return l.put(len(names)) }, l.close), nil
}
