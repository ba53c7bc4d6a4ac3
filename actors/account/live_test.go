package account

import (
	"fmt"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// checkLive holds the live orders against all of them.
func (b *bench) checkLive() {
	b.t.Helper()
	s := b.state
	for id, o := range s.orders {
		if isLive := s.live[id] == o; isLive != (o.Unfinished() || o.storing) && !o.dirty {
			b.t.Errorf("order %s is %s with protection %+v; among the live ones: %t", id, o.Status, o.Protection, isLive)
		}
	}
	for id := range s.live {
		if s.orders[id] == nil {
			b.t.Errorf("order %s is live and forgotten", id)
		}
	}
}

func TestClosedOrdersAreForgottenInTime(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	first, second := b.open(limitOrder(""), venues.StatusOpen), b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(m moment) { b.state.report(m, first.says(venues.StatusCancelled, "0")) })
	b.now = b.now.Add(closedKeep / 2)
	b.step(func(m moment) { b.state.report(m, second.says(venues.StatusCancelled, "0")) })
	b.step(func(m moment) { b.state.report(m, first.says(venues.StatusCancelled, "0")) }) // late: it is kept
	b.now = b.now.Add(closedKeep/2 + time.Second)
	b.step(b.state.evictClosed)
	if b.state.orders[first.OrderID] == nil || b.state.orders[second.OrderID] == nil {
		t.Fatal("forgotten too early")
	}
	b.now = b.now.Add(closedKeep / 2)
	b.step(b.state.evictClosed)
	if len(b.state.orders)+len(b.state.byClient)+len(b.state.byVenue)+len(b.state.atRest) != 0 {
		t.Fatalf("%d orders stay, %d at rest", len(b.state.orders), len(b.state.atRest))
	}
}

// crowded is an account with as many closed orders in memory, a position, and a
// few orders that rest.
func crowded(tb testing.TB, closed int) *bench {
	b := newBench(tb, venues.Capabilities{})
	b.state.risk.limits.MaxOpenOrders = 1000
	b.stranger(1, venues.Buy, "2", "100", nil)
	b.lists(venues.Long, "2")
	for range 20 {
		b.open(limitOrder(""), venues.StatusOpen)
	}
	m := b.moment()
	for n := range closed {
		id := fmt.Sprintf("ord_C%025d", n)
		o := b.state.insert(persistence.OrderRecord{
			Order: venues.Order{
				OrderID: id, Status: venues.StatusCancelled, OrderSpec: limitOrder("").cmd.OrderSpec,
				VenueOrderID: id, UpdatedAt: venues.At(b.now),
			},
			ClientOrderID: b.state.ids.of(id),
		})
		b.state.enlist(m, o)
	}
	return b
}

// BenchmarkStep: what a step costs does not depend on how many orders have ended.
func BenchmarkStep(b *testing.B) {
	for _, closed := range []int{0, 100_000} {
		for name, step := range map[string]func(x *bench, m moment){
			"place and close": func(x *bench, m moment) {
				in := limitOrder("")
				in.cmd.MaxPosition = venues.Some(venues.MustDecimal("1000"))
				in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
				x.state.place(m, in)
				o := x.state.orders[x.state.finish(m).intent]
				x.state.intentStored(o.OrderID)
				x.state.placed(m, placeDone{orderID: o.OrderID, report: o.says(venues.StatusCancelled, "0")})
			},
			"positions": func(x *bench, m moment) {
				x.state.takePositions(m, x.state.positions(), m.now)
			},
			"a position ends": func(x *bench, m moment) {
				x.state.positionGone(m, &venues.Position{Symbol: "BTCUSDT", Side: venues.Long}, m.now)
			},
			"tick": func(x *bench, m moment) {
				x.state.recon.due = time.Time{}
				x.state.tick(m)
			},
			"evict":     func(x *bench, m moment) { x.state.evictClosed(m) },
			"reconcile": func(x *bench, m moment) { x.state.recon.running = false; x.state.reconcile() },
		} {
			b.Run(fmt.Sprintf("%s/closed=%d", name, closed), func(b *testing.B) {
				x := crowded(b, closed)
				b.ReportAllocs()
				for b.Loop() {
					m := x.moment()
					step(x, m)
					x.state.finish(m)
				}
			})
		}
	}
}
