package account_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// gate is a journal that keeps commits waiting once it is shut.
type gate struct {
	account.Committer
	mu      sync.Mutex
	shut    bool
	waiting []func(error)
}

func (g *gate) Submit(b persistence.Batch, done func(error)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut {
		g.Committer.Submit(b, done)
		return
	}
	g.waiting = append(g.waiting, func(err error) {
		if err != nil {
			done(err)
			return
		}
		g.Committer.Submit(b, done)
	})
}

// close keeps the commits that come from now on.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
}

// open answers the first commit that waits, with err or by the store, and lets
// everything after it through.
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

// openGated is an account whose commits pass a gate.
func openGated(kit *actortest.Kit) (*house, *gate) {
	g := &gate{}
	return openWith(kit, storetest.NewMemory(), newVenue(), "account", func(c account.Committer) account.Committer {
		g.Committer = c
		return g
	}), g
}

// halted is the operator's order to halt the account.
func halted() persistence.VenueAccount {
	control := persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}
	control.Halt(time.Now(), false)
	return control
}

// behindACommit runs while an intent is being committed and somebody reads funds:
// that answer waits behind the intent.
func behindACommit(t *testing.T, failure error, check func(h *house, waited int, placed, read error)) {
	t.Helper()
	actortest.Run(t, func(kit *actortest.Kit) {
		h, g := openGated(kit)
		if _, err := h.client.Funds(context.Background()); err != nil {
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
			_, read = h.client.Funds(ctx)
		})
		synctest.Wait()
		waited := g.open(failure)
		calls.Wait()
		if took := time.Since(begun); took > 100*time.Millisecond {
			t.Errorf("answered after %s", took)
		}
		check(h, waited, placed, read)
	}, actortest.ExpectFailures())
}

// What only has to wait for a commit makes none of its own: a full journal could
// refuse that.
func TestAnswersWaitWithoutACommit(t *testing.T) {
	behindACommit(t, nil, func(_ *house, waited int, placed, read error) {
		if waited != 1 || placed != nil || read != nil {
			t.Fatalf("%d commits; %v, %v", waited, placed, read)
		}
	})
}

// Those who wait behind a commit that fails are told at once.
func TestAnswersBehindAFailedCommit(t *testing.T) {
	behindACommit(t, persistence.ErrOutcomeUnknown, func(_ *house, _ int, placed, read error) {
		if venues.CodeOf(placed) != venues.CodeInternal || venues.CodeOf(read) != venues.CodeMaintenance {
			t.Fatalf("%v, %v", placed, read)
		}
	})
}

// An intent that the store has no room for takes nobody with it.
func TestAnswersBehindARefusedIntent(t *testing.T) {
	behindACommit(t, persistence.ErrUnavailable, func(h *house, _ int, placed, read error) {
		if venues.CodeOf(placed) != venues.CodeMaintenance || read != nil || h.venue.placed != 0 {
			t.Fatalf("%v, %v, %d placed", placed, read, h.venue.placed)
		}
	})
}

// An order was admitted, and its intent is being committed when the account is
// closed to it: it stays here.
func TestOrderDoesNotLeaveAnAccountThatClosed(t *testing.T) {
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
			t.Fatalf("%v, %v, %d placed", placed, ordered, h.venue.placed)
		}
	})
}

// amendingVenue counts the amends that reach it.
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

// An amend that makes an order larger was admitted before the account was closed to
// it: it stays here too. One that only lowers it passes.
func TestAmendDoesNotLeaveAnAccountThatClosed(t *testing.T) {
	for qty, want := range map[string]int64{"2": 0, "0.5": 1} {
		actortest.Run(t, func(kit *actortest.Kit) {
			venue, g := &amendingVenue{ledgerVenue: newVenue()}, &gate{}
			h := openWith(kit, storetest.NewMemory(), venue, "account", func(c account.Committer) account.Committer {
				g.Committer = c
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
				_, _ = h.client.Amend(context.Background(), venues.AmendOrder{OrderID: order.OrderID, Qty: venues.Some(venues.MustDecimal(qty))})
			})
			synctest.Wait()
			calls.Go(func() { ordered = h.client.Configure(context.Background(), halted()) })
			synctest.Wait()
			g.open(nil)
			synctest.Wait()
			if venue.amended.Load() != want || ordered != nil {
				t.Errorf("%d amends to %s have left, %v", venue.amended.Load(), qty, ordered)
			}
			calls.Wait()
		})
	}
}

// Whoever waits for a halt is told too: the account that would have answered is
// gone.
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
			t.Errorf("answered after %s", took)
		}
		if venues.CodeOf(ordered) != venues.CodeMaintenance || venues.CodeOf(waited) != venues.CodeMaintenance {
			t.Fatalf("%v, %v", ordered, waited)
		}
	}, actortest.ExpectFailures())
}

func TestLostCommitStartsAnew(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.store.LoseNextAnswer()
		if _, err := h.place("r1", "59000"); err == nil {
			t.Fatal("taken without a confirmed intent")
		}
		time.Sleep(time.Minute)
		list, err := h.store.Orders(context.Background(), persistence.OrderQuery{Customer: "c1", View: persistence.OrdersAll, Limit: 10})
		if err != nil || len(list.Items) != 1 || list.Items[0].Status != venues.StatusRejected {
			t.Fatalf("%+v, %v", list, err)
		}
		if h.venue.placed != 0 {
			t.Fatal("an intent of unknown durability was sent")
		}
	}, actortest.ExpectFailures())
}

// TestCallerOfASentOrderIsNotToldMaintenance: the order lives at the venue when
// the store refuses the commit of its acknowledgement.
func TestCallerOfASentOrderIsNotToldMaintenance(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.onPlace = func() { h.store.FailNext(persistence.ErrUnavailable) }
		_, err := h.place("r1", "59000")
		e, _ := errors.AsType[*venues.Error](err)
		if e == nil || e.Code != venues.CodeInternal || e.Details["orderState"] != "unknown" {
			t.Fatalf("%v", err)
		}
		time.Sleep(time.Minute)
		list, err := h.store.UnfinishedOrders(context.Background(), "c1", venues.Binance)
		if err != nil || len(list) != 1 || list[0].Status != venues.StatusOpen || h.venue.placed != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
	}, actortest.ExpectFailures())
}
