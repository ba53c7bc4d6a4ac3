package account_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// TestAmendAndCancelReadNoRecord: they use the record that the caller passes.
func TestAmendAndCancelReadNoRecord(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		order, err := h.place("r1", "59000")
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		record := h.record(ctx, order.OrderID)
		client := account.NewClient(h.ref, h.config, nil, fixedMarket{}) // without a store
		_, err = client.Amend(ctx, record, venues.AmendOrder{OrderID: order.OrderID, Qty: venues.Some(venues.MustDecimal("2"))})
		if venues.CodeOf(err) != venues.CodeExchangeUnavailable { // the venue cannot amend
			t.Errorf("Amend = %v, want %s from the venue", err, venues.CodeExchangeUnavailable)
		}
		cancelled, err := client.Cancel(ctx, record, venues.CancelOrder{OrderID: order.OrderID})
		if err != nil || cancelled.Status != venues.StatusCancelled {
			t.Errorf("Cancel = %s, %v, want %s", cancelled.Status, err, venues.StatusCancelled)
		}
		record = h.record(ctx, order.OrderID)
		if _, err := client.Cancel(ctx, record, venues.CancelOrder{OrderID: order.OrderID}); venues.CodeOf(err) != venues.CodeNotFound {
			t.Errorf("Cancel of a closed order: %v, want %s", err, venues.CodeNotFound)
		}
	})
}

// takenBy is a submitter that rejects each intent, as if another attempt under its request id
// had been stored before it and had placed nothing.
type takenBy struct {
	persistence.Submitter
	intents atomic.Int64
}

func (s *takenBy) Submit(b persistence.Batch, done func(error)) {
	for _, r := range b.Puts {
		if claim, ok := r.(persistence.IdempotencyRecord); ok {
			s.intents.Add(1)
			claim.FreedAt = claim.FirstReceived
			done(&persistence.ExistsError{Found: claim})
			return
		}
	}
	s.Submitter.Submit(b, done)
}

// An order whose intents the store has rejected is certainly not placed, and its client may
// place it again.
func TestPlaceWithoutAStoredIntentPlacesNothing(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		var taken takenBy
		h := openWith(kit, storetest.NewMemory(), newVenue(), "account", func(c persistence.Submitter) persistence.Submitter {
			taken.Submitter = c
			return &taken
		})
		_, err := h.place("r1", "59000")
		if venues.CodeOf(err) != venues.CodeMaintenance || taken.intents.Load() != 3 || h.venue.placed != 0 {
			t.Errorf("Place = %v after %d rejected intents with %d orders placed, want %s after 3 with none", err, taken.intents.Load(), h.venue.placed, venues.CodeMaintenance)
		}
	})
}

// brokenVenue returns an error instead of its positions while broken is set.
type brokenVenue struct {
	*ledgerVenue
	broken atomic.Bool
}

func (v *brokenVenue) Positions(ctx context.Context) ([]venues.Position, error) {
	if v.broken.Load() {
		return nil, errors.New("connection refused")
	}
	return v.ledgerVenue.Positions(ctx)
}

func TestReadyOnceReconciled(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := &brokenVenue{ledgerVenue: newVenue()}
		venue.broken.Store(true)
		h := open(kit, storetest.NewMemory(), venue, "account")
		if err := h.client.Ready(context.Background()); venues.CodeOf(err) != venues.CodeMaintenance {
			t.Errorf("Ready = %v before the first reconciliation, want %s", err, venues.CodeMaintenance)
		}
		venue.broken.Store(false)
		kit.Advance(time.Minute)
		if err := h.client.Ready(context.Background()); err != nil {
			t.Errorf("Ready = %v, want nil", err)
		}
	})
}
