package account

import (
	"fmt"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// checkLive checks that the live orders are those that are unfinished.
func (b *fixture) checkLive() {
	b.t.Helper()
	s := b.state
	for id, o := range s.orders {
		if isLive := s.live[id] == o; isLive != (o.Unfinished() || o.storing) && !o.dirty {
			b.t.Errorf("order %s is %s with protection %+v, live = %t, want %t", id, o.Status, o.Protection, isLive, !isLive)
		}
	}
	for id := range s.live {
		if s.orders[id] == nil {
			b.t.Errorf("order %s is live but not in memory, want it in memory", id)
		}
	}
}

func TestClosedOrdersAreEvictedAfterClosedKeep(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	first, second := b.open(limitOrder(""), venues.StatusOpen), b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(step stepContext) { b.state.handleReport(step, first.reportWith(venues.StatusCancelled, "0")) })
	b.now = b.now.Add(closedKeep / 2)
	b.step(func(step stepContext) { b.state.handleReport(step, second.reportWith(venues.StatusCancelled, "0")) })
	b.step(func(step stepContext) { b.state.handleReport(step, first.reportWith(venues.StatusCancelled, "0")) }) // late, which keeps it longer
	b.now = b.now.Add(closedKeep/2 + time.Second)
	b.step(func(step stepContext) { b.state.evictClosed(step.now) })
	if b.state.orders[first.OrderID] == nil || b.state.orders[second.OrderID] == nil {
		t.Fatalf("orders in memory = %v, want %s and %s until closedKeep", b.state.allInOrder(), first.OrderID, second.OrderID)
	}
	b.now = b.now.Add(closedKeep / 2)
	b.step(func(step stepContext) { b.state.evictClosed(step.now) })
	if len(b.state.orders)+len(b.state.byClient)+len(b.state.byVenue)+len(b.state.idle) != 0 {
		t.Fatalf("%d orders in memory, %d idle, want none", len(b.state.orders), len(b.state.idle))
	}
}

// withClosedOrders returns an account with a number of closed orders in memory, a position
// and some open orders.
func withClosedOrders(tb testing.TB, closed int) *fixture {
	b := newFixture(tb, venues.Capabilities{})
	b.state.risk.Limits.MaxOpenOrders = 1000
	b.adoptForeign(1, venues.Buy, "2", "100", nil)
	b.streamPosition(venues.Long, "2")
	for range 20 {
		b.open(limitOrder(""), venues.StatusOpen)
	}
	step := b.stepContext()
	for n := range closed {
		id := fmt.Sprintf("ord_C%025d", n)
		o := b.state.insertOrder(persistence.OrderRecord{
			Order: venues.Order{
				OrderID: id, Status: venues.StatusCancelled, OrderSpec: limitOrder("").cmd.OrderSpec,
				VenueOrderID: id, UpdatedAt: venues.At(b.now),
			},
			ClientOrderID: b.state.ids.of(id),
		})
		b.state.updateActivity(step.now, o)
	}
	return b
}

// BenchmarkStep measures steps without closed orders in memory and with many: the cost
// must not depend on their number.
func BenchmarkStep(b *testing.B) {
	for _, closed := range []int{0, 100_000} {
		for name, run := range map[string]func(x *fixture, step stepContext){
			"place and close": func(x *fixture, step stepContext) {
				in := limitOrder("")
				in.cmd.MaxPosition = venues.Some(venues.MustDecimal("1000"))
				in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
				x.state.place(step, in)
				o := x.state.orders[x.state.finish(step).Creates]
				x.state.intentStored(o.OrderID)
				x.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusCancelled, "0")})
			},
			"positions": func(x *fixture, step stepContext) {
				x.state.updatePositions(step, x.state.positions.Listed(), step.now)
			},
			"a position ends": func(x *fixture, step stepContext) {
				x.state.protection(step).PositionClosed("BTCUSDT/long", step.now)
			},
			"tick": func(x *fixture, step stepContext) {
				x.state.recon.due = time.Time{}
				x.state.tick(step)
			},
			"evict": func(x *fixture, step stepContext) { x.state.evictClosed(step.now) },
			"reconcile": func(x *fixture, step stepContext) {
				x.state.recon.running, x.state.recon.routine = false, false
				x.state.reconcile(step)
			},
		} {
			b.Run(fmt.Sprintf("%s/closed=%d", name, closed), func(b *testing.B) {
				x := withClosedOrders(b, closed)
				b.ReportAllocs()
				for b.Loop() {
					step := x.stepContext()
					run(x, step)
					x.state.finish(step)
				}
			})
		}
	}
}
