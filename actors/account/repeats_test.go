package account_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

func TestRepeatIsADuplicateWithTheOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		first, err := h.place("r1", "59000")
		if err != nil || first.Status != venues.StatusOpen || first.Symbol != "BTCUSDT" {
			t.Fatalf("Place = %+v, %v, want BTCUSDT with status %s", first, err, venues.StatusOpen)
		}
		_, err = h.place("r1", "58000")
		e, _ := errors.AsType[*venues.Error](err)
		if e == nil || e.Code != venues.CodeDuplicateRequest || e.Details["orderId"] != first.OrderID || e.Details["sameBody"] != false {
			t.Fatalf("repeat = %v, want %s for order %s with another body", err, venues.CodeDuplicateRequest, first.OrderID)
		}
		if h.venue.placed != 1 {
			t.Fatalf("%d orders at the venue, want 1", h.venue.placed)
		}
	})
}

func TestRacingRepeatsPlaceOneOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(storetest.Async(time.Millisecond)), newVenue(), "account")
		var wait sync.WaitGroup
		var placed, repeats int
		var mu sync.Mutex
		for range 16 {
			wait.Go(func() {
				_, err := h.place("r1", "59000")
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					placed++
				case venues.CodeOf(err) == venues.CodeDuplicateRequest:
					repeats++
				}
			})
		}
		wait.Wait()
		if placed != 1 || repeats != 15 || h.venue.placed != 1 {
			t.Fatalf("%d placed, %d repeats, %d at the venue, want 1, 15 and 1", placed, repeats, h.venue.placed)
		}
	})
}

// lateReader is a store that returns no request id, like one that lags.
type lateReader struct{ *storetest.Memory }

func (lateReader) Idempotency(context.Context, string, string, string) (persistence.IdempotencyRecord, error) {
	return persistence.IdempotencyRecord{}, persistence.ErrNotFound
}

// TestFreedRequestIDIsClaimedAgain: an earlier attempt under the request id, which the lookup
// did not return, was rejected, so that the commit finds a freed claim.
func TestFreedRequestIDIsClaimedAgain(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.rejectsOrders = true
		if _, err := h.place("r1", "59000"); venues.CodeOf(err) != venues.CodeInsufficientBalance {
			t.Fatalf("Place = %v, want %s", err, venues.CodeInsufficientBalance)
		}
		h.venue.rejectsOrders = false
		h.client = account.NewClient(h.ref, h.config, lateReader{h.store}, fixedMarket{})
		if order, err := h.place("r1", "59000"); err != nil || order.Status != venues.StatusOpen {
			t.Fatalf("Place = %+v, %v, want status %s", order, err, venues.StatusOpen)
		}
		if _, err := h.place("r1", "59000"); venues.CodeOf(err) != venues.CodeDuplicateRequest {
			t.Fatalf("second repeat = %v, want %s", err, venues.CodeDuplicateRequest)
		}
	})
}
