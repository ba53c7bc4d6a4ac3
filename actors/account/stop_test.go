package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// stalledVenue executes orders and cancels, and never answers.
type stalledVenue struct{ *ledgerVenue }

func (v stalledVenue) Cancel(ctx context.Context, _ venues.OrderRef) (venues.ExecutionReport, error) {
	<-ctx.Done()
	return venues.ExecutionReport{}, venues.ErrOutcomeUnknown
}

func (v stalledVenue) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	if _, err := v.ledgerVenue.Place(ctx, r); err != nil {
		return venues.ExecutionReport{}, err
	}
	<-ctx.Done()
	return venues.ExecutionReport{}, venues.ErrOutcomeUnknown
}

// Stopping does not wait for the answer to an order: the intent is durable, and the next
// start resolves the outcome.
func TestStopDoesNotWaitForAnOrder(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := newVenue()
		h := open(kit, storetest.NewMemory(), stalledVenue{venue}, "before")
		var placed venues.Order
		var failure error
		var caller sync.WaitGroup
		caller.Go(func() { placed, failure = h.place("r1", "59000") })
		kit.Settle()
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := kit.System.Stop(ctx); err != nil || time.Since(begun) != 0 {
			t.Errorf("stopped after %s: %v, want immediately", time.Since(begun), err)
		}
		if caller.Wait(); failure != nil || placed.Status != venues.StatusPending || time.Since(begun) != 0 {
			t.Errorf("Place = %s, %v after %s, want %s immediately", placed.Status, failure, time.Since(begun), venues.StatusPending)
		}
		kit.System = actors.New(zap.NewNop())
		open(kit, h.store, venue, "after")
		kit.Advance(5 * time.Second)
		list, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != 1 || list[0].Status != venues.StatusOpen {
			t.Errorf("orders after the next start = %+v, %v, want one with status %s", list, err, venues.StatusOpen)
		}
		if venue.placed != 1 {
			t.Errorf("%d orders at the venue, want 1", venue.placed)
		}
	})
}

// wantImmediately waits for callers and checks that they return immediately.
func wantImmediately(t *testing.T, callers *sync.WaitGroup) {
	t.Helper()
	begun := time.Now()
	if callers.Wait(); time.Since(begun) > 100*time.Millisecond {
		t.Errorf("answered after %s, want at most 100ms", time.Since(begun))
	}
}

// TestStopAnswersWaitingCallers: they wait for an order without an answer, for one that
// the full pool has queued, for one that is not durable yet, for a cancel and for a halt.
func TestStopAnswersWaitingCallers(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		g := &gate{}
		venue := newVenue()
		h := openWith(kit, storetest.NewMemory(), stalledVenue{venue}, "account", func(c persistence.Submitter) persistence.Submitter {
			g.Submitter = c
			return g
		})
		var callers sync.WaitGroup
		var orders [9]venues.Order // the pool has eight places
		for i := range orders {
			callers.Go(func() {
				var err error
				if orders[i], err = h.place(fmt.Sprintf("r%d", i), "59000"); err != nil {
					t.Errorf("order %d: %v, want no error", i, err)
				}
			})
		}
		kit.Advance(time.Second)
		list, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != len(orders) {
			t.Fatalf("%d orders, %v, want %d", len(list), err, len(orders))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		var cancelled venues.Order
		var notCancelled, notListed, notStored error
		callers.Go(func() {
			cancelled, notCancelled = h.cancel(ctx, list[0].OrderID)
		})
		callers.Go(func() { _, notListed = h.client.AwaitHalt(ctx) })
		kit.Settle()
		g.close()
		callers.Go(func() { _, notStored = h.place("late", "59000") })
		kit.Settle()
		stopped := make(chan error)
		go func() { stopped <- kit.System.Stop(ctx) }()
		kit.Settle()
		g.open(nil)
		wantImmediately(t, &callers)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		for i := range orders {
			if orders[i].Status != venues.StatusPending {
				t.Errorf("order %d is %s, want %s", i, orders[i].Status, venues.StatusPending)
			}
		}
		if notCancelled != nil || cancelled.PendingAction != venues.PendingCancel {
			t.Errorf("Cancel = %+v, %v, want %q pending", cancelled, notCancelled, venues.PendingCancel)
		}
		if notListed != nil {
			t.Errorf("AwaitHalt = %v, want no error", notListed)
		}
		if venues.CodeOf(notStored) != venues.CodeExchangeUnavailable || venue.placed != 8 {
			t.Errorf("order that was not durable: %v with %d placed, want %s with 8", notStored, venue.placed, venues.CodeExchangeUnavailable)
		}
	})
}

// TestFailureAnswersWaitingCallers: the next incarnation resolves the outcome of the order,
// but does not know its callers.
func TestFailureAnswersWaitingCallers(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := newVenue()
		h := open(kit, storetest.NewMemory(), stalledVenue{venue}, "account")
		var callers sync.WaitGroup
		var placed venues.Order
		var failure error
		callers.Go(func() { placed, failure = h.place("r1", "59000") })
		kit.Advance(time.Second)
		var notChanged error
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			_, notChanged = h.cancel(ctx, placedID(t, h))
		})
		kit.Settle()
		h.store.FailNext(persistence.ErrUnavailable)
		if err := h.client.Configure(context.Background(), halted()); venues.CodeOf(err) != venues.CodeMaintenance {
			t.Errorf("Configure = %v, want %s", err, venues.CodeMaintenance)
		}
		wantImmediately(t, &callers)
		if failure != nil || placed.Status != venues.StatusPending {
			t.Errorf("Place = %s, %v, want %s", placed.Status, failure, venues.StatusPending)
		}
		if e, _ := errors.AsType[*venues.Error](notChanged); e == nil || e.Details["orderState"] != "unknown" {
			t.Errorf("Cancel = %v, want orderState unknown", notChanged)
		}
	}, actortest.ExpectFailures())
}

// placedID returns the id of the only order in the store.
func placedID(t *testing.T, h *harness) string {
	t.Helper()
	list, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
	if err != nil || len(list) != 1 {
		t.Fatalf("orders = %+v, %v, want one", list, err)
	}
	return list[0].OrderID
}
