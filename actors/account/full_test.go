package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// fullStore is a journal that rejects writes while it is full.
type fullStore struct {
	persistence.Submitter
	mu   sync.Mutex
	full bool
}

func (f *fullStore) Submit(b persistence.Batch, done func(error)) {
	f.mu.Lock()
	full := f.full
	f.mu.Unlock()
	if full && !b.Empty() {
		done(persistence.ErrUnavailable)
		return
	}
	f.Submitter.Submit(b, done)
}

func (f *fullStore) fill(full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.full = full
}

// While the store is full the account sends no requests to its venue. It accepts orders
// again soon after the store has space.
func TestAccountOutlivesAFullStore(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		f, venue := &fullStore{}, newVenue()
		h := openWith(kit, storetest.NewMemory(), venue, "account", func(c persistence.Submitter) persistence.Submitter {
			f.Submitter = c
			return f
		})
		if _, err := h.place("r0", "59000"); err != nil {
			t.Fatal(err)
		}
		f.fill(true)
		kit.Advance(time.Minute) // the next reconciliation has something to store
		before := venue.listsReceived()
		for n := range 60 {
			if _, err := h.place(fmt.Sprintf("full%d", n), "59000"); venues.CodeOf(err) != venues.CodeMaintenance {
				t.Fatalf("Place with a full store = %v, want %s", err, venues.CodeMaintenance)
			}
			kit.Advance(10 * time.Second)
		}
		if read := venue.listsReceived() - before; read > 0 {
			t.Errorf("%d readings of the venue in ten minutes with a full store, want 0", read)
		}
		f.fill(false)
		kit.Advance(2 * account.StoreRetry)
		if _, err := h.place("r1", "59000"); err != nil {
			t.Errorf("Place %s after the store has space = %v, want no error", 2*account.StoreRetry, err)
		}
	}, actortest.ExpectFailures())
}

func TestFullStoreRejectsAndRecovers(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.store.FailNext(persistence.ErrUnavailable)
		if _, err := h.place("r1", "59000"); venues.CodeOf(err) != venues.CodeMaintenance {
			t.Fatalf("Place with a full store = %v, want %s", err, venues.CodeMaintenance)
		}
		if h.venue.placed != 0 {
			t.Fatalf("%d orders were sent without a durable intent, want 0", h.venue.placed)
		}
		if order, err := h.place("r1", "59000"); err != nil || order.Status != venues.StatusOpen {
			t.Fatalf("Place = %+v, %v, want status %s", order, err, venues.StatusOpen)
		}
	})
}

// expectDiskFull checks that a request was rejected because the disk is full.
func expectDiskFull(t *testing.T, what string, err error) {
	t.Helper()
	rejection, _ := errors.AsType[*venues.Error](err)
	if rejection == nil || rejection.Code != venues.CodeMaintenance || rejection.Details["reason"] != venues.ReasonDiskFull {
		t.Errorf("%s on a full disk = %v, want %s, reason %s", what, err, venues.CodeMaintenance, venues.ReasonDiskFull)
	}
}

// On a full disk the account takes what does not increase exposure, and nothing else. It
// starts on one, too.
func TestFullDiskRejectsOnlyWhatIncreasesExposure(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		resting, err := h.place("r0", "59000")
		if err != nil {
			t.Fatal(err)
		}
		h.store.FillDisk(true)
		for _, name := range []string{"account", "again"} {
			if name != "account" {
				h = open(kit, h.store, h.venue, name)
			}
			placed := h.venue.placed
			_, err = h.place("r1", "59000")
			expectDiskFull(t, "Place", err)
			_, err = h.amend(resting.OrderID, "2")
			expectDiskFull(t, "Amend to a larger quantity", err)
			if h.venue.placed != placed {
				t.Errorf("%d orders were sent, want %d", h.venue.placed, placed)
			}
			// The venue of the tests amends nothing.
			if _, err = h.amend(resting.OrderID, "0.5"); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
				t.Errorf("Amend to a smaller quantity = %v, want %s", err, venues.CodeExchangeUnavailable)
			}
			if order, err := h.placeReduceOnly("close " + name); err != nil || order.Status != venues.StatusOpen {
				t.Errorf("reduce-only Place = %s, %v, want %s, nil", order.Status, err, venues.StatusOpen)
			}
		}
		if order, err := h.cancel(context.Background(), resting.OrderID); err != nil || order.Status != venues.StatusCancelled {
			t.Errorf("Cancel = %s, %v, want %s, nil", order.Status, err, venues.StatusCancelled)
		}
		if got := h.record(context.Background(), resting.OrderID).Status; got != venues.StatusCancelled {
			t.Errorf("stored status = %s, want %s", got, venues.StatusCancelled)
		}
		h.store.FillDisk(false)
		if order, err := h.place("r1", "59000"); err != nil || order.Status != venues.StatusOpen {
			t.Errorf("Place with space = %s, %v, want %s, nil", order.Status, err, venues.StatusOpen)
		}
	})
}

// The reserve of a full disk is for what reduces risk: the reconciliations of an account with an
// open order use none of it, and neither do orders that are rejected.
func TestIdleAccountUsesNoReserve(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		counted := &countedStore{}
		h := openWith(kit, storetest.NewMemory(), newVenue(), "account", func(c persistence.Submitter) persistence.Submitter {
			counted.Submitter = c
			return counted
		})
		if _, err := h.place("r0", "59000"); err != nil {
			t.Fatal(err)
		}
		kit.Advance(time.Minute)
		h.store.FillDisk(true)
		counted.n.Store(0)
		before := h.venue.listsReceived()
		for n := range 60 {
			_, err := h.place(fmt.Sprint("full", n), "59000")
			expectDiskFull(t, "Place", err)
			kit.Advance(time.Minute)
		}
		if read := h.venue.listsReceived() - before; read < 60 {
			t.Fatalf("%d reconciliations in an hour, want 60 or more", read)
		}
		if n := counted.n.Load(); n > 0 {
			t.Errorf("%d commits with the reserve in an hour with a full disk, want 0", n)
		}
		h.store.FillDisk(false)
		kit.Advance(time.Minute)
		if n := counted.n.Load(); n == 0 {
			t.Error("no commit within a minute with space, want the marks to be stored")
		}
	})
}

// countedStore counts the batches that store something and may use the reserve.
type countedStore struct {
	persistence.Submitter
	n atomic.Int64
}

func (c *countedStore) Submit(b persistence.Batch, done func(error)) {
	if b.Reserve && !b.Empty() {
		c.n.Add(1)
	}
	c.Submitter.Submit(b, done)
}

func (h *harness) amend(orderID, qty string) (venues.Order, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return h.client.Amend(ctx, h.record(ctx, orderID), venues.AmendOrder{OrderID: orderID, Qty: venues.Some(venues.MustDecimal(qty))})
}

func (h *harness) placeReduceOnly(requestID string) (venues.Order, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return h.client.Place(ctx, venues.PlaceOrder{
		OrderSpec: venues.OrderSpec{
			Symbol: "BTCUSDT", Side: venues.Sell, Type: venues.TypeLimit, Qty: venues.MustDecimal("1"), ReduceOnly: true,
			Price: venues.Some(venues.MustDecimal("61000")), TimeInForce: venues.GoodTillCancel,
		},
		RequestID: requestID, Scope: persistence.ScopeREST, BodyHash: []byte(requestID), Source: venues.SourceAPI,
	})
}
