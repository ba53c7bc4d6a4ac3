package account

import (
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// strays tells an execution whose order the venue does not show yet.
func (b *bench) strays(f venues.Fill) {
	b.step(func(m moment) {
		b.state.lookupBegins(f.Symbol)
		b.state.lookedUpFills(m, lookedUpFills{symbol: f.Symbol, fills: []venues.Fill{f}})
	})
}

func (b *bench) recordedFills() []persistence.FillRecord {
	var list []persistence.FillRecord
	for _, r := range b.puts {
		if f, is := r.(persistence.FillRecord); is {
			list = append(list, f)
		}
	}
	return list
}

// countedOnce: the order's execution is counted once, and is the order's.
func (b *bench) countedOnce(o *order) {
	b.t.Helper()
	book := b.state.book("BTCUSDT")
	if open := openQty(book.now.of(venues.Long)); !open.Equal(venues.MustDecimal("1")) {
		b.t.Errorf("%s are open", open)
	}
	if !b.state.risk.earned.Equal(venues.MustDecimal("-0.5")) {
		b.t.Errorf("the day has brought %s", b.state.risk.earned)
	}
	if list := b.recordedFills(); len(list) != 1 || list[0].OrderID != o.OrderID || list[0].Source != o.Source {
		b.t.Errorf("fills %+v", list)
	}
	b.want(o, venues.StatusFilled, "1")
	if !o.Fee.Decimal.Equal(venues.MustDecimal("0.5")) {
		b.t.Errorf("the order's fee is %s", o.Fee.Decimal)
	}
}

// TestExecutionToldBeforeItsOrderCountsOnce, whichever way the order is told.
func TestExecutionToldBeforeItsOrderCountsOnce(t *testing.T) {
	for name, tell := range map[string]func(b *bench, o *order, f venues.Fill){
		"by the stream": func(b *bench, o *order, f venues.Fill) {
			r := o.says(venues.StatusFilled, "1")
			f.ExecutedAt = venues.At(f.ExecutedAt.Add(time.Millisecond)) // the stream's clock is another
			r.Fill = &f
			b.step(func(m moment) { b.state.report(m, r) })
		},
		"by its fills": func(b *bench, o *order, f venues.Fill) {
			b.step(func(m moment) { b.state.report(m, o.says(venues.StatusFilled, "1")) })
			b.step(func(m moment) { b.state.fillsRead(m, fillsDone{orderID: o.OrderID, fills: []venues.Fill{f}}) })
		},
		"by looking the execution up again": func(b *bench, o *order, f venues.Fill) {
			r := o.says(venues.StatusFilled, "1")
			b.step(func(m moment) { b.state.fills(m, []venues.Fill{f}) })
			b.step(func(m moment) {
				b.state.lookedUpFills(m, lookedUpFills{symbol: f.Symbol, fills: []venues.Fill{f}, report: &r})
			})
		},
		"by an hour later": func(b *bench, o *order, f venues.Fill) {
			stored := b.recordedFills()
			b.now = b.now.Add(2 * strangersKeep)
			b.step(func(m moment) { b.state.forgetStrangers(m) })
			b.step(func(m moment) { b.state.report(m, o.says(venues.StatusFilled, "1")) })
			b.step(func(m moment) {
				b.state.fillsRead(m, fillsDone{orderID: o.OrderID, fills: []venues.Fill{f}, strangers: stored})
			})
		},
		"while the store cannot say that it has it": func(b *bench, o *order, f venues.Fill) {
			stored := b.recordedFills()
			b.now = b.now.Add(2 * strangersKeep)
			b.step(func(m moment) { b.state.forgetStrangers(m) })
			b.step(func(m moment) { b.state.report(m, o.says(venues.StatusFilled, "1")) })
			for _, read := range []fillsDone{
				{orderID: o.OrderID, fills: []venues.Fill{f}, err: persistence.ErrUnavailable},
				{orderID: o.OrderID, fills: []venues.Fill{f}, strangers: stored},
			} {
				b.step(func(m moment) { b.state.fillsRead(m, read) })
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o := b.place(limitOrder("r1"))
			b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: errTimeout}) })
			f := *o.fill("t1", "1", "60000")
			b.strays(f)
			tell(b, o, f)
			b.countedOnce(o)
		})
	}
}

// TestStrangerTakesItsOrdersReason: what closed a position was a stop, and that
// shows with the order.
func TestStrangerTakesItsOrdersReason(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.stranger(1, venues.Buy, "1", "100", nil)
	b.now = b.now.Add(2 * time.Second)
	in := limitOrder("r1")
	in.cmd.Side, in.cmd.ReduceOnly = venues.Sell, true
	in.cmd.Type, in.cmd.TriggerPrice = venues.TypeStopLimit, venues.Some(venues.MustDecimal("59000"))
	in.cmd.Comment = "out"
	o := b.open(in, venues.StatusUntriggered)
	b.step(func(moment) { // under another number
		b.state.forget(o)
		delete(b.state.byVenue, venueKey{symbol: o.Symbol, id: o.VenueOrderID})
		b.state.orders[o.OrderID], b.state.live[o.OrderID] = o, o
	})
	b.strays(*o.fill("t1", "1", "110"))
	r := o.says(venues.StatusFilled, "1")
	r.Fill = o.fill("t1", "1", "110")
	b.step(func(m moment) { b.state.apply(m, o, r) })
	b.pass(endDoubtMax)
	if got := b.onlyClosing(); got["reason"] != string(venues.ClosedStopLoss) || got["realizedPnl"] != "10" {
		t.Fatalf("%v", got)
	}
}
