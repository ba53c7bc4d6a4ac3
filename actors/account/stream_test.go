package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

func isRenewal(e effect) bool { _, ok := e.(renewPrivate); return ok }

// connected returns a fixture whose private stream has been connected for a minute.
func connected(t testing.TB) *fixture {
	b := newFixture(t, venues.Capabilities{})
	b.step(func(step stepContext) { b.state.streamConnected(step) })
	b.reconcileNow()
	b.now = b.now.Add(time.Minute)
	return b
}

// reconcileNow carries out the reconciliation that is due.
func (b *fixture) reconcileNow() {
	b.pass(0)
	b.step(func(step stepContext) { b.state.reconciled(step, reconcileDone{startedAt: b.now}) })
}

// showByREST reports by REST that an order has just got a status.
func (b *fixture) showByREST(o *order, status venues.OrderStatus) venues.ExecutionReport {
	r := o.reportWith(status, "0")
	r.VenueTime = b.now
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, report: r}) })
	return r
}

func (b *fixture) streamReport(r venues.ExecutionReport) {
	b.step(func(step stepContext) {
		b.state.streamReported(step, &r)
		b.state.handleReport(step, r)
	})
}

func (b *fixture) missOne(t *testing.T, wantRenewal bool) {
	t.Helper()
	if b.state.recon.running {
		b.reconcileNow()
	}
	o := b.place(limitOrder(""))
	b.showByREST(o, venues.StatusOpen)
	effects := b.pass(streamLagMax)
	if count(effects, isReconcile) != 1 || (count(effects, isRenewal) == 1) != wantRenewal {
		t.Fatalf("%d reconciliations, %d reconnections, want 1, reconnected %t", count(effects, isReconcile), count(effects, isRenewal), wantRenewal)
	}
	b.step(func(step stepContext) {
		again := o.reportWith(venues.StatusOpen, "0")
		again.VenueTime = b.now.Add(-streamLagMax)
		b.state.reconciled(step, reconcileDone{startedAt: b.now, open: []venues.ExecutionReport{again}})
	})
}

func (b *fixture) stalledRows() (n int) {
	for _, row := range b.journal {
		if row.Kind == "stream.mute" {
			n++
		}
	}
	return n
}

func TestStreamThatMissesAChangeIsStalled(t *testing.T) {
	b := connected(t)
	b.missOne(t, false)
	if n := count(b.pass(time.Minute), isRenewal); n != 0 || b.stalledRows() != 1 {
		t.Fatalf("%d renewals, %d rows after one miss, want 0 and 1", n, b.stalledRows())
	}
	b.missOne(t, true)
	if b.stalledRows() != 2 {
		t.Fatalf("%d rows, want 2", b.stalledRows())
	}
	// The stream is not expected to report anything before it is connected again, and not
	// every miss reconnects it.
	o := b.place(limitOrder(""))
	b.showByREST(o, venues.StatusOpen)
	b.pass(streamLagMax)
	if b.stalledRows() != 2 {
		t.Fatalf("%d rows while the stream is being opened, want 2", b.stalledRows())
	}
	b.step(func(step stepContext) { b.state.streamConnected(step) })
	b.reconcileNow()
	b.now = b.now.Add(2 * time.Second)
	b.missOne(t, false)
	b.missOne(t, false)
	b.now = b.now.Add(renewEvery)
	b.missOne(t, true)
}

func TestMissesFarApartDoNotReconnect(t *testing.T) {
	b := connected(t)
	b.missOne(t, false)
	b.pass(missesSpan)
	b.reconcileNow()
	b.missOne(t, false)
}

func TestStreamThatReportsIsNotStalled(t *testing.T) {
	for name, c := range map[string]func(*fixture, *order){
		"before REST": func(b *fixture, o *order) {
			b.streamReport(o.reportWith(venues.StatusOpen, "0"))
			b.showByREST(o, venues.StatusOpen)
		},
		"after REST": func(b *fixture, o *order) {
			b.showByREST(o, venues.StatusOpen)
			b.pass(streamLagMax - time.Millisecond)
			b.streamReport(o.reportWith(venues.StatusOpen, "0"))
		},
		"more than REST": func(b *fixture, o *order) {
			b.showByREST(o, venues.StatusOpen)
			b.streamReport(o.reportWith(venues.StatusCancelled, "0"))
		},
		"a rejection": func(b *fixture, o *order) {
			b.step(func(step stepContext) {
				b.state.placed(step, placeDone{orderID: o.OrderID, err: venues.Errorf(venues.CodeOrderRejected, "no")})
			})
		},
		"a change from before the connection": func(b *fixture, o *order) {
			b.step(func(step stepContext) { b.state.streamLost(step) })
			b.showByREST(o, venues.StatusOpen)
			b.now = b.now.Add(time.Second)
			b.step(func(step stepContext) { b.state.streamConnected(step) })
			b.reconcileNow()
			r := o.reportWith(venues.StatusOpen, "0")
			r.VenueTime = b.now.Add(-time.Second)
			b.step(func(step stepContext) { b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: r}) })
		},
	} {
		b := connected(t)
		c(b, b.place(limitOrder("")))
		b.pass(2 * streamLagMax)
		if b.stalledRows() != 0 {
			t.Errorf("%s: %d rows, want 0", name, b.stalledRows())
		}
	}
}

// The stream is also expected to report a fill that only a query has returned. One outage
// is one miss, however many orders it affects.
func TestOutageOverManyOrdersIsOneMiss(t *testing.T) {
	b := connected(t)
	var orders []*order
	for range 20 {
		o := b.place(limitOrder(""))
		b.streamReport(b.showByREST(o, venues.StatusOpen))
		orders = append(orders, o)
	}
	b.now = b.now.Add(time.Second)
	for i, o := range orders {
		r := o.reportWith(venues.StatusPartiallyFilled, "0.5")
		r.VenueTime = b.now
		b.now = b.now.Add(time.Duration(i) * time.Millisecond)
		b.step(func(step stepContext) { b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: r}) })
	}
	effects := b.pass(2 * streamLagMax)
	if b.stalledRows() != 1 || count(effects, isRenewal) != 0 {
		t.Fatalf("%d misses, %d reconnections, want 1 and 0", b.stalledRows(), count(effects, isRenewal))
	}
}
