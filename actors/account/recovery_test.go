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

func TestUnknownOrderIsFoundByQuery(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.losesAnswers = true
		begun := time.Now()
		order, err := h.place("r1", "59000")
		if err != nil || order.Status != venues.StatusOpen {
			t.Fatalf("Place = %+v, %v, want status %s", order, err, venues.StatusOpen)
		}
		if waited := time.Since(begun); waited > time.Second {
			t.Fatalf("found after %s, want at most %s", waited, time.Second)
		}
	})
}

func TestNotPlacedIsConfirmedAndCanBeRepeated(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.dropsOrders = true
		order, err := h.place("r1", "59000")
		if err != nil || order.Status != venues.StatusUnknown {
			t.Fatalf("Place = %+v, %v, want status %s", order, err, venues.StatusUnknown)
		}
		time.Sleep(time.Minute)
		record, err := h.store.Order(context.Background(), "c1", order.OrderID)
		if err != nil || record.Status != venues.StatusRejected || record.Error.Reason != "not_placed" {
			t.Fatalf("order = %+v, %v, want %s with reason not_placed", record, err, venues.StatusRejected)
		}
		h.venue.dropsOrders = false
		again, err := h.place("r1", "59000")
		if err != nil || again.OrderID == order.OrderID || again.Status != venues.StatusOpen {
			t.Fatalf("repeat = %+v, %v, want a new order with status %s", again, err, venues.StatusOpen)
		}
	})
}

// TestIntentSurvivesACrash: the process ends after the order was sent and before its
// answer was read. The next one finds the order and does not send it again.
func TestIntentSurvivesACrash(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.losesAnswers = true
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_, err := h.client.Place(ctx, venues.PlaceOrder{
			OrderSpec: venues.OrderSpec{
				Symbol: "BTCUSDT", Side: venues.Sell, Type: venues.TypeLimit, Qty: venues.MustDecimal("2"),
				Price: venues.Some(venues.MustDecimal("61000")), TimeInForce: venues.GoodTillCancel,
			},
			RequestID: "r1", Scope: persistence.ScopeREST, Source: venues.SourceAPI,
		})
		if err == nil {
			t.Fatal("Place succeeded before the outcome was known, want an error")
		}
		successor := open(kit, h.store.Crash(h.store.Committed()), h.venue, "successor")
		time.Sleep(time.Second)
		list, err := successor.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != 1 || list[0].Status != venues.StatusOpen {
			t.Fatalf("orders = %+v, %v, want one with status %s", list, err, venues.StatusOpen)
		}
		if h.venue.placed != 1 {
			t.Fatalf("%d orders at the venue, want 1", h.venue.placed)
		}
		order, err := successor.cancel(context.Background(), list[0].OrderID)
		if err != nil || order.Status != venues.StatusCancelled {
			t.Fatalf("Cancel = %+v, %v, want status %s", order, err, venues.StatusCancelled)
		}
		_, err = successor.place("r1", "59000")
		if venues.CodeOf(err) != venues.CodeDuplicateRequest {
			t.Fatalf("repeat after the crash = %v, want %s", err, venues.CodeDuplicateRequest)
		}
	}, actortest.ExpectFailures()) // those of the predecessor, whose store is closed
}

func TestOrdersMadeElsewhereAreAdopted(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := newVenue()
		venue.orders["web_1"] = venues.ExecutionReport{
			Symbol: "BTCUSDT", ClientOrderID: "web_1", VenueOrderID: "77", Side: venues.Sell, Type: venues.TypeLimit,
			Status: venues.StatusOpen, Qty: venues.MustDecimal("3"), Price: venues.Some(venues.MustDecimal("65000")),
		}
		h := open(kit, storetest.NewMemory(), venue, "account")
		time.Sleep(time.Second)
		list, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != 1 || list[0].Source != venues.SourceVenue || list[0].Status != venues.StatusOpen {
			t.Fatalf("orders = %+v, %v, want one with source %s and status %s", list, err, venues.SourceVenue, venues.StatusOpen)
		}
		results, err := h.client.CancelAll(context.Background(), venues.CancelOrders{})
		if err != nil || len(results) != 1 || results[0].Result != venues.CancelDone || results[0].Symbol != "BTCUSDT" {
			t.Fatalf("CancelAll = %+v, %v, want BTCUSDT with result %s", results, err, venues.CancelDone)
		}
	})
}
