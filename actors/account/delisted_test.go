package account_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// An instrument that its venue lists no more cannot be read. That must keep the
// account neither from starting nor from going on with the others.
func TestDelistedInstrumentDoesNotCloseTheAccount(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store, venue := storetest.NewMemory(), newVenue()
		h := open(kit, store, venue, "account")
		order, err := h.place("r1", "59000")
		if err != nil {
			t.Fatal(err)
		}
		venue.delist()
		time.Sleep(time.Minute)
		if _, err := h.place("r2", "59000"); err != nil {
			t.Errorf("while it runs: %v", err)
		}
		store = store.Crash(store.Committed())
		h = open(kit, store, venue, "again")
		if _, err := h.place("r3", "59000"); err != nil {
			t.Errorf("after a restart: %v", err)
		}
		record, err := store.Order(context.Background(), "c1", order.OrderID)
		if err != nil || record.Status != venues.StatusUnknown {
			t.Errorf("an order of what is gone: %s %v", record.Status, err)
		}
	}, actortest.ExpectFailures()) // of the predecessor, whose store is closed
}

// The position in it is gone with it. Executions that would explain that cannot be
// read, and are not waited for.
func TestPositionInADelistedInstrumentEnds(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store, venue := storetest.NewMemory(), newVenue()
		h := open(kit, store, venue, "account")
		order, err := h.place("r1", "59000")
		if err != nil {
			t.Fatal(err)
		}
		venue.fill("test" + strings.ToLower(strings.TrimPrefix(order.OrderID, "ord_")))
		venue.setPositions(venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: order.Qty, EntryPrice: order.Price})
		time.Sleep(2 * time.Minute)
		venue.setPositions()
		venue.delist()
		time.Sleep(2 * time.Minute)
		before := venue.listsRead()
		time.Sleep(10 * time.Minute)
		if read := venue.listsRead() - before; read > 30 {
			t.Errorf("compared %d times in ten minutes", read)
		}
		ended, err := store.EventsSince(context.Background(), "c1", 0, 100)
		if err != nil || !slices.ContainsFunc(ended, func(e persistence.Event) bool { return e.Type == persistence.EventPositionClosed }) {
			t.Errorf("its end is not told: %+v %v", ended, err)
		}
	})
}

// delist takes the instrument out, with all that was open in it.
func (v *ledgerVenue) delist() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.delisted = true
}
