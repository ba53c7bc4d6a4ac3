package restclient_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

func TestUsageIsThatOfTheBusiestAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := restclient.NewGate()
		gate.Declare("orders", 100)
		gate.Declare("weight", 2400)
		check := func(what string, want ...venues.RateLimit) {
			t.Helper()
			if got := gate.Usage(time.Now()); !slices.Equal(got, want) {
				t.Errorf("%s: usage = %+v, want %+v", what, got, want)
			}
		}
		check("unused", venues.RateLimit{Name: "orders", Limit: 100}, venues.RateLimit{Name: "weight", Limit: 2400})
		mine, other := restclient.NewBudget("orders", 100, time.Minute), restclient.NewBudget("orders", 50, time.Minute)
		for _, cost := range []restclient.Cost{{Budget: mine, Units: 3}, {Budget: other, Units: 7}, {Budget: mine, Units: 2}} {
			if err := gate.Wait(t.Context(), restclient.PriorityOrder, cost); err != nil {
				t.Fatal(err)
			}
		}
		check("used by two accounts", venues.RateLimit{Name: "orders", Used: 7, Limit: 50}, venues.RateLimit{Name: "weight", Limit: 2400})
		time.Sleep(2 * time.Minute)
		check("unused again", venues.RateLimit{Name: "orders", Limit: 50}, venues.RateLimit{Name: "weight", Limit: 2400})
		if err := gate.Wait(t.Context(), restclient.PriorityOrder, restclient.Cost{Budget: mine, Units: 4}); err != nil {
			t.Fatal(err)
		}
		check("used again", venues.RateLimit{Name: "orders", Used: 4, Limit: 100}, venues.RateLimit{Name: "weight", Limit: 2400})
	})
}

// A gate reports a freeze, budgets that the venue has reported as used up, and the requests
// that wait, by priority; and nothing once they have ended.
func TestCongestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := restclient.NewGate()
		if got := gate.Congestion(time.Now()); !got.FrozenUntil.IsZero() || len(got.Waiting) > 0 {
			t.Errorf("open gate: congestion = %+v, want none", got)
		}
		budget := restclient.NewBudget("orders", 100, time.Second)
		if err := gate.Wait(t.Context(), restclient.PriorityOrder, restclient.Cost{Budget: budget, Units: 1}); err != nil {
			t.Fatal(err)
		}
		exhausted := time.Now().Add(time.Minute)
		gate.Exhaust(budget, time.Minute)
		for _, priority := range []restclient.Priority{restclient.PriorityHistory, restclient.PriorityOrder, restclient.PriorityOrder} {
			go func() { _ = gate.Wait(t.Context(), priority, restclient.Cost{Budget: budget, Units: 1}) }()
		}
		time.Sleep(30 * time.Second) // the window has ended, the exhaustion has not
		synctest.Wait()
		want := []venues.WaitingRequests{{Priority: "order", Requests: 2}, {Priority: "history", Requests: 1}}
		if got := gate.Congestion(time.Now()); !slices.Equal(got.Waiting, want) {
			t.Errorf("waiting = %+v, want %+v", got.Waiting, want)
		}
		if got := gate.Usage(time.Now()); len(got) != 1 || !got[0].ExhaustedUntil.Equal(exhausted) {
			t.Errorf("usage = %+v, want orders exhausted until %v", got, exhausted)
		}
		time.Sleep(40 * time.Second)
		synctest.Wait()
		if got := gate.Congestion(time.Now()); len(got.Waiting) > 0 {
			t.Errorf("after the exhaustion: waiting = %+v, want none", got.Waiting)
		}
		if got := gate.Usage(time.Now()); !got[0].ExhaustedUntil.IsZero() {
			t.Errorf("after the exhaustion: usage = %+v, want none exhausted", got)
		}
		until := time.Now().Add(time.Minute)
		gate.Freeze(time.Minute)
		if got := gate.Congestion(time.Now()); !got.FrozenUntil.Equal(until) {
			t.Errorf("frozen until %v, want %v", got.FrozenUntil, until)
		}
	})
}
