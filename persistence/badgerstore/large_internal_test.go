package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"

	"venuegate/persistence"
)

// checkLater are options with which a store is checked while it is in use.
var checkLater = func() Options {
	o := Small()
	o.CheckBytesMax = 1
	return o
}()

// largeOrders is the number of orders in a store of newLarge.
const largeOrders = 600

// newLarge creates a store of schema 6 with orders of alice, closes it, and returns their
// ids. The log does not have the orders any more.
func newLarge(t *testing.T) (dir string, ids []string) {
	t.Helper()
	dir = t.TempDir()
	s := openSmall(t, dir)
	fence, err := s.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	commitClosed(t, s, fence, 0, largeOrders, smallComment)
	ids, err = orderIDs(t, s)
	if err != nil || len(ids) != largeOrders {
		t.Fatalf("%d orders, %v; want %d", len(ids), err, largeOrders)
	}
	for range 2 { // Each Open begins a segment of the log, and Close trims it.
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openSmall(t, dir)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, ids
}

// openUnchecked opens a store whose background check is not started.
func openUnchecked(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := openOnce(dir, checkLater.withDefaults(), currentSchema)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if s.check == nil {
		t.Fatal("Open has checked the store, want it checked later")
	}
	return s
}

// runCheck runs the background check to its end.
func runCheck(s *Store) {
	s.startCheck()
	<-s.check.finished
}

// orderIDs returns the ids of the orders of alice, newest first, by pages.
func orderIDs(t *testing.T, s *Store) (ids []string, err error) {
	t.Helper()
	q := persistence.OrderQuery{Customer: "alice", Limit: 50}
	for {
		page, err := s.Orders(t.Context(), q)
		if err != nil {
			return ids, err
		}
		for _, o := range page.Items {
			ids = append(ids, o.OrderID)
		}
		if page.Next == nil {
			return ids, nil
		}
		q.After = page.Next
	}
}

// tablePaths returns the paths of the tables of a store.
func tablePaths(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filesOf(filepath.Join(dir, databaseName), tableSuffix)
	if err != nil || len(paths) == 0 {
		t.Fatalf("tables = %v, %v; want some", paths, err)
	}
	return paths
}

// blockAt is the place of a block in a file.
type blockAt struct {
	path          string
	offset, bytes int64
}

// entryCount returns the place of the first byte of the number of entries, which is followed
// by the checksum and its length, of four bytes like the number.
func (b blockAt) entryCount(t *testing.T) int64 {
	t.Helper()
	content, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	end := b.offset + b.bytes
	return end - 4 - int64(content[end-1]) - 4
}

// blocksOf returns the blocks of the tables of a store, without the last ones of tables,
// which every Open verifies.
func blocksOf(t *testing.T, dir string) (blocks []blockAt) {
	t.Helper()
	for _, path := range tablePaths(t, dir) {
		file, index, err := mapTable(path)
		if err != nil {
			t.Fatal(err)
		}
		table := fb.GetRootAsTableIndex(index, 0)
		for i := range table.OffsetsLength() - 1 {
			var block fb.BlockOffset
			table.Offsets(&block, i)
			blocks = append(blocks, blockAt{path, int64(block.Offset()), int64(block.Len())})
		}
		_ = unmapTable(file)
	}
	return blocks
}

// flip flips a bit in the middle of the block.
func (b blockAt) flip(t *testing.T) {
	t.Helper()
	b.flipAt(t, b.offset+b.bytes/2)
}

// flipAt flips a bit of the file.
func (b blockAt) flipAt(t *testing.T, at int64) {
	t.Helper()
	file, err := os.OpenFile(b.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	content := make([]byte, 1)
	_, err = file.ReadAt(content, at)
	content[0] ^= 1
	if err == nil {
		_, err = file.WriteAt(content, at)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// readEverything reads all orders by id and by pages. A read may fail with ErrIntegrity; it
// returns how many have, and reports an error if one lacks an order.
func readEverything(t *testing.T, s *Store, ids []string) (failed int) {
	t.Helper()
	for _, id := range ids {
		switch _, err := s.Order(t.Context(), "alice", id); {
		case errors.Is(err, persistence.ErrIntegrity):
			failed++
		case err != nil:
			t.Errorf("Order(%s) = %v, want nil or ErrIntegrity", id, err)
		}
	}
	got, err := orderIDs(t, s)
	switch {
	case errors.Is(err, persistence.ErrIntegrity):
		failed++
	case err != nil || !slices.Equal(got, ids):
		t.Errorf("Orders = %d orders, %v; want %d or ErrIntegrity", len(got), err, len(ids))
	}
	return failed
}

// checkDamaged checks that a store in use rejects commits because of damage.
func checkDamaged(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Integrity(); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Integrity = %v, want ErrIntegrity", err)
	}
	if err := s.Ready(); !errors.Is(err, errDamaged) {
		t.Errorf("Ready = %v, want %v", err, errDamaged)
	}
	if err := s.Commit(t.Context(), setting("s", 1)); !errors.Is(err, persistence.ErrUnavailable) || !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Commit = %v, want ErrUnavailable and ErrIntegrity", err)
	}
	if err := s.AcceptLoss(t.Context()); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("AcceptLoss of a store in use = %v, want ErrIntegrity", err)
	}
	if err := s.Backup(t.Context(), io.Discard); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Backup = %v, want ErrIntegrity", err)
	}
}

// compactTables writes until the database has none of the tables any more that it had.
func compactTables(t *testing.T, s *Store) {
	t.Helper()
	before := map[uint64]bool{}
	for _, table := range s.db.Tables() {
		before[table.ID] = true
	}
	for round := range 20 {
		for n := range 40 {
			if err := s.Commit(t.Context(), setting(fmt.Sprint(n, " of ", round), 40<<10)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.db.Flatten(1); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(s.db.Tables(), func(info badger.TableInfo) bool { return before[info.ID] }) {
			return
		}
	}
	t.Fatal("the tables were not compacted")
}

// deleteOrder deletes the row of an order from the database of a closed store, as badger may
// lose it.
func deleteOrder(t *testing.T, dir, id string) {
	t.Helper()
	deleteRow(t, dir, string(persistence.KindOrder)+"\x00\x01"+id+"\x00\x01", "r")
}

// deleteRow deletes the row of a table of alice whose key has a suffix.
func deleteRow(t *testing.T, dir string, suffix, table string) {
	t.Helper()
	db, err := openBadger(checkLater.withDefaults().badger(filepath.Join(dir, databaseName)))
	if err != nil {
		t.Fatal(err)
	}
	version := db.MaxVersion()
	txn := db.NewTransactionAt(version, true)
	defer txn.Discard()
	deleted := 0
	err = snapshot{view: &view{}, txn: txn}.Scan(nil, nil, false, func(key, _ []byte) bool {
		if bytes.HasPrefix(key, []byte("alice\x00\x01"+table)) && bytes.HasSuffix(key, []byte(suffix)) {
			err = errors.Join(err, txn.Delete(bytes.Clone(key)))
			deleted++
		}
		return true
	})
	if err := errors.Join(err, txn.CommitAt(version+1, nil), db.Close()); err != nil || deleted != 1 {
		t.Fatalf("%d rows were deleted, %v; want 1", deleted, err)
	}
}
