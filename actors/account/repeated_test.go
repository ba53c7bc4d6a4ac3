package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// unconfirmedStop is a replaced reduce-only stop whose outcome is unknown, with the one that was
// placed for it. If failsCancels is set, its cancel has failed.
func (r *killRun) unconfirmedStop(failsCancels bool) (first, second *order) {
	r.t.Helper()
	o := r.reduceOnlyStop()
	r.venue.dropsStops = true
	r.amendNow(o, func(a *venues.AmendOrder) { a.TriggerPrice = venues.Some(venues.MustDecimal("59000")) })
	r.venue.dropsStops, r.venue.failsCancels = false, failsCancels
	r.run(2 * time.Second)
	first = r.state.orders[o.ReplacedBy]
	if second = r.state.orders[first.ReplacedBy]; second == nil || second.Replaces != first.OrderID {
		r.t.Fatalf("the stop was not placed again: %+v", first.OrderRecord)
	}
	r.want(second, venues.StatusUntriggered, "0")
	return first, second
}

// appear lets the venue have an order whose request was lost, and report it.
func (r *killRun) appear(o *order) *killOrder {
	r.t.Helper()
	if _, err := r.venue.place(o.request(), true); err != nil {
		r.t.Fatal(err)
	}
	at := r.venue.find(o.ClientOrderID)
	report := at.ExecutionReport
	r.do(func(step stepContext) { r.state.handleReport(step, report) })
	return at
}

// The caller of the replacement receives the order that was placed again.
func TestReplacementThatIsPlacedAgainIsAnswered(t *testing.T) {
	r := newKillRun(t)
	_, second := r.unconfirmedStop(false)
	if got := r.lastReply(); got.err != nil || got.order.OrderID != second.OrderID || got.order.Status != venues.StatusUntriggered {
		t.Fatalf("reply = %+v, %v, want order %s with status %s", got.order, got.err, second.OrderID, venues.StatusUntriggered)
	}
}

func TestUnconfirmedStopThatAppears(t *testing.T) {
	t.Run("untriggered", func(t *testing.T) {
		r := newKillRun(t)
		first, second := r.unconfirmedStop(false)
		r.appear(first)
		r.run(time.Second)
		r.want(first, venues.StatusCancelled, "0")
		r.want(second, venues.StatusUntriggered, "0")
	})
	t.Run("executed", func(t *testing.T) {
		r := newKillRun(t)
		first, second := r.unconfirmedStop(false)
		at := r.appear(first)
		r.venue.fill(at, venues.MustDecimal("1"))
		r.run(2 * time.Second)
		r.want(first, venues.StatusFilled, "1")
		r.want(second, venues.StatusCancelled, "0")
	})
	t.Run("its cancel failed", func(t *testing.T) {
		r := newKillRun(t)
		first, second := r.unconfirmedStop(true)
		r.appear(first)
		r.run(time.Second)
		r.venue.failsCancels = false
		r.run(reconcileBusy + time.Second)
		r.want(first, venues.StatusCancelled, "0")
		r.want(second, venues.StatusUntriggered, "0")
	})
	t.Run("never", func(t *testing.T) {
		r := newKillRun(t)
		first, second := r.unconfirmedStop(false)
		r.run(time.Minute)
		r.want(first, venues.StatusRejected, "0")
		r.want(second, venues.StatusUntriggered, "0")
	})
}

// The venue loses every stop: a position is not protected by ever more stops, but closed.
func TestUnconfirmedLegsAreLimited(t *testing.T) {
	r := newKillRun(t)
	in := protectedLimitOrder()
	in.cmd.TakeProfit = venues.Optional{}
	o := r.placeNow(in)
	r.venue.dropsStops = true
	r.do(r.state.reconcile)
	r.fill(o, "1")
	placed := 0
	for begun := r.now; r.now.Sub(begun) < time.Minute; r.run(100 * time.Millisecond) {
		unknown, stops := 0, 0
		for _, leg := range r.state.allInOrder() {
			if leg.Protects != "" && leg.Type.IsStop() {
				stops++
				if leg.Status == venues.StatusUnknown {
					unknown++
				}
			}
		}
		if placed = stops; unknown > 2 {
			t.Fatalf("%d stops of unknown outcome after %s, want at most 2", unknown, r.now.Sub(begun))
		}
	}
	if err := r.wantFlat(); err != nil || placed < 2 {
		t.Fatalf("%d stops placed, %v, want at least 2 and the position closed", placed, err)
	}
}

// The same holds for a reduce-only stop of a client.
func TestUnconfirmedReplacementsAreLimited(t *testing.T) {
	r := newKillRun(t)
	o := r.reduceOnlyStop()
	r.venue.dropsStops = true
	r.amendNow(o, func(a *venues.AmendOrder) { a.TriggerPrice = venues.Some(venues.MustDecimal("59000")) })
	for begun := r.now; r.now.Sub(begun) < time.Minute; r.run(100 * time.Millisecond) {
		unknown := 0
		for _, o := range r.state.allInOrder() {
			if o.Status == venues.StatusUnknown {
				unknown++
			}
		}
		if unknown > 2 {
			t.Fatalf("%d stops of unknown outcome after %s, want at most 2", unknown, r.now.Sub(begun))
		}
	}
}
