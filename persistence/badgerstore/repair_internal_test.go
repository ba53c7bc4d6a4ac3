package badgerstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// The rows of one unfinished order and the index row of another one are lost. Once that is
// accepted, the account can load the orders that are left, and all pages and the archive can be
// read.
func TestAcceptLossRepairsTheIndex(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir)
	fence, err := s.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	b := persistence.Batch{Fence: fence}
	for n := range 3 {
		order := storetest.NewOrder("alice", n)
		order.Exchange = venues.Binance
		b.Puts = append(b.Puts, order)
	}
	if err := s.Commit(t.Context(), b); err != nil {
		t.Fatal(err)
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
	deleteOrder(t, dir, "ord_000000")
	deleteRow(t, dir, "ord_000001\x00\x01", "o")

	s = openSmall(t, dir)
	defer func() { _ = s.Close() }()
	if err := s.Integrity(); !errors.Is(err, errRows) {
		t.Fatalf("Integrity = %v, want %v", err, errRows)
	}
	if err := s.AcceptLoss(t.Context()); err != nil {
		t.Fatal(err)
	}
	orders, err := s.UnfinishedOrders(t.Context(), "alice", venues.Binance)
	if err != nil || len(orders) != 2 {
		t.Errorf("UnfinishedOrders = %d orders, %v; want 2, nil", len(orders), err)
	}
	if ids, err := orderIDs(t, s); err != nil || len(ids) != 2 {
		t.Errorf("Orders = %q, %v; want 2 orders, nil", ids, err)
	}
	if err := s.Archive(t.Context(), persistence.Retention{Orders: time.Now()}, discarded{}); err != nil {
		t.Errorf("Archive = %v, want nil", err)
	}
}

// discarded is an archive that keeps nothing.
type discarded struct{}

func (discarded) Write([]persistence.Record) error { return nil }

// AcceptLoss fails if the database cannot be synced, the store stays damaged, and the loss can be
// accepted later.
func TestLossIsNotAcceptedWithoutASync(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir)
	if err := errors.Join(s.Commit(t.Context(), setting("s", 10)), s.Close(), os.Remove(filepath.Join(dir, sealName))); err != nil {
		t.Fatal(err)
	}
	s = openSmall(t, dir)
	database, elsewhere := filepath.Join(dir, databaseName), filepath.Join(dir, "elsewhere")
	if err := os.Rename(database, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := s.AcceptLoss(t.Context()); !errors.Is(err, fs.ErrNotExist) || !errors.Is(s.Integrity(), persistence.ErrIntegrity) {
		t.Errorf("AcceptLoss = %v, Integrity = %v; want ErrNotExist and ErrIntegrity", err, s.Integrity())
	}
	if err := s.Commit(t.Context(), setting("s", 20)); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("Commit after it = %v, want ErrIntegrity", err)
	}
	if err := errors.Join(os.Rename(elsewhere, database), s.AcceptLoss(t.Context()), s.Commit(t.Context(), setting("s", 30))); err != nil {
		t.Errorf("AcceptLoss and Commit with the database in its place = %v, want nil", err)
	}
}
