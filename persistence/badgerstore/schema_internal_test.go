package badgerstore

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// openAs opens a store with the schema of another version of the program.
func openAs(dir string, s schema) (*Store, error) {
	return openSchema(dir, Small(), s)
}

func TestNewerSchemaIsRejected(t *testing.T) {
	dir := t.TempDir()
	newer, err := openAs(dir, schema{migrations: make([]migration, len(currentSchema.migrations)+1)})
	if err != nil {
		t.Fatal(err)
	}
	if err := newer.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, ErrSchemaNewer) {
		t.Errorf("Open = %v, want ErrSchemaNewer", err)
	}
}

// Only pending migrations run, each once, in order and in steps.
func TestOlderSchemaIsMigrated(t *testing.T) {
	dir := t.TempDir()
	store, err := openAs(dir, schema{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var ran []int
	step := func(n int) migration {
		return func(_ migrationTx, from []byte) ([]byte, error) {
			ran = append(ran, n)
			if n == 3 && from == nil {
				return []byte("half"), nil
			}
			return nil, nil
		}
	}
	for _, to := range []int{2, 2, 4} {
		s := schema{}
		for n := 2; n <= to; n++ {
			s.migrations = append(s.migrations, step(n))
		}
		store, err := openAs(dir, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(store.Integrity(), store.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{2, 3, 3, 4}; !slices.Equal(ran, want) {
		t.Errorf("migrations = %v, want %v", ran, want)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	dir := t.TempDir()
	store, err := openAs(dir, schema{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(t.Context(), setting("s", 10)); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	failing := schema{migrations: []migration{func(tx migrationTx, _ []byte) ([]byte, error) {
		return nil, errors.Join(tx.Replace([]byte("half"), nil, []byte("done")), persistence.ErrIntegrity)
	}}}
	if _, err := openAs(dir, failing); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("openSchema = %v, want ErrIntegrity", err)
	}
	store = openSmall(t, dir)
	if err := store.Integrity(); err != nil {
		t.Errorf("Integrity after a failed migration = %v, want nil", err)
	}
	if _, err := store.Setting(t.Context(), "s"); err != nil {
		t.Errorf("Setting after a failed migration = %v, want nil", err)
	}
}

// The index rows of schema 2 by time and by request id contain whether an order is
// closed. The migration to schema 3 rewrites more of them than one step takes, for two
// customers, and the orders can be changed after it.
func TestClosedFlagIsMigrated(t *testing.T) {
	const orders = 600
	dir := t.TempDir()
	store, err := openAs(dir, schema{migrations: currentSchema.migrations[:1]})
	if err != nil {
		t.Fatal(err)
	}
	for _, customer := range []string{"alice", "bob"} {
		putClosedOrders(t, store, customer, orders)
	}
	if n := setClosed(t, store); n != 4*orders {
		t.Fatalf("setClosed = %d, want %d", n, 4*orders)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		store = openSmall(t, dir)
		if n := len(rowsWithClosed(t, store, 1)); n != 0 {
			t.Errorf("%d rows with the closed flag, want 0", n)
		}
		putClosedOrders(t, store, "alice", orders/2)
		for view, want := range map[persistence.OrderView]int{persistence.OrdersOpen: 0, persistence.OrdersClosed: 1, persistence.OrdersAll: 1} {
			q := persistence.OrderQuery{Customer: "bob", RequestID: storetest.NewOrder("bob", 7).RequestID, View: view}
			if page, err := store.Orders(t.Context(), q); err != nil || len(page.Items) != want {
				t.Errorf("view %s has %d orders, %v; want %d", view, len(page.Items), err, want)
			}
		}
		if err := errors.Join(store.Integrity(), store.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A step of the migration to schema 6 fits one transaction, however large the values are.
func TestLargeValuesAreMigrated(t *testing.T) {
	const settings, bytesEach = 30, 40_000
	dir := t.TempDir()
	store, err := openAs(dir, schema{migrations: currentSchema.migrations[:3]})
	if err != nil {
		t.Fatal(err)
	}
	for n := range settings {
		key := fmt.Appendf(nil, "\x00\x01rsetting\x00\x01s%02d\x00\x01", n)
		value := fmt.Appendf(nil, "\x01"+`{"name":"s%02d","value":"%s"}`, n, base64.StdEncoding.EncodeToString(make([]byte, bytesEach)))
		done := make(chan error, 1)
		store.writer.enqueue(func(tx rows.Tx, _ uint64) error { return tx.Replace(key, nil, value) }, func(err error) { done <- err })
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	store = openSmall(t, dir)
	for n := range settings {
		s, err := store.Setting(t.Context(), fmt.Sprintf("s%02d", n))
		if err != nil || len(s.Value) != bytesEach {
			t.Errorf("Setting %d has %d bytes, %v; want %d", n, len(s.Value), err, bytesEach)
		}
	}
	if err := errors.Join(store.Integrity(), store.Close()); err != nil {
		t.Error(err)
	}
}

func putClosedOrders(t *testing.T, s *Store, customer string, n int) {
	t.Helper()
	fence, err := s.TakeOwnership(t.Context(), customer)
	if err != nil {
		t.Fatal(err)
	}
	var puts []persistence.Record
	for i := range n {
		o := storetest.NewOrder(customer, i)
		o.Exchange, o.Status, o.Protection, o.Comment = venues.Binance, venues.StatusFilled, nil, fmt.Sprint("of ", n)
		puts = append(puts, o)
	}
	for some := range slices.Chunk(puts, 50) {
		if err := s.Commit(t.Context(), persistence.Batch{Fence: fence, Puts: some}); err != nil {
			t.Fatal(err)
		}
	}
}

// setClosed sets the closed flag in the index rows of all orders, as schema 2 did for
// closed ones, and returns the number of rows.
func setClosed(t *testing.T, s *Store) int {
	t.Helper()
	keys := rowsWithClosed(t, s, 0)
	for some := range slices.Chunk(keys, 500) {
		done := make(chan error, 1)
		s.writer.enqueue(func(tx rows.Tx, _ uint64) error {
			for _, key := range some {
				value, err := tx.Get(key)
				if err := errors.Join(err, tx.Replace(key, value, append([]byte{1}, value[1:]...))); err != nil {
					return err
				}
			}
			return nil
		}, func(err error) { done <- err })
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	return len(keys)
}

// rowsWithClosed returns the keys of the index rows of orders with that closed flag.
func rowsWithClosed(t *testing.T, s *Store, closed byte) (keys [][]byte) {
	t.Helper()
	prefix := append([]byte{closed}, "binance\x00\x01"...)
	err := s.View(t.Context(), func(snapshot rows.Snapshot) error {
		return snapshot.Scan(nil, nil, false, func(key, value []byte) bool {
			if bytes.HasPrefix(value, prefix) {
				keys = append(keys, bytes.Clone(key))
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
