package badgerstore

import (
	"errors"
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
