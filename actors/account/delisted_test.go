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

// Nothing can be read of an instrument that its venue no longer lists. The account must
// start and follow the other instruments all the same.
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
			t.Errorf("Place while the account runs = %v, want no error", err)
		}
		store = store.Crash(store.Committed())
		h = open(kit, store, venue, "again")
		if _, err := h.place("r3", "59000"); err != nil {
			t.Errorf("Place after a restart = %v, want no error", err)
		}
		record, err := store.Order(context.Background(), "c1", order.OrderID)
		if err != nil || record.Status != venues.StatusUnknown {
			t.Errorf("order of the delisted instrument = %s, %v, want %s", record.Status, err, venues.StatusUnknown)
		}
	}, actortest.ExpectFailures()) // those of the predecessor, whose store is closed
}

// The position in a delisted instrument is closed. The account does not wait for
// executions that would explain that: they cannot be read.
func TestPositionInADelistedInstrumentCloses(t *testing.T) {
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
		before := venue.listsReceived()
		time.Sleep(10 * time.Minute)
		if read := venue.listsReceived() - before; read > 30 {
			t.Errorf("%d reconciliations in ten minutes, want at most 30", read)
		}
		ended, err := store.EventsSince(context.Background(), "c1", 0, 100)
		if err != nil || !slices.ContainsFunc(ended, func(e persistence.Event) bool { return e.Type == persistence.EventPositionClosed }) {
			t.Errorf("events = %+v, %v, want one %s", ended, err, persistence.EventPositionClosed)
		}
	})
}

// delist removes the instrument, with everything that was open in it.
func (v *ledgerVenue) delist() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.delisted = true
}
