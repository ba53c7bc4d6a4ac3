package account_test

import (
	"context"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// TestExecutionFromBeforeTheRestartCountsOnce: a slow replica of the venue returned an
// execution before its order, and the service restarted in between.
func TestExecutionFromBeforeTheRestartCountsOnce(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue, store := newVenue(), storetest.NewMemory()
		before := open(kit, store, venue, "before")
		venue.losesAnswers, venue.hides = true, true
		order, err := before.place("r1", "59000")
		if err != nil || order.Status != venues.StatusUnknown {
			t.Fatalf("Place = %+v, %v, want status %s", order, err, venues.StatusUnknown)
		}
		for clientID := range venue.orders {
			venue.fill(clientID)
		}
		kit.Advance(40 * time.Second) // a reconciliation
		recorded := func() []persistence.FillRecord {
			page, err := store.Fills(context.Background(), persistence.FillQuery{Customer: "c1"})
			if err != nil {
				t.Fatal(err)
			}
			return page.Items
		}
		if list := recorded(); len(list) != 1 || list[0].OrderID != "" {
			t.Fatalf("recorded %+v, want one fill without an order", list)
		}
		venue.losesAnswers, venue.hides = false, false
		venue.setPositions(venues.Position{
			Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1"), EntryPrice: venues.Some(venues.MustDecimal("59000")),
		})
		store = store.Crash(store.Committed())
		open(kit, store, venue, "after")
		kit.Advance(2 * time.Minute)
		if list := recorded(); len(list) != 1 || list[0].OrderID != order.OrderID {
			t.Fatalf("recorded %+v, want one fill of order %s", list, order.OrderID)
		}
		rows, err := store.Journal(context.Background(), persistence.JournalQuery{Customer: "c1", Subject: "BTCUSDT"})
		if err != nil || len(rows.Items) != 0 {
			t.Fatalf("journal rows = %+v, %v, want none about an adopted position", rows.Items, err)
		}
	}, actortest.ExpectFailures())
}

// TestKnownExecutionsAreNotLookedUp: each lookup costs a request to the venue, and a start
// after a busy minute would make hundreds of them.
func TestKnownExecutionsAreNotLookedUp(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue, store := newVenue(), storetest.NewMemory()
		before := open(kit, store, venue, "before")
		for _, id := range []string{"r1", "r2", "r3"} {
			if _, err := before.place(id, "59000"); err != nil {
				t.Fatal(err)
			}
		}
		for clientID := range venue.orders {
			venue.fill(clientID)
		}
		kit.Advance(40 * time.Second) // a reconciliation records them
		if page, err := store.Fills(context.Background(), persistence.FillQuery{Customer: "c1"}); err != nil || len(page.Items) != 3 {
			t.Fatalf("recorded %+v, %v, want 3 fills", page.Items, err)
		}
		store = store.Crash(store.Committed())
		queries := venue.queriesReceived()
		open(kit, store, venue, "after")
		if again := venue.queriesReceived() - queries; again > 0 {
			t.Errorf("%d lookups of known executions, want none", again)
		}
	}, actortest.ExpectFailures())
}
