package badgerstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/internal/rows"
)

// unpackSchema4 unpacks the directory of a store of schema 4 whose process was killed,
// and what it answered before (answersOf). It has orders, fills, events and journal rows
// of two customers, of all forms of ids and times near and far from them.
func unpackSchema4(t testing.TB) (dir, answers string) {
	t.Helper()
	dir = unpack(t, "schema4.tar.gz")
	path := filepath.Join(dir, "answers.txt")
	content, err := os.ReadFile(path)
	if err := errors.Join(err, os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	return dir, string(content)
}

// checkAnswers compares the answers of a store.
func checkAnswers(t *testing.T, store *badgerstore.Store, want string) {
	t.Helper()
	if err := store.Integrity(); err != nil {
		t.Errorf("Integrity = %v, want nil", err)
	}
	got := strings.Split(answersOf(t, store), "\n")
	for i, line := range strings.Split(want, "\n") {
		if i >= len(got) || got[i] != line {
			t.Fatalf("answer %d is %s, want %s", i, got[min(i, len(got)-1)], line)
		}
	}
}

// A store of schema 4 answers every query as before, also when it is opened again and after
// more is written. Older programs reject it.
func TestStoreOfSchema4(t *testing.T) {
	dir, answers := unpackSchema4(t)
	for range 2 {
		store := open(t, dir)
		checkAnswers(t, store, answers)
		closeStore(t, store)
	}
	store := open(t, dir)
	writeOrders(t, store, "bob", 1000, 1010)
	if o, err := store.Order(t.Context(), "bob", "ord_001001"); err != nil {
		t.Errorf("Order = %+v, %v; want ord_001001", o, err)
	}
	closeStore(t, store)
	if _, err := badgerstore.OpenSchema4(dir, small); !errors.Is(err, badgerstore.ErrSchemaNewer) {
		t.Errorf("opening as schema 4 = %v, want ErrSchemaNewer", err)
	}
}

// A migration that was interrupted before any of its steps is completed by the next
// opening, and has the rows of one that was not, which answer as before.
func TestInterruptedMigrationOfSchema4(t *testing.T) {
	whole, answers := unpackSchema4(t)
	migrated := open(t, whole)
	checkAnswers(t, migrated, answers)
	want := allRows(t, migrated)
	closeStore(t, migrated)
	dir, _ := unpackSchema4(t)
	var images []string
	store, err := badgerstore.OpenStepping(dir, small, 100, func() {
		image := filepath.Join(t.TempDir(), fmt.Sprint("step", len(images)))
		if err := copyStore(dir, image); err != nil {
			t.Fatal(err)
		}
		images = append(images, image)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := allRows(t, store); !maps.Equal(got, want) {
		t.Errorf("%d rows of a migration in steps, want the %d of one", len(got), len(want))
	}
	closeStore(t, store)
	if len(images) < 5 {
		t.Fatalf("the migration had %d steps, want more", len(images))
	}
	for _, image := range images {
		t.Run(filepath.Base(image), func(t *testing.T) {
			again, err := badgerstore.OpenStepping(image, small, 100, func() {})
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Integrity(); err != nil {
				t.Errorf("Integrity = %v, want nil", err)
			}
			if got := allRows(t, again); !maps.Equal(got, want) {
				t.Errorf("%d rows, want the %d of a migration without a stop", len(got), len(want))
			}
			closeStore(t, again)
		})
	}
}

// A store of schema 4 can be read before it is migrated, which a damaged one is not. A
// backup of it is migrated after it was restored.
func TestBackupOfSchema4(t *testing.T) {
	dir, answers := unpackSchema4(t)
	old, err := badgerstore.OpenSchema4(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	checkAnswers(t, old, answers)
	var backup bytes.Buffer
	if err := old.Backup(t.Context(), &backup); err != nil {
		t.Fatal(err)
	}
	closeStore(t, old)
	restored := filepath.Join(t.TempDir(), "restored")
	if err := badgerstore.Restore(restored, &backup); err != nil {
		t.Fatal(err)
	}
	store := open(t, restored)
	checkAnswers(t, store, answers)
	closeStore(t, store)
}

// The rows of a migrated store are those that the same records get when they are put: one
// can be replaced or purged without leaving rows behind.
func TestMigratedRowsEqualWrittenOnes(t *testing.T) {
	dir, _ := unpackSchema4(t)
	migrated, fresh := open(t, dir), open(t, t.TempDir())
	defer closeStore(t, migrated)
	defer closeStore(t, fresh)
	fence, err := fresh.TakeOwnership(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Commit(t.Context(), tradesOf(t, migrated, fence)); err != nil {
		t.Fatal(err)
	}
	got, want := tradeRows(t, migrated, "bob"), tradeRows(t, fresh, "bob")
	if len(got) == 0 {
		t.Error("the store has no rows, want some")
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if got[key] != want[key] {
			t.Errorf("row %q = %q, want %q", key, got[key], want[key])
		}
		delete(want, key)
	}
	for key, value := range want {
		t.Errorf("the row %q = %q is missing", key, value)
	}
}

// tradesOf returns a batch with the orders, fills, events and journal of a customer.
func tradesOf(t *testing.T, store persistence.Reader, fence persistence.Fence) persistence.Batch {
	t.Helper()
	b := persistence.Batch{Fence: fence}
	orders, ordersErr := store.Orders(t.Context(), persistence.OrderQuery{Customer: fence.Customer})
	for _, o := range orders.Items {
		b.Puts = append(b.Puts, o)
	}
	fills, fillsErr := store.Fills(t.Context(), persistence.FillQuery{Customer: fence.Customer})
	for _, f := range fills.Items {
		b.Puts = append(b.Puts, f)
	}
	events, eventsErr := store.Events(t.Context(), fence.Customer, "", 0)
	journal, journalErr := store.Journal(t.Context(), persistence.JournalQuery{Customer: fence.Customer})
	if err := errors.Join(ordersErr, fillsErr, eventsErr, journalErr); err != nil {
		t.Fatal(err)
	}
	b.Events, b.Journal = events, journal.Items
	return b
}

// allRows returns the rows of a store, without the ledger, which counts commits.
func allRows(t *testing.T, store *badgerstore.Store) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := store.View(t.Context(), func(s rows.Snapshot) error {
		return s.Scan(nil, nil, false, func(key, value []byte) bool {
			if string(key) != "\x00\x00l" {
				found[string(key)] = string(value)
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tradeRows returns the rows of the orders, fills, events and journal of a customer.
func tradeRows(t *testing.T, store *badgerstore.Store, customer string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := store.View(t.Context(), func(s rows.Snapshot) error {
		return s.Scan(nil, nil, false, func(key, value []byte) bool {
			of, row, _ := strings.Cut(string(key), "\x00\x01")
			isRecord := strings.HasPrefix(row, "rorder\x00") || strings.HasPrefix(row, "rfill\x00")
			if of == customer && (isRecord || strings.ContainsAny(row[:1], "toqcfgeijuh")) {
				found[string(key)] = string(value)
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
