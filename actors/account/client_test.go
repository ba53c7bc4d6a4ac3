package account_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/actortest"
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
