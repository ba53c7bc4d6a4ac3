package badgerstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
	"golang.org/x/sys/unix"

	"venuegate/persistence"
)

// uncheckedTable is a table of which blocks are not verified. It is safe for concurrent use.
type uncheckedTable struct {
	id          uint64
	path        string
	compression options.CompressionType
	level       int
	size        int64
	// smallest and biggest are the keys of its first and last rows.
	smallest, biggest []byte

	// compacted is set if the database does not have the table any more.
	compacted atomic.Bool
	// verified is set once all blocks are.
	verified atomic.Bool
	// mu guards the following fields, which are nil while the table is not open.
	mu     sync.Mutex
	file   *z.MmapFile
	blocks *fb.TableIndex
	it     *table.Iterator
	// seen has the blocks that are verified.
	seen []bool
}

// outline verifies the end of a table, its index and its last block.
func outline(database string, id uint64, description badger.TableManifest) (*uncheckedTable, error) {
	t := &uncheckedTable{id: id, path: table.NewFilename(id, database), level: int(description.Level), compression: description.Compression}
	if err := preload(t.path); err != nil {
		return nil, t.unusable(err)
	}
	file, _, err := mapTable(t.path)
	if err != nil {
		return nil, t.unusable(err)
	}
	opened, err := openTable(file, t.compression)
	if err != nil {
		return nil, t.damage(err)
	}
	t.size = int64(len(file.Data))
	t.smallest, t.biggest = bytes.Clone(y.ParseKey(opened.Smallest())), bytes.Clone(y.ParseKey(opened.Biggest()))
	return t, unmapTable(file)
}

// verify verifies the blocks that may have rows from one key to another one, or all of a
// compacted table.
func (t *uncheckedTable) verify(from, to []byte) error {
	if t.verified.Load() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.open(); err != nil || t.verified.Load() {
		return err
	}
	if t.compacted.Load() {
		return t.verifyBlocks(0, len(t.seen))
	}
	// The versions of a row may be in several blocks.
	first := max(sort.Search(len(t.seen), func(i int) bool { return bytes.Compare(t.firstKey(i), from) >= 0 })-1, 0)
	end := len(t.seen)
	if to != nil {
		end = sort.Search(end, func(i int) bool { return bytes.Compare(t.firstKey(i), to) > 0 })
	}
	return t.verifyBlocks(first, end)
}

// verifyBlocksMax bounds the blocks for which verifyAll makes others wait.
const verifyBlocksMax = 64

// verifyAll verifies all blocks, unless ctx ends meanwhile, and closes the table.
func (t *uncheckedTable) verifyAll(ctx context.Context) error {
	for first := 0; !t.verified.Load() && ctx.Err() == nil; first += verifyBlocksMax {
		if err := t.verifySome(first); err != nil {
			return err
		}
	}
	return nil
}

// verifySome verifies the blocks from first on. After the last one it closes the table.
func (t *uncheckedTable) verifySome(first int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.open(); err != nil {
		return err
	}
	end := min(first+verifyBlocksMax, len(t.seen))
	err := t.verifyBlocks(first, end)
	if err == nil && end == len(t.seen) {
		t.verified.Store(true)
		t.closeLocked()
	}
	return err
}

// verifyBlocks verifies some blocks. It recovers from badger's panics on some damage.
func (t *uncheckedTable) verifyBlocks(first, end int) (err error) {
	block := first
	defer func() {
		if cause := recover(); cause != nil {
			err = t.damage(fmt.Errorf("block %d is unreadable: %v", block, cause))
		}
	}()
	for ; block < end; block++ {
		if t.seen[block] {
			continue
		}
		var start fb.BlockOffset
		t.blocks.Offsets(&start, block)
		// A seek to the first key of a block reads that block only.
		if t.it.Seek(start.KeyBytes()); !t.it.Valid() {
			return t.damage(fmt.Errorf("block %d is damaged", block))
		}
		t.seen[block] = true
	}
	return nil
}

// firstKey returns the key of the first row of a block.
func (t *uncheckedTable) firstKey(block int) []byte {
	var start fb.BlockOffset
	t.blocks.Offsets(&start, block)
	return y.ParseKey(start.KeyBytes())
}

func (t *uncheckedTable) damage(cause error) error {
	return fmt.Errorf("%w: table %s: %w", persistence.ErrIntegrity, filepath.Base(t.path), cause)
}

// systemErrors are those of opening a file that do not depend on its content.
var systemErrors = []error{unix.EMFILE, unix.ENFILE, unix.ENOMEM, fs.ErrPermission}

// isOfSystem reports whether an error is one of the system, which shows no damage.
func isOfSystem(err error) bool {
	return slices.ContainsFunc(systemErrors, func(of error) bool { return errors.Is(err, of) })
}

// unusable returns the error of opening the table: damage, unless it is one of the system.
func (t *uncheckedTable) unusable(cause error) error {
	if isOfSystem(cause) {
		return fmt.Errorf("%w: open table %s: %w", persistence.ErrUnavailable, filepath.Base(t.path), cause)
	}
	return t.damage(cause)
}

// open opens the table if it is not open and not verified.
func (t *uncheckedTable) open() error {
	if t.it != nil || t.verified.Load() {
		return nil
	}
	file, index, err := mapTable(t.path)
	if err != nil {
		return t.unusable(err)
	}
	opened, err := openTable(file, t.compression)
	if err != nil {
		return t.damage(err)
	}
	t.file, t.it = file, opened.NewIterator(table.NOCACHE)
	t.blocks = fb.GetRootAsTableIndex(index, 0)
	t.seen = make([]bool, t.blocks.OffsetsLength())
	return nil
}

func (t *uncheckedTable) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closeLocked()
}

func (t *uncheckedTable) closeLocked() {
	if t.it == nil {
		return
	}
	_ = t.it.Close() // It returns an error only if it deletes the table, of which it is one of two users.
	_ = unmapTable(t.file)
	t.file, t.it, t.blocks, t.seen = nil, nil, nil, nil
}
