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

func spent(admissions []admission, now time.Time) int {
	sum := 0
	for _, a := range admissions {
		if now.Sub(a.at) < window {
			sum += a.units
		}
	}
	return sum
}

// Whatever is asked when, no span of the window holds more than the limit, a
// refusal names a moment at which the same request fits, and what a lower lane
// may send every higher one may.
func TestLedgerKeepsTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := restclient.NewBudget("weight", limit, window)
		var ledger restclient.Ledger
		var admitted []admission
		now := start
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 8000).Draw(t, "pause_ms")) * time.Millisecond)
			lane := rapid.SampledFrom([]restclient.Lane{
				restclient.LaneProtect, restclient.LaneOrder, restclient.LaneResolve, restclient.LaneReconcile, restclient.LaneHistory,
			}).Draw(t, "lane")
			units := rapid.IntRange(1, 40).Draw(t, "units")
			costs := []restclient.Cost{{Budget: budget, Units: units}}

			higher, higherLedger := *budget, ledger
			verdict := ledger.Admit(now, lane, costs, nil)
			if verdict.Admitted {
				admitted = append(admitted, admission{now, units})
				if !higherLedger.Admit(now, lane-1, []restclient.Cost{{Budget: &higher, Units: units}}, nil).Admitted {
					t.Fatalf("lane %d was admitted, lane %d would not have been", lane, lane-1)
				}
			} else {
				if !verdict.RetryAt.After(now) {
					t.Fatalf("refused at %v until %v", now, verdict.RetryAt)
				}
				later, laterLedger := *budget, ledger
				if !laterLedger.Admit(verdict.RetryAt, lane, []restclient.Cost{{Budget: &later, Units: units}}, nil).Admitted {
					t.Fatalf("refused again at the promised %v", verdict.RetryAt)
				}
			}
			if got := spent(admitted, now); got > limit {
				t.Fatalf("%d units within %v", got, window)
			}
		}
	})
}

func TestLedgerReservesForHigherLanes(t *testing.T) {
	for _, c := range []struct {
		lane restclient.Lane
		room int
	}{
		{restclient.LaneHistory, 40},
		{restclient.LaneReconcile, 65},
		{restclient.LaneResolve, 80},
		{restclient.LaneOrder, 85},
		{restclient.LaneProtect, 95},
	} {
		budget := restclient.NewBudget("weight", limit, window)
		var ledger restclient.Ledger
		costs := []restclient.Cost{{Budget: budget, Units: 1}}
		n := 0
		for n <= limit && ledger.Admit(start, c.lane, costs, nil).Admitted {
			n++
		}
		if n != c.room {
			t.Errorf("lane %d sent %d units, want %d", c.lane, n, c.room)
		}
		if !ledger.Admit(start, restclient.LaneCancel, costs, nil).Admitted {
			t.Errorf("a cancel was refused after lane %d was full", c.lane)
		}
	}
}

func TestLedgerTakesAllCostsOrNone(t *testing.T) {
	wide := restclient.NewBudget("wide", 1000, window)
	narrow := restclient.NewBudget("narrow", 2, window)
	var ledger restclient.Ledger
	both := []restclient.Cost{{Budget: wide, Units: 10}, {Budget: narrow, Units: 1}}
	if !ledger.Admit(start, restclient.LaneProtect, both, nil).Admitted {
		t.Fatal("the first request was refused")
	}
	if v := ledger.Admit(start, restclient.LaneProtect, both, nil); v.Admitted || v.Budget != "narrow" {
		t.Fatalf("verdict %+v, want a refusal by the narrow budget", v)
	}
	if v := ledger.Admit(start, restclient.LaneProtect, []restclient.Cost{{Budget: wide, Units: 940}}, nil); !v.Admitted {
		t.Fatalf("the refused request took from the wide budget: %+v", v)
	}
}

func TestLedgerAdoptsTheVenuesCount(t *testing.T) {
	budget := restclient.NewBudget("weight", limit, window)
	var ledger restclient.Ledger
	costs := []restclient.Cost{{Budget: budget, Units: 10}}
	ledger.Admit(start, restclient.LaneOrder, costs, nil)
	ledger.Observe(start, budget, 5) // under way: not counted there yet
	ledger.Observe(start, budget, 80)
	if v := ledger.Admit(start, restclient.LaneOrder, costs, nil); v.Admitted {
		t.Fatal("admitted beyond the venue's own count")
	}
	if v := ledger.Admit(start.Add(window+window/12), restclient.LaneOrder, costs, nil); !v.Admitted {
		t.Fatalf("not admitted after the window: %+v", v)
	}
}

func TestLedgerFreezeStopsEverything(t *testing.T) {
	budget := restclient.NewBudget("weight", limit, window)
	var ledger restclient.Ledger
	ledger.Freeze(start.Add(time.Minute))
	ledger.Freeze(start.Add(time.Second)) // never shorter
	costs := []restclient.Cost{{Budget: budget, Units: 1}}
	if v := ledger.Admit(start.Add(59*time.Second), restclient.LaneCancel, costs, nil); v.Admitted || !v.Frozen {
		t.Fatalf("verdict %+v during a freeze", v)
	}
	if v := ledger.Admit(start.Add(time.Minute), restclient.LaneHistory, costs, nil); !v.Admitted {
		t.Fatalf("verdict %+v after the freeze", v)
	}
}

func TestLedgerExhaustedBudgetLetsCancelsThrough(t *testing.T) {
	budget := restclient.NewBudget("orders", limit, window)
	var ledger restclient.Ledger
	ledger.Exhaust(budget, start.Add(10*time.Second))
	costs := []restclient.Cost{{Budget: budget, Units: 1}}
	if v := ledger.Admit(start, restclient.LaneProtect, costs, nil); v.Admitted || !v.RetryAt.Equal(start.Add(10*time.Second)) {
		t.Fatalf("verdict %+v, want a refusal for ten seconds", v)
	}
	if !ledger.Admit(start, restclient.LaneCancel, costs, nil).Admitted {
		t.Fatal("a cancel was refused")
	}
}

func TestLedgerLetsTheImpossibleThroughAlone(t *testing.T) {
	budget := restclient.NewBudget("weight", 10, window)
	var ledger restclient.Ledger
	big := []restclient.Cost{{Budget: budget, Units: 40}}
	if !ledger.Admit(start, restclient.LaneHistory, big, nil).Admitted {
		t.Fatal("a request larger than its lane never leaves")
	}
	if ledger.Admit(start.Add(time.Second), restclient.LaneHistory, big, nil).Admitted {
		t.Fatal("a second one left at once")
	}
}

func TestLedgerResize(t *testing.T) {
	budget := restclient.NewBudget("weight", 10, window)
	var ledger restclient.Ledger
	ledger.Resize(budget, 100)
	ledger.Resize(budget, 0) // no limit told
	if !ledger.Admit(start, restclient.LaneOrder, []restclient.Cost{{Budget: budget, Units: 80}}, nil).Admitted {
		t.Fatal("the published limit was not adopted")
	}
}

// Those ahead may want more than the budget ever has. A request behind them does
// not slip in before them while it is unused.
func TestLedgerLetsNobodyOvertakeACrowd(t *testing.T) {
	budget := restclient.NewBudget("weight", limit, window)
	one, crowd := []restclient.Cost{{Budget: budget, Units: 1}}, []restclient.Cost{{Budget: budget, Units: 2 * limit}}
	var ledger restclient.Ledger
	verdict := ledger.Admit(start, restclient.LaneOrder, one, crowd)
	if verdict.Admitted || verdict.RetryAt.Sub(start) < window || verdict.RetryAt.Sub(start) > window*13/12 {
		t.Fatalf("%+v", verdict)
	}
	if !ledger.Admit(start, restclient.LaneOrder, one, nil).Admitted {
		t.Error("refused with nobody ahead")
	}
}
