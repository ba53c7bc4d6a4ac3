package badgerstore

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"

	"venuegate/persistence"
)

// tableCheck verifies the checksums of the tables that a large database had when it was
// opened, while it is in use. badger verifies the blocks that it reads, but takes a damaged
// one for the end of its table: the rows from there on seem to be absent, and a compaction
// drops them. Therefore each read verifies the blocks that it depends on, unless they have
// been before, and whole tables that were compacted. A nil tableCheck has nothing to verify:
// Open has done it.
type tableCheck struct {
	database string
	options  badger.Options
	// levels are the tables by level and key. The tables of a level do not overlap; each
	// one of badger's level 0 is a level of its own.
	levels [][]*uncheckedTable
	// byKey are all tables by their first key; the background check has verified those
	// before next. Only it uses next.
	byKey []*uncheckedTable
	next  int

	// manifest is the file in which badger notes each compaction before readers see it, as
	// it was when the compacted tables were marked; nil before.
	manifestMu sync.Mutex
	manifest   os.FileInfo

	// report is called with the first damage, unless it is nil.
	report   func(error)
	reported sync.Once
	// unpin ends what keeps badger from deleting the tables after a compaction.
	unpin func()

	// complete is set when nothing is left to be verified.
	complete atomic.Bool
	// ctx is that of the background check, and cancel ends it.
	ctx    context.Context
	cancel context.CancelFunc
	// finished is closed when the background check has ended; nil before it was started.
	finished chan struct{}
}

// newTableCheck returns a check of the tables of a database.
func newTableCheck(database string, o badger.Options, tables []*uncheckedTable) *tableCheck {
	c := &tableCheck{database: database, options: o, byKey: tables, unpin: func() {}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	slices.SortFunc(tables, func(a, b *uncheckedTable) int { return bytes.Compare(a.smallest, b.smallest) })
	sorted := map[int][]*uncheckedTable{}
	for _, t := range tables {
		if t.level == 0 {
			c.levels = append(c.levels, []*uncheckedTable{t})
			continue
		}
		sorted[t.level] = append(sorted[t.level], t)
	}
	for _, level := range sorted {
		c.levels = append(c.levels, level)
	}
	return c
}

// pin keeps the tables of a database that was just opened until they are verified, also if
// they are compacted. It returns errCheckFirst if a compaction has deleted one already.
func (c *tableCheck) pin(db *badger.DB) error {
	txn := readAll(db)
	it := txn.NewIterator(badger.IteratorOptions{})
	c.unpin = sync.OnceFunc(func() {
		it.Close()
		txn.Discard()
	})
	for _, t := range c.byKey {
		info, err := os.Stat(t.path)
		if err != nil || info.Size() != t.size {
			return fmt.Errorf("%w: table %s was compacted", errCheckFirst, filepath.Base(t.path))
		}
	}
	return nil
}

// verify verifies what a read of the rows from one key to another one has depended on; a nil
// bound is that of all rows. It returns ErrIntegrity if that is damaged, and ErrUnavailable if
// it cannot be read now. It must be called after the read, which may have seen the result of a
// compaction.
func (c *tableCheck) verify(from, to []byte) error {
	if !c.isPending() {
		return nil
	}
	if err := c.markCompacted(); err != nil {
		return err
	}
	for _, level := range c.levels {
		i := sort.Search(len(level), func(i int) bool { return bytes.Compare(level[i].biggest, from) >= 0 })
		for ; i < len(level) && (to == nil || bytes.Compare(level[i].smallest, to) <= 0); i++ {
			if err := level[i].verify(from, to); err != nil {
				return c.damaged(err)
			}
		}
	}
	return nil
}

// markCompacted marks the tables that the manifest does not have any more. It returns
// ErrUnavailable if the manifest cannot be read now.
func (c *tableCheck) markCompacted() error {
	info, err := os.Stat(filepath.Join(c.database, badger.ManifestFilename))
	if err != nil {
		return errManifest(err)
	}
	c.manifestMu.Lock()
	defer c.manifestMu.Unlock()
	if c.manifest != nil && os.SameFile(c.manifest, info) && c.manifest.Size() == info.Size() {
		return nil
	}
	tables, err := readManifest(c.database, c.options)
	if err != nil {
		return errManifest(err)
	}
	for _, t := range c.byKey {
		if _, has := tables[t.id]; !has {
			t.compacted.Store(true)
		}
	}
	c.manifest = info
	return nil
}

func errManifest(cause error) error {
	return fmt.Errorf("%w: read the tables of the database: %w", persistence.ErrUnavailable, cause)
}

// verifyTo verifies the tables that begin at a key or before it, all of them for nil, which
// have not been verified by the calls before. Only the background check calls it.
func (c *tableCheck) verifyTo(key []byte) error {
	for ; c.next < len(c.byKey) && (key == nil || bytes.Compare(c.byKey[c.next].smallest, key) <= 0); c.next++ {
		if err := c.verifyCompacted(); err != nil {
			return err
		}
		if err := c.byKey[c.next].verifyAll(c.ctx); err != nil {
			return err
		}
	}
	if c.ctx.Err() != nil {
		return errCheckStopped
	}
	return nil
}

// verifyCompacted verifies the tables that were compacted meanwhile: a read of one of their rows
// would have to verify all of the table.
func (c *tableCheck) verifyCompacted() error {
	if err := c.markCompacted(); err != nil {
		return err
	}
	for _, t := range c.byKey[c.next:] {
		if !t.compacted.Load() {
			continue
		}
		if err := t.verifyAll(c.ctx); err != nil {
			return err
		}
	}
	return nil
}

// isPending reports whether something is still to be verified.
func (c *tableCheck) isPending() bool { return c != nil && !c.complete.Load() }

// guard sets err, and reports the damage, if badger panics while something is still to be
// verified: it uses the counts at the end of a block before it verifies the block. Reads defer
// it. badger's own compactions are not guarded.
func (c *tableCheck) guard(err *error) {
	if !c.isPending() {
		return
	}
	if cause := recover(); cause != nil {
		*err = c.damaged(fmt.Errorf("%w: a block is unreadable: %v", persistence.ErrIntegrity, cause))
	}
}

// damaged reports the first damage, which an error of the system is not. It returns err.
func (c *tableCheck) damaged(err error) error {
	if c.report != nil && !isOfSystem(err) {
		c.reported.Do(func() { c.report(err) })
	}
	return err
}

// stop ends the background check and waits for it.
func (c *tableCheck) stop() {
	if c == nil {
		return
	}
	c.cancel()
	if c.finished != nil {
		<-c.finished
	}
}

// close closes the tables. Nothing may be read after it unless the check is complete.
func (c *tableCheck) close() {
	if c == nil {
		return
	}
	for _, t := range c.byKey {
		t.close()
	}
	c.unpin()
}
