package account

import (
	"testing"
	"time"

	"venuegate/actors/account/position"
	"venuegate/persistence"
	"venuegate/venues"
)

// foreignFill reports an execution whose order the venue does not list yet.
func (b *fixture) foreignFill(f venues.Fill) {
	b.step(func(step stepContext) {
		b.state.fillMarks.beginLookup(f.Symbol)
		b.state.lookedUpFills(step, lookedUpFills{symbol: f.Symbol, fills: []venues.Fill{f}})
	})
}

func (b *fixture) recordedFills() []persistence.FillRecord {
	var list []persistence.FillRecord
	for _, r := range b.puts {
		if f, is := r.(persistence.FillRecord); is {
			list = append(list, f)
		}
	}
	return list
}

// wantCountedOnce checks that the execution of an order is counted once and recorded with
// the order.
func (b *fixture) wantCountedOnce(o *order) {
	b.t.Helper()
	if open := b.state.positions.Qty("BTCUSDT", venues.Long); !open.Equal(venues.MustDecimal("1")) {
		b.t.Errorf("open = %s, want 1", open)
	}
	if !b.state.risk.Earned().Equal(venues.MustDecimal("-0.5")) {
		b.t.Errorf("the day earned %s, want -0.5", b.state.risk.Earned())
	}
	if list := b.recordedFills(); len(list) != 1 || list[0].OrderID != o.OrderID || list[0].Source != o.Source {
		b.t.Errorf("recorded %+v, want one fill of order %s and source %s", list, o.OrderID, o.Source)
	}
	b.want(o, venues.StatusFilled, "1")
	if !o.Fee.Decimal.Equal(venues.MustDecimal("0.5")) {
		b.t.Errorf("fee of the order = %s, want 0.5", o.Fee.Decimal)
	}
}

// TestExecutionReportedBeforeItsOrderCountsOnce, whichever way the order becomes known.
func TestExecutionReportedBeforeItsOrderCountsOnce(t *testing.T) {
	for name, report := range map[string]func(b *fixture, o *order, f venues.Fill){
		"by the stream": func(b *fixture, o *order, f venues.Fill) {
			r := o.reportWith(venues.StatusFilled, "1")
			f.ExecutedAt = venues.At(f.ExecutedAt.Add(time.Millisecond)) // the clock of the stream differs
			r.Fill = &f
			b.step(func(step stepContext) { b.state.handleReport(step, r) })
		},
		"by its fills": func(b *fixture, o *order, f venues.Fill) {
			b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusFilled, "1")) })
			b.step(func(step stepContext) {
				b.state.fillsFetched(step, fillsDone{orderID: o.OrderID, fills: []venues.Fill{f}})
			})
		},
		"by looking the execution up again": func(b *fixture, o *order, f venues.Fill) {
			r := o.reportWith(venues.StatusFilled, "1")
			b.step(func(step stepContext) { b.state.handleFills(step, []venues.Fill{f}) })
			b.step(func(step stepContext) {
				b.state.lookedUpFills(step, lookedUpFills{symbol: f.Symbol, fills: []venues.Fill{f}, report: &r})
			})
		},
		"by an hour later": func(b *fixture, o *order, f venues.Fill) {
			stored := b.recordedFills()
			b.now = b.now.Add(2 * position.UnattributedKeep)
			b.step(func(step stepContext) { b.state.positions.EvictUnattributed(step.now) })
			b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusFilled, "1")) })
			b.step(func(step stepContext) {
				b.state.fillsFetched(step, fillsDone{orderID: o.OrderID, fills: []venues.Fill{f}, unattributed: stored})
			})
		},
		"by a reconciliation an hour later": func(b *fixture, o *order, f venues.Fill) {
			stored := b.recordedFills()
			b.now = b.now.Add(2 * position.UnattributedKeep)
			b.step(func(step stepContext) { b.state.positions.EvictUnattributed(step.now) })
			b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusFilled, "1")) })
			b.reconciled(reconcileDone{fills: []venues.Fill{f}, unattributed: stored})
		},
		"while the store cannot say that it has it": func(b *fixture, o *order, f venues.Fill) {
			stored := b.recordedFills()
			b.now = b.now.Add(2 * position.UnattributedKeep)
			b.step(func(step stepContext) { b.state.positions.EvictUnattributed(step.now) })
			b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusFilled, "1")) })
			for _, read := range []fillsDone{
				{orderID: o.OrderID, fills: []venues.Fill{f}, err: persistence.ErrUnavailable},
				{orderID: o.OrderID, fills: []venues.Fill{f}, unattributed: stored},
			} {
				b.step(func(step stepContext) { b.state.fillsFetched(step, read) })
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			o := b.place(limitOrder("r1"))
			b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: errTimeout}) })
			f := *o.fill("t1", "1", "60000")
			b.foreignFill(f)
			report(b, o, f)
			b.wantCountedOnce(o)
		})
	}
}

// TestAttributedExecutionTakesItsOrdersReason: a stop has closed the position, which is
// known once its execution is attributed to it.
func TestAttributedExecutionTakesItsOrdersReason(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Buy, "1", "100", nil)
	b.now = b.now.Add(2 * time.Second)
	in := limitOrder("r1")
	in.cmd.Side, in.cmd.ReduceOnly = venues.Sell, true
	in.cmd.Type, in.cmd.TriggerPrice = venues.TypeStopLimit, venues.Some(venues.MustDecimal("59000"))
	in.cmd.Comment = "out"
	o := b.open(in, venues.StatusUntriggered)
	b.step(func(stepContext) { // under another number
		b.state.evict(o)
		delete(b.state.byVenue, venueKey{symbol: o.Symbol, id: o.VenueOrderID})
		b.state.orders[o.OrderID], b.state.live[o.OrderID] = o, o
	})
	b.foreignFill(*o.fill("t1", "1", "110"))
	r := o.reportWith(venues.StatusFilled, "1")
	r.Fill = o.fill("t1", "1", "110")
	b.step(func(step stepContext) { b.state.applyReport(step, o, r) })
	b.pass(position.DisputeMax)
	if got := b.onlyClosing(); got["reason"] != string(venues.ClosedStopLoss) || got["realizedPnl"] != "10" {
		t.Fatalf("closing = %v, want reason %s and P&L 10", got, venues.ClosedStopLoss)
	}
}
