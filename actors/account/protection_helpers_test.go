package account

import (
	"encoding/json"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// attaching are the capabilities of a venue that attaches protection to orders.
var attaching = venues.Capabilities{AttachedProtection: true}

// protectedLimitOrder is limitOrder with a stop loss at 58000 and a take profit at
// 65000.
func protectedLimitOrder() placeOrder {
	in := limitOrder("r1")
	in.cmd.StopLoss = venues.Some(venues.MustDecimal("58000"))
	in.cmd.TakeProfit = venues.Some(venues.MustDecimal("65000"))
	return in
}

// fillEntry opens a protected order and fills some of it.
func (b *fixture) fillEntry(qty string) *order {
	b.t.Helper()
	o := b.open(protectedLimitOrder(), venues.StatusOpen)
	b.fillMore(o, "t1", qty)
	return o
}

// fillMore reports an execution of an order.
func (b *fixture) fillMore(o *order, trade, qty string) {
	total := o.FilledQty.Add(venues.MustDecimal(qty))
	r := o.reportWith(venues.StatusPartiallyFilled, total.String())
	if total.Equal(o.Qty) {
		r.Status = venues.StatusFilled
	}
	r.Fill = o.fill(trade, qty, "60000")
	b.report(r)
}

// report applies a report of the private stream.
func (b *fixture) report(r venues.ExecutionReport) {
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
}

// reportUnknown applies a report of an order that is neither in memory nor stored.
func (b *fixture) reportUnknown(r venues.ExecutionReport) {
	b.t.Helper()
	for _, e := range b.step(func(step stepContext) { b.state.handleReport(step, r) }) {
		if l, unknown := e.(lookUp); unknown {
			b.step(func(step stepContext) { b.state.orderLookedUp(step, lookedUp{report: l.report}) })
		}
	}
}

// placedWithin advances the time and returns the orders that were placed.
func (b *fixture) placedWithin(d time.Duration) []*order {
	var placed []*order
	for _, e := range b.pass(d) {
		if c, ok := e.(callPlace); ok {
			placed = append(placed, b.state.orders[c.orderID])
		}
	}
	return placed
}

// exitOf returns the open exit of an entry; nil if there is none.
func (b *fixture) exitOf(entry *order) *order {
	if exit := entry.Bracket.Exit(); exit != nil {
		return b.state.orders[exit.OrderID]
	}
	return nil
}

// accept answers the requests that place legs with reports that they are live.
func (b *fixture) accept(legs ...*order) {
	for _, leg := range legs {
		b.step(func(step stepContext) {
			b.state.placed(step, placeDone{orderID: leg.OrderID, report: leg.reportWith(venues.StatusUntriggered, "0")})
		})
	}
}

// rejectPlace answers the request that places an order with a rejection.
func (b *fixture) rejectPlace(o *order, reason string) {
	b.answerPlace(o, venues.Errorf(venues.CodeOrderRejected, "no").With("reason", reason))
}

// answerPlace answers the request that places an order with an error.
func (b *fixture) answerPlace(o *order, err error) {
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: err}) })
}

// failCancel answers a cancel that was not sent.
func (b *fixture) failCancel(o *order) {
	b.step(func(step stepContext) { b.state.cancelled(step, cancelDone{orderID: o.OrderID, err: errPoolFull}) })
}

// endEarly ends a triggered leg with less than its quantity filled.
func (b *fixture) endEarly(leg *order, end venues.OrderStatus, filled string) {
	b.report(leg.endedEarly(end, filled))
}

// endedEarly is the report of an order that ends with less than its quantity filled.
func (o *order) endedEarly(end venues.OrderStatus, filled string) venues.ExecutionReport {
	r := o.reportWith(end, filled)
	if r.FilledQty.IsPositive() {
		r.Fill = o.fill("t-"+o.OrderID, filled, "58000")
	}
	return r
}

// protectedEntry fills some of a protected order and accepts both legs.
func (b *fixture) protectedEntry(qty string) (o *order, legs []*order) {
	b.t.Helper()
	o = b.fillEntry(qty)
	b.reportPosition(qty)
	legs = b.placedWithin(time.Second)
	b.accept(legs...)
	return o, legs
}

// growEntry fills more of a protected order and accepts the legs that follow.
func (b *fixture) growEntry(o *order, trade, qty string) []*order {
	b.fillMore(o, trade, qty)
	legs := b.placedWithin(time.Second)
	b.accept(legs...)
	return legs
}

// reportPosition applies an event of the long position.
func (b *fixture) reportPosition(qty string) {
	p := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal(qty)}
	b.step(func(step stepContext) { b.state.positionReported(step, p) })
}

// readFunds answers a reading of funds with the positions that are known.
func (b *fixture) readFunds() { b.readPositions(b.state.positions.Listed()...) }

// readPositions answers a reading of funds with positions.
func (b *fixture) readPositions(list ...venues.Position) {
	b.step(func(step stepContext) {
		b.state.fundsRead(step, fundsDone{part: bothParts, funds: Funds{Positions: list, ReadAt: b.now}})
	})
}

// longPosition is what the venue lists of a long position.
func longPosition(qty string) []venues.Position {
	if d := venues.MustDecimal(qty); d.IsPositive() {
		return []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: d}}
	}
	return nil
}

// attachedLeg is the report of a leg that the venue made itself.
func attachedLeg(number string, o *order, a venues.Attachment, status venues.OrderStatus, filled string) venues.ExecutionReport {
	r := venues.ExecutionReport{
		Symbol: o.Symbol, VenueOrderID: number, Side: o.Side.Opposite(), Type: venues.TypeStopMarket, Status: status,
		Qty: o.Qty, FilledQty: venues.MustDecimal(filled), ReduceOnly: true, Attachment: &a,
	}
	if a.StopLoss.Valid {
		r.TriggerPrice = a.StopLoss
	} else {
		r.TriggerPrice = a.TakeProfit
	}
	return r
}

func stopLeg(o *order) venues.Attachment {
	return venues.Attachment{EntryClientID: o.ClientOrderID, WholePosition: true, StopLoss: o.StopLoss}
}

func profitLeg(o *order) venues.Attachment {
	return venues.Attachment{EntryClientID: o.ClientOrderID, WholePosition: true, TakeProfit: o.TakeProfit}
}

func bothLegs(o *order) venues.Attachment {
	return venues.Attachment{EntryClientID: o.ClientOrderID, StopLoss: o.StopLoss, TakeProfit: o.TakeProfit}
}

// journalCount returns the number of journal rows of a kind.
func (b *fixture) journalCount(kind string) int {
	n := 0
	for _, entry := range b.journal {
		if entry.Kind == "order."+kind {
			n++
		}
	}
	return n
}

// triggerEvents returns kind and trigger price of the events stop.triggered.
func (b *fixture) triggerEvents() []string {
	var kinds []string
	for _, e := range b.events {
		if e.Type == persistence.EventStopTriggered {
			var data struct{ Kind, TriggerPrice string }
			if err := json.Unmarshal(e.Data, &data); err != nil {
				b.t.Fatal(err)
			}
			kinds = append(kinds, data.Kind+" "+data.TriggerPrice)
		}
	}
	return kinds
}

// wantWithdrawn checks that the legs are being cancelled.
func wantWithdrawn(t testing.TB, legs ...*order) {
	t.Helper()
	for _, leg := range legs {
		if leg.PendingAction != venues.PendingCancel {
			t.Errorf("pending action of the %s of %s = %q, want %q", leg.Protects, leg.Qty, leg.PendingAction, venues.PendingCancel)
		}
	}
}

func wantLegs(t testing.TB, o *order, stop, profit venues.ProtectionStatus) {
	t.Helper()
	if gotStop, gotProfit := o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status; gotStop != stop || gotProfit != profit {
		t.Fatalf("stop loss %s, take profit %s, want %s, %s", gotStop, gotProfit, stop, profit)
	}
}

// wantPlaced checks the sizes of orders that were placed.
func wantPlaced(t testing.TB, placed []*order, sizes ...string) {
	t.Helper()
	isEqual := len(placed) == len(sizes)
	var got []string
	for i, o := range placed {
		got = append(got, string(o.Protects)+" "+o.Qty.String())
		isEqual = isEqual && i < len(sizes) && o.Qty.Equal(venues.MustDecimal(sizes[i]))
	}
	if !isEqual {
		t.Fatalf("orders placed = %v, want sizes %v", got, sizes)
	}
}

// wantExit checks that an entry is being closed by an order of a size, and returns it.
func (b *fixture) wantExit(entry *order, qty string) *order {
	b.t.Helper()
	exit := b.exitOf(entry)
	if exit == nil || exit.Type != venues.TypeMarket || !exit.ReduceOnly || !exit.Qty.Equal(venues.MustDecimal(qty)) {
		b.t.Fatalf("exit = %+v, want a reduce-only market order of %s", exit, qty)
	}
	return exit
}

// wantDone checks that no order follows within a minute, and no alarm.
func (b *fixture) wantDone() {
	b.t.Helper()
	wantPlaced(b.t, b.placedWithin(time.Minute))
	if got := b.journalCount("unprotected"); got != 0 {
		b.t.Fatalf("%d alarms, want none", got)
	}
}

// wantStopLoss checks that the stop loss is live at a price, as the order of the
// entry's size with that trigger, and that no other stop is left.
func (b *fixture) wantStopLoss(o *order, price string) {
	b.t.Helper()
	plan := o.Protection.StopLoss
	if plan.Status != venues.ProtectionLive || !plan.Price.Equal(venues.MustDecimal(price)) || !venues.EqualOptional(o.StopLoss, venues.Some(plan.Price)) {
		b.t.Fatalf("stop loss %s at %s, requested at %s, want live at %s", plan.Status, plan.Price, o.StopLoss.Decimal, price)
	}
	for _, leg := range b.state.allInOrder() {
		switch {
		case leg.Protects != venues.LegStopLoss || leg.Status != venues.StatusUntriggered || leg.Withdrawn:
		case leg.OrderID != plan.OrderID || !leg.TriggerPrice.Decimal.Equal(plan.Price) || !leg.Qty.Equal(o.QtyToProtect()):
			b.t.Fatalf("open stop %s of %s at %s, want only %s of %s at %s", leg.OrderID, leg.Qty, leg.TriggerPrice.Decimal, plan.OrderID, o.QtyToProtect(), plan.Price)
		}
	}
}
