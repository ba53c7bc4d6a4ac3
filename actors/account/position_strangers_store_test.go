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

// TestExecutionOfAnEarlierLifeCountsOnce: a slow replica showed the execution
// before the order that made it, and the service started anew in between.
func TestExecutionOfAnEarlierLifeCountsOnce(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue, store := newVenue(), storetest.NewMemory()
		before := open(kit, store, venue, "before")
		venue.lose, venue.hides = true, true
		order, err := before.place("r1", "59000")
		if err != nil || order.Status != venues.StatusUnknown {
			t.Fatalf("%+v, %v", order, err)
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
			t.Fatalf("recorded %+v", list)
		}
		venue.lose, venue.hides = false, false
		venue.setPositions(venues.Position{
			Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("1"), EntryPrice: venues.Some(venues.MustDecimal("59000")),
		})
		store = store.Crash(store.Committed())
		open(kit, store, venue, "after")
		kit.Advance(2 * time.Minute)
		if list := recorded(); len(list) != 1 || list[0].OrderID != order.OrderID {
			t.Fatalf("recorded %+v", list)
		}
		rows, err := store.Journal(context.Background(), persistence.JournalQuery{Customer: "c1", Subject: "BTCUSDT"})
		if err != nil || len(rows.Items) != 0 {
			t.Fatalf("the accounting did not agree with the venue: %+v, %v", rows.Items, err)
		}
	}, actortest.ExpectFailures())
}

// TestKnownExecutionsAreNotLookedUp: each would cost a request to the venue, of
// which a start after a busy minute would make hundreds.
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
			t.Fatalf("recorded %+v, %v", page.Items, err)
		}
		store = store.Crash(store.Committed())
		asked := venue.questions()
		open(kit, store, venue, "after")
		if again := venue.questions() - asked; again > 0 {
			t.Errorf("%d questions about what is known", again)
		}
	}, actortest.ExpectFailures())
}
