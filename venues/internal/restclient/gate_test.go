package restclient_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

func TestGateWaitsForTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := restclient.NewGate()
		cost := restclient.Cost{Budget: restclient.NewBudget("orders", 2, 10*time.Second), Units: 2}
		began := time.Now()
		for range 3 {
			if err := gate.Wait(t.Context(), restclient.PriorityOrder, cost); err != nil {
				t.Fatal(err)
			}
		}
		if waited := time.Since(began); waited < 20*time.Second || waited > 22*time.Second {
			t.Errorf("three requests for the whole budget waited %v, want two windows", waited)
		}
	})
}

func TestGateFailsIfTheWaitIsTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := restclient.NewGate()
		cost := restclient.Cost{Budget: restclient.NewBudget("orders", 2, 10*time.Second), Units: 2}
		if err := gate.Wait(t.Context(), restclient.PriorityOrder, cost); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err := gate.Wait(ctx, restclient.PriorityOrder, cost)
		limited, ok := errors.AsType[*venues.Error](err)
		if !ok || limited.Code != venues.CodeRateLimited || limited.RetryAfter < 9*time.Second {
			t.Fatalf("error %v, want rate_limited with the time to wait", err)
		}
		if time.Since(began) != 0 {
			t.Errorf("waited %v although the budget is available too late, want 0", time.Since(began))
		}
		if err := gate.Wait(ctx, restclient.PriorityCancel, cost); err != nil {
			t.Errorf("cancel: error %v, want none", err)
		}
	})
}

func TestGateWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := restclient.NewGate()
		cost := restclient.Cost{Budget: restclient.NewBudget("orders", 1, 10*time.Second), Units: 1}
		if err := gate.Wait(t.Context(), restclient.PriorityOrder, cost); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := gate.Wait(ctx, restclient.PriorityOrder, cost); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the context's", err)
		}
	})
}

func TestGateFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := restclient.NewGate()
		gate.Freeze(time.Minute)
		err := gate.Wait(t.Context(), restclient.PriorityCancel)
		if venues.CodeOf(err) != venues.CodeRateLimited {
			t.Fatalf("error %v, want rate_limited", err)
		}
		if got := gate.FrozenFor(); got != time.Minute {
			t.Errorf("frozen for %v, want a minute", got)
		}
		time.Sleep(time.Minute)
		if err := gate.Wait(t.Context(), restclient.PriorityHistory); err != nil {
			t.Errorf("error %v after the freeze, want none", err)
		}
	})
}

// A request that needs many units is not starved by later ones of its priority that need
// few.
func TestGateKeepsTheOrderOfAPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := restclient.NewGate()
		budget := restclient.NewBudget("weight", 100, time.Minute)
		small, large := restclient.Cost{Budget: budget, Units: 5}, restclient.Cost{Budget: budget, Units: 40}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range 4 { // use up the share, and keep it used up
			go func() {
				for ctx.Err() == nil {
					_ = gate.Wait(ctx, restclient.PriorityReconcile, small)
				}
			}()
		}
		synctest.Wait()
		bounded, end := context.WithTimeout(t.Context(), 2*time.Minute)
		defer end()
		began := time.Now()
		if err := gate.Wait(bounded, restclient.PriorityReconcile, large); err != nil {
			t.Errorf("error %v after %v, want none", err, time.Since(began))
		}
	})
}

// A request that waits for one budget does not delay requests for another.
func TestGateQueuesPerBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := restclient.NewGate()
		address := restclient.NewBudget("weight", 100, time.Minute)
		mine, other := restclient.NewBudget("orders", 1, time.Minute), restclient.NewBudget("orders", 1, time.Minute)
		order := func(b *restclient.Budget) error {
			return gate.Wait(t.Context(), restclient.PriorityOrder, restclient.Cost{Budget: address, Units: 20}, restclient.Cost{Budget: b, Units: 1})
		}
		for range 4 { // the first is sent, three wait for an account's own budget
			go func() { _ = order(mine) }()
		}
		synctest.Wait()
		began := time.Now()
		if err := order(other); err != nil || time.Since(began) > 0 {
			t.Errorf("waited %v behind another account's orders, error %v, want 0", time.Since(began), err)
		}
	})
}

// A request behind one that gives up no longer waits for it.
func TestGateWakesWaitersBehindOneThatGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := restclient.NewGate()
		budget := restclient.NewBudget("weight", 100, time.Minute)
		wait := func(ctx context.Context, units int) error {
			return gate.Wait(ctx, restclient.PriorityReconcile, restclient.Cost{Budget: budget, Units: units})
		}
		if err := wait(t.Context(), 60); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ctx, giveUp := context.WithCancel(t.Context())
		go func() { _ = wait(ctx, 40) }() // until the window has passed
		synctest.Wait()
		time.AfterFunc(time.Second, giveUp)
		if err := wait(t.Context(), 5); err != nil || time.Since(began) != time.Second {
			t.Errorf("admitted after %v with error %v, want 1s, when no request was ahead", time.Since(began), err)
		}
	})
}
