package account_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// gate is a journal that delays commits while it is shut.
type gate struct {
	persistence.Submitter
	mu      sync.Mutex
	shut    bool
	waiting []func(error)
}

func (g *gate) Submit(b persistence.Batch, done func(error)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut {
		g.Submitter.Submit(b, done)
		return
	}
	g.waiting = append(g.waiting, func(err error) {
		if err != nil {
			done(err)
			return
		}
		g.Submitter.Submit(b, done)
	})
}

// close delays the commits from now on.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
}

// open completes the first delayed commit, with err unless it is nil, and submits the
// others. It returns how many were delayed.
func (g *gate) open(err error) (waited int) {
	g.mu.Lock()
	waiting := g.waiting
	g.shut, g.waiting = false, nil
	g.mu.Unlock()
	for _, answer := range waiting {
		answer(err)
		err = nil
	}
	return len(waiting)
}

// openGated starts an account whose commits pass a gate.
func openGated(kit *actortest.Kit) (*harness, *gate) {
	g := &gate{}
	return openWith(kit, storetest.NewMemory(), newVenue(), "account", func(c persistence.Submitter) persistence.Submitter {
		g.Submitter = c
		return g
	}), g
}

// halted is the record of an account that an administrator has halted now.
func halted() persistence.VenueAccount {
	control := persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}
	control.Halt(time.Now(), false)
	return control
}

// duringCommit reads funds while an intent is being committed, which then fails with
// failure unless it is nil. check receives the number of delayed commits and the errors of
// both calls.
func duringCommit(t *testing.T, failure error, check func(h *harness, waited int, placed, read error)) {
	t.Helper()
	actortest.Run(t, func(kit *actortest.Kit) {
		h, g := openGated(kit)
		if _, err := h.client.Positions(context.Background()); err != nil {
			t.Fatal(err)
		}
		g.close()
		var placed, read error
		var calls sync.WaitGroup
		begun := time.Now()
		calls.Go(func() { _, placed = h.place("r1", "59000") })
		synctest.Wait()
		calls.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			_, read = h.client.Positions(ctx)
		})
		synctest.Wait()
		waited := g.open(failure)
		calls.Wait()
		if took := time.Since(begun); took > 100*time.Millisecond {
			t.Errorf("answered after %s, want at most 100ms", took)
		}
		check(h, waited, placed, read)
	}, actortest.ExpectFailures())
}

// An answer that waits for the commit of another step makes no commit of its own, which a
// full journal could reject.
func TestAnswersWaitWithoutACommit(t *testing.T) {
	duringCommit(t, nil, func(_ *harness, waited int, placed, read error) {
		if waited != 1 || placed != nil || read != nil {
			t.Fatalf("%d delayed commits, Place = %v, Positions = %v, want 1 and no errors", waited, placed, read)
		}
	})
}

// Callers that wait for a commit that fails are answered immediately.
func TestAnswersBehindAFailedCommit(t *testing.T) {
	duringCommit(t, persistence.ErrOutcomeUnknown, func(_ *harness, _ int, placed, read error) {
		if venues.CodeOf(placed) != venues.CodeInternal || venues.CodeOf(read) != venues.CodeMaintenance {
			t.Fatalf("Place = %v, Positions = %v, want %s and %s", placed, read, venues.CodeInternal, venues.CodeMaintenance)
		}
	})
}

// An intent that a full store rejects does not fail other callers.
func TestAnswersBehindARejectedIntent(t *testing.T) {
	duringCommit(t, persistence.ErrUnavailable, func(h *harness, _ int, placed, read error) {
		if venues.CodeOf(placed) != venues.CodeMaintenance || read != nil || h.venue.placed != 0 {
			t.Fatalf("Place = %v, Positions = %v with %d orders placed, want %s, no error and none", placed, read, h.venue.placed, venues.CodeMaintenance)
		}
	})
}

// The account becomes reduce-only while the intent of an admitted order is being committed: the
// order is not sent.
func TestOrderIsNotSentOnceTheAccountIsClosed(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h, g := openGated(kit)
		g.close()
		var placed, ordered error
		var calls sync.WaitGroup
		calls.Go(func() { _, placed = h.place("r1", "59000") })
		synctest.Wait()
		calls.Go(func() { ordered = h.client.Configure(context.Background(), halted()) })
		synctest.Wait()
		g.open(nil)
		calls.Wait()
		if venues.CodeOf(placed) != venues.CodeTradingLocked || ordered != nil || h.venue.placed != 0 {
			t.Fatalf("Place = %v, Configure = %v with %d orders placed, want %s, no error and none", placed, ordered, h.venue.placed, venues.CodeTradingLocked)
		}
	})
}

// amendingVenue counts the amends that it receives.
type amendingVenue struct {
	*ledgerVenue
	amended atomic.Int64
}

func (v *amendingVenue) Amend(_ context.Context, r venues.AmendRequest) (venues.ExecutionReport, error) {
	v.amended.Add(1)
	report, _ := v.Order(context.Background(), r.OrderRef)
	report.Qty = r.Qty
	return report, nil
}

// An amend that makes an order larger is not sent either if the account becomes reduce-only
// after the amend was admitted. One that only lowers the order is sent.
func TestAmendIsNotSentOnceTheAccountIsClosed(t *testing.T) {
	for qty, want := range map[string]int64{"2": 0, "0.5": 1} {
		actortest.Run(t, func(kit *actortest.Kit) {
			venue, g := &amendingVenue{ledgerVenue: newVenue()}, &gate{}
			h := openWith(kit, storetest.NewMemory(), venue, "account", func(c persistence.Submitter) persistence.Submitter {
				g.Submitter = c
				return g
			})
			order, err := h.place("r1", "59000")
			if err != nil {
				t.Fatal(err)
			}
			g.close()
			var ordered error
			var calls sync.WaitGroup
			calls.Go(func() { // the halt ends the order, so the answer is that of its cancel
				_, _ = h.client.Amend(context.Background(), h.record(context.Background(), order.OrderID), venues.AmendOrder{OrderID: order.OrderID, Qty: venues.Some(venues.MustDecimal(qty))})
			})
			synctest.Wait()
			calls.Go(func() { ordered = h.client.Configure(context.Background(), halted()) })
			synctest.Wait()
			g.open(nil)
			synctest.Wait()
			if venue.amended.Load() != want || ordered != nil {
				t.Errorf("%d amends to %s were sent, Configure = %v, want %d and no error", venue.amended.Load(), qty, ordered, want)
			}
			calls.Wait()
		})
	}
}

// Callers that wait for a halt are answered too: the account that would have answered
// them has ended.
func TestHaltBehindAFailedCommit(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h, g := openGated(kit)
		g.close()
		var ordered, waited error
		var calls sync.WaitGroup
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		calls.Go(func() { ordered = h.client.Configure(ctx, halted()) })
		synctest.Wait()
		calls.Go(func() { _, waited = h.client.AwaitHalt(ctx) })
		synctest.Wait()
		g.open(persistence.ErrOutcomeUnknown)
		calls.Wait()
		if took := time.Since(begun); took > 100*time.Millisecond {
			t.Errorf("answered after %s, want at most 100ms", took)
		}
		if venues.CodeOf(ordered) != venues.CodeMaintenance || venues.CodeOf(waited) != venues.CodeMaintenance {
			t.Fatalf("Configure = %v, AwaitHalt = %v, want %s twice", ordered, waited, venues.CodeMaintenance)
		}
	}, actortest.ExpectFailures())
}

// shuttingVenue shuts the gate, if it has one, when its positions are read.
type shuttingVenue struct {
	*ledgerVenue
	gate atomic.Pointer[gate]
}

func (v *shuttingVenue) Positions(ctx context.Context) ([]venues.Position, error) {
	if g := v.gate.Load(); g != nil {
		g.close()
	}
	return v.ledgerVenue.Positions(ctx)
}

// The end of a halt is reported once it is durable, also to a caller that begins to wait after it.
func TestEndOfAHaltIsDurableBeforeItIsReported(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue, g := &shuttingVenue{ledgerVenue: newVenue()}, &gate{}
		h := openWith(kit, storetest.NewMemory(), venue, "account", func(c persistence.Submitter) persistence.Submitter {
			g.Submitter = c
			return g
		})
		venue.gate.Store(g)
		if err := h.client.Configure(context.Background(), halted()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the halt has read the venue's lists, and its end is being committed
		var answered atomic.Bool
		var report venues.HaltReport
		var err error
		var call sync.WaitGroup
		call.Go(func() {
			report, err = h.client.AwaitHalt(context.Background())
			answered.Store(true)
		})
		synctest.Wait()
		isEarly := answered.Load()
		waited := g.open(nil)
		call.Wait()
		if waited == 0 || isEarly {
			t.Errorf("%d delayed commits, AwaitHalt answered before them: %t, want one or more and false", waited, isEarly)
		}
		if err != nil || !report.Done {
			t.Errorf("AwaitHalt = %+v, %v, want a report that is done", report, err)
		}
	})
}

func TestLostCommitRestartsTheAccount(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.store.LoseNextReply()
		if _, err := h.place("r1", "59000"); err == nil {
			t.Fatal("Place succeeded without a durable intent, want an error")
		}
		time.Sleep(time.Minute)
		list, err := h.store.Orders(context.Background(), persistence.OrderQuery{Customer: "c1", View: persistence.OrdersAll, Limit: 10})
		if err != nil || len(list.Items) != 1 || list.Items[0].Status != venues.StatusRejected {
			t.Fatalf("orders = %+v, %v, want one with status %s", list, err, venues.StatusRejected)
		}
		if h.venue.placed != 0 {
			t.Fatalf("%d orders were sent without a durable intent, want 0", h.venue.placed)
		}
	}, actortest.ExpectFailures())
}

// TestCallerOfASentOrderDoesNotReceiveMaintenance: the order is open at the venue
// when the store rejects the commit of its acknowledgement.
func TestCallerOfASentOrderDoesNotReceiveMaintenance(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.onPlace = func() { h.store.FailNext(persistence.ErrUnavailable) }
		_, err := h.place("r1", "59000")
		e, _ := errors.AsType[*venues.Error](err)
		if e == nil || e.Code != venues.CodeInternal || e.Details["orderState"] != "unknown" {
			t.Fatalf("Place = %v, want %s with orderState unknown", err, venues.CodeInternal)
		}
		time.Sleep(time.Minute)
		list, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != 1 || list[0].Status != venues.StatusOpen || h.venue.placed != 1 {
			t.Fatalf("orders at the venue = %+v, %v, want one with status %s", list, err, venues.StatusOpen)
		}
	}, actortest.ExpectFailures())
}
