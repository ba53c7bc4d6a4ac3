package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

func isRenewal(e effect) bool { _, ok := e.(renewPrivate); return ok }

// connected is a bench whose private stream has been up for a while.
func connected(t testing.TB) *bench {
	b := newBench(t, venues.Capabilities{})
	b.step(func(m moment) { b.state.streamConnected(m) })
	b.reconciles()
	b.now = b.now.Add(time.Minute)
	return b
}

// reconciles carries out the comparison that is due.
func (b *bench) reconciles() {
	b.pass(0)
	b.step(func(m moment) { b.state.reconciled(m, reconcileDone{startedAt: b.now}) })
}

// shows lets REST tell of an order what has just happened.
func (b *bench) shows(o *order, status venues.OrderStatus) venues.ExecutionReport {
	r := o.says(status, "0")
	r.VenueTime = b.now
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, report: r}) })
	return r
}

func (b *bench) tellsPrivately(r venues.ExecutionReport) {
	b.step(func(m moment) {
		b.state.heard(&r)
		b.state.report(m, r)
	})
}

func (b *bench) missesOne(t *testing.T, wantRenewal bool) {
	t.Helper()
	if b.state.recon.running {
		b.reconciles()
	}
	o := b.place(limitOrder(""))
	b.shows(o, venues.StatusOpen)
	asks := b.pass(streamLagMax)
	if count(asks, isReconcile) != 1 || (count(asks, isRenewal) == 1) != wantRenewal {
		t.Fatalf("%d comparisons, %d renewals", count(asks, isReconcile), count(asks, isRenewal))
	}
	b.step(func(m moment) {
		again := o.says(venues.StatusOpen, "0")
		again.VenueTime = b.now.Add(-streamLagMax)
		b.state.reconciled(m, reconcileDone{startedAt: b.now, open: []venues.ExecutionReport{again}})
	})
}

func (b *bench) mutes() (n int) {
	for _, row := range b.journal {
		if row.Kind == "stream.mute" {
			n++
		}
	}
	return n
}

func TestStreamThatMissesAChangeIsMute(t *testing.T) {
	b := connected(t)
	b.missesOne(t, false)
	if n := count(b.pass(time.Minute), isRenewal); n != 0 || b.mutes() != 1 {
		t.Fatalf("one change was missed: %d renewals, %d rows", n, b.mutes())
	}
	b.missesOne(t, true)
	if b.mutes() != 2 {
		t.Fatalf("%d rows", b.mutes())
	}
	// Nothing is owed before it is up again, and none is opened for every miss.
	o := b.place(limitOrder(""))
	b.shows(o, venues.StatusOpen)
	b.pass(streamLagMax)
	if b.mutes() != 2 {
		t.Fatal("a stream that is being opened has missed something")
	}
	b.step(func(m moment) { b.state.streamConnected(m) })
	b.reconciles()
	b.now = b.now.Add(2 * time.Second)
	b.missesOne(t, false)
	b.missesOne(t, false)
	b.now = b.now.Add(renewEvery)
	b.missesOne(t, true)
}

func TestMissesFarApartRenewNothing(t *testing.T) {
	b := connected(t)
	b.missesOne(t, false)
	b.pass(missesSpan)
	b.reconciles()
	b.missesOne(t, false)
}

func TestStreamThatTellsIsNotMute(t *testing.T) {
	for name, c := range map[string]func(*bench, *order){
		"before REST": func(b *bench, o *order) {
			b.tellsPrivately(o.says(venues.StatusOpen, "0"))
			b.shows(o, venues.StatusOpen)
		},
		"after REST": func(b *bench, o *order) {
			b.shows(o, venues.StatusOpen)
			b.pass(streamLagMax - time.Millisecond)
			b.tellsPrivately(o.says(venues.StatusOpen, "0"))
		},
		"more than REST": func(b *bench, o *order) {
			b.shows(o, venues.StatusOpen)
			b.tellsPrivately(o.says(venues.StatusCancelled, "0"))
		},
		"of a refusal nothing": func(b *bench, o *order) {
			b.step(func(m moment) {
				b.state.placed(m, placeDone{orderID: o.OrderID, err: venues.Errorf(venues.CodeOrderRejected, "no")})
			})
		},
		"of the past nothing": func(b *bench, o *order) {
			b.step(func(m moment) { b.state.streamLost(m) })
			b.shows(o, venues.StatusOpen)
			b.now = b.now.Add(time.Second)
			b.step(func(m moment) { b.state.streamConnected(m) })
			b.reconciles()
			r := o.says(venues.StatusOpen, "0")
			r.VenueTime = b.now.Add(-time.Second)
			b.step(func(m moment) { b.state.queried(m, queryDone{orderID: o.OrderID, report: r}) })
		},
	} {
		b := connected(t)
		c(b, b.place(limitOrder("")))
		b.pass(2 * streamLagMax)
		if b.mutes() != 0 {
			t.Errorf("%s: mute", name)
		}
	}
}

// A fill that only a question has shown is owed as well, and one silence is one
// miss however many orders it has swallowed.
func TestSilenceOverManyOrdersIsOneMiss(t *testing.T) {
	b := connected(t)
	var orders []*order
	for range 20 {
		o := b.place(limitOrder(""))
		b.tellsPrivately(b.shows(o, venues.StatusOpen))
		orders = append(orders, o)
	}
	b.now = b.now.Add(time.Second)
	for i, o := range orders {
		r := o.says(venues.StatusPartiallyFilled, "0.5")
		r.VenueTime = b.now
		b.now = b.now.Add(time.Duration(i) * time.Millisecond)
		b.step(func(m moment) { b.state.queried(m, queryDone{orderID: o.OrderID, report: r}) })
	}
	asks := b.pass(2 * streamLagMax)
	if b.mutes() != 1 || count(asks, isRenewal) != 0 {
		t.Fatalf("%d misses, %d renewals", b.mutes(), count(asks, isRenewal))
	}
}
