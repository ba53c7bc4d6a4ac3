package restclient_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/venues/internal/restclient"
)

const (
	window = time.Minute
	limit  = 100
)

var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

type admission struct {
	at    time.Time
	units int
}

func used(admissions []admission, now time.Time) int {
	sum := 0
	for _, a := range admissions {
		if now.Sub(a.at) < window {
			sum += a.units
		}
	}
	return sum
}

// For any sequence of requests: no window contains more than the limit, a rejection
// states a time at which the same request fits, and what a lower priority may send every
// higher one may.
func TestLimiterKeepsTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := restclient.NewBudget("weight", limit, window)
		var limiter restclient.Limiter
		var admitted []admission
		now := start
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 8000).Draw(t, "pause_ms")) * time.Millisecond)
			priority := rapid.SampledFrom([]restclient.Priority{
				restclient.PriorityProtect, restclient.PriorityOrder, restclient.PriorityOutcome, restclient.PriorityRead, restclient.PriorityReconcile, restclient.PriorityHistory,
			}).Draw(t, "priority")
			units := rapid.IntRange(1, 40).Draw(t, "units")
			costs := []restclient.Cost{{Budget: budget, Units: units}}

			higher, higherLimiter := *budget, limiter
			decision := limiter.Admit(now, priority, costs, nil)
			if decision.Admitted {
				admitted = append(admitted, admission{now, units})
				if !higherLimiter.Admit(now, priority-1, []restclient.Cost{{Budget: &higher, Units: units}}, nil).Admitted {
					t.Fatalf("priority %d was admitted, priority %d would not be", priority, priority-1)
				}
			} else {
				if !decision.RetryAt.After(now) {
					t.Fatalf("not admitted at %v until %v", now, decision.RetryAt)
				}
				later, laterLimiter := *budget, limiter
				if !laterLimiter.Admit(decision.RetryAt, priority, []restclient.Cost{{Budget: &later, Units: units}}, nil).Admitted {
					t.Fatalf("not admitted at the stated time %v", decision.RetryAt)
				}
			}
			if got := used(admitted, now); got > limit {
				t.Fatalf("%d units within %v, want at most the limit", got, window)
			}
		}
	})
}

func TestLimiterReservesForHigherPriorities(t *testing.T) {
	for _, c := range []struct {
		priority restclient.Priority
		room     int
	}{
		{restclient.PriorityHistory, 40},
		{restclient.PriorityReconcile, 65},
		{restclient.PriorityRead, 75},
		{restclient.PriorityOutcome, 80},
		{restclient.PriorityOrder, 85},
		{restclient.PriorityProtect, 95},
	} {
		budget := restclient.NewBudget("weight", limit, window)
		var limiter restclient.Limiter
		costs := []restclient.Cost{{Budget: budget, Units: 1}}
		n := 0
		for n <= limit && limiter.Admit(start, c.priority, costs, nil).Admitted {
			n++
		}
		if n != c.room {
			t.Errorf("priority %d sent %d units, want %d", c.priority, n, c.room)
		}
		if !limiter.Admit(start, restclient.PriorityCancel, costs, nil).Admitted {
			t.Errorf("a cancel was not admitted after priority %d was used up", c.priority)
		}
	}
}

func TestLimiterTakesAllCostsOrNone(t *testing.T) {
	wide := restclient.NewBudget("wide", 1000, window)
	narrow := restclient.NewBudget("narrow", 2, window)
	var limiter restclient.Limiter
	both := []restclient.Cost{{Budget: wide, Units: 10}, {Budget: narrow, Units: 1}}
	if !limiter.Admit(start, restclient.PriorityProtect, both, nil).Admitted {
		t.Fatal("the first request was not admitted")
	}
	if v := limiter.Admit(start, restclient.PriorityProtect, both, nil); v.Admitted || v.Budget != "narrow" {
		t.Fatalf("decision %+v, want the narrow budget used up", v)
	}
	if v := limiter.Admit(start, restclient.PriorityProtect, []restclient.Cost{{Budget: wide, Units: 940}}, nil); !v.Admitted {
		t.Fatalf("the request that was not admitted used the wide budget: %+v", v)
	}
}

func TestLimiterAdoptsTheVenuesCount(t *testing.T) {
	budget := restclient.NewBudget("weight", limit, window)
	var limiter restclient.Limiter
	costs := []restclient.Cost{{Budget: budget, Units: 10}}
	limiter.Admit(start, restclient.PriorityOrder, costs, nil)
	limiter.Observe(start, budget, 5) // in progress: not counted there yet
	limiter.Observe(start, budget, 80)
	if v := limiter.Admit(start, restclient.PriorityOrder, costs, nil); v.Admitted {
		t.Fatal("admitted beyond the venue's own count")
	}
	if v := limiter.Admit(start.Add(window+window/12), restclient.PriorityOrder, costs, nil); !v.Admitted {
		t.Fatalf("not admitted after the window: %+v", v)
	}
}

func TestLimiterFreezeStopsEverything(t *testing.T) {
	budget := restclient.NewBudget("weight", limit, window)
	var limiter restclient.Limiter
	limiter.Freeze(start.Add(time.Minute))
	limiter.Freeze(start.Add(time.Second)) // never shorter
	costs := []restclient.Cost{{Budget: budget, Units: 1}}
	if v := limiter.Admit(start.Add(59*time.Second), restclient.PriorityCancel, costs, nil); v.Admitted || !v.Frozen {
		t.Fatalf("decision %+v during a freeze, want frozen", v)
	}
	if v := limiter.Admit(start.Add(time.Minute), restclient.PriorityHistory, costs, nil); !v.Admitted {
		t.Fatalf("decision %+v after the freeze, want admitted", v)
	}
}

func TestLimiterExhaustedBudgetLetsCancelsThrough(t *testing.T) {
	budget := restclient.NewBudget("orders", limit, window)
	var limiter restclient.Limiter
	limiter.Exhaust(budget, start.Add(10*time.Second))
	costs := []restclient.Cost{{Budget: budget, Units: 1}}
	if v := limiter.Admit(start, restclient.PriorityProtect, costs, nil); v.Admitted || !v.RetryAt.Equal(start.Add(10*time.Second)) {
		t.Fatalf("decision %+v, want not admitted for ten seconds", v)
	}
	if !limiter.Admit(start, restclient.PriorityCancel, costs, nil).Admitted {
		t.Fatal("a cancel was not admitted")
	}
}

func TestLimiterAdmitsOversizedCostsAlone(t *testing.T) {
	budget := restclient.NewBudget("weight", 10, window)
	var limiter restclient.Limiter
	big := []restclient.Cost{{Budget: budget, Units: 40}}
	if !limiter.Admit(start, restclient.PriorityHistory, big, nil).Admitted {
		t.Fatal("a request larger than its share was not admitted")
	}
	if limiter.Admit(start.Add(time.Second), restclient.PriorityHistory, big, nil).Admitted {
		t.Fatal("a second one was admitted immediately")
	}
}

func TestLimiterResize(t *testing.T) {
	budget := restclient.NewBudget("weight", 10, window)
	var limiter restclient.Limiter
	limiter.Resize(budget, 100)
	limiter.Resize(budget, 0) // no limit published
	for n, want := range []bool{true, true, false} {
		if got := limiter.Admit(start, restclient.PriorityOrder, []restclient.Cost{{Budget: budget, Units: 40}}, nil).Admitted; got != want {
			t.Errorf("request %d of 40 units, limit 100: admitted = %t, want %t", n, got, want)
		}
	}
}

// Requests ahead may need more than the budget ever has. A request behind them is not
// admitted before them while the budget is unused.
func TestLimiterAdmitsNoRequestBeforeThoseAhead(t *testing.T) {
	budget := restclient.NewBudget("weight", limit, window)
	one, crowd := []restclient.Cost{{Budget: budget, Units: 1}}, []restclient.Cost{{Budget: budget, Units: 2 * limit}}
	var limiter restclient.Limiter
	decision := limiter.Admit(start, restclient.PriorityOrder, one, crowd)
	if decision.Admitted || decision.RetryAt.Sub(start) < window || decision.RetryAt.Sub(start) > window*13/12 {
		t.Fatalf("decision %+v, want not admitted", decision)
	}
	if !limiter.Admit(start, restclient.PriorityOrder, one, nil).Admitted {
		t.Error("not admitted with no request ahead")
	}
}
