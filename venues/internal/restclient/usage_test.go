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
