package account

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/actors/account/protection"
	"venuegate/persistence"
	"venuegate/venues"
)

// scriptedVenue is a venue whose answers and their times are chosen by a test.
type scriptedVenue struct {
	*fixture
	// requests are the places and cancels that are not answered.
	requests []effect
	// coveredAt is when each twentieth of the entry was last covered by a stop loss,
	// closed, or not filled yet. The oldest are covered and closed first.
	coveredAt [20]time.Time
}

func (v *scriptedVenue) pass(d time.Duration) { v.receive(v.fixture.pass(d)) }

func (v *scriptedVenue) step(f func(step stepContext)) { v.receive(v.fixture.step(f)) }

func (v *scriptedVenue) report(r venues.ExecutionReport) {
	v.step(func(step stepContext) { v.state.handleReport(step, r) })
}

// receive keeps the places and cancels among effects.
func (v *scriptedVenue) receive(effects []effect) {
	for _, e := range effects {
		switch e.(type) {
		case callPlace, callCancel:
			v.requests = append(v.requests, e)
		}
	}
}

// take removes a request.
func (v *scriptedVenue) take(i int) effect {
	e := v.requests[i]
	v.requests = slices.Delete(slices.Clone(v.requests), i, i+1)
	return e
}

// left returns the open quantity of an entry by the records of all incarnations.
func (v *scriptedVenue) left(o *order) decimal.Decimal {
	open := o.FilledQty
	for _, r := range v.puts {
		if leg, ok := r.(persistence.OrderRecord); ok && leg.EntryOrderID == o.OrderID {
			open = open.Sub(leg.FilledQty)
		}
	}
	return open
}

// positions is the venue's list of positions.
func (v *scriptedVenue) positions(o *order) []venues.Position {
	return longPosition(v.left(o).String())
}

// trigger reports that a leg was triggered and has closed as much as is open.
func (v *scriptedVenue) trigger(o, leg *order) {
	qty := decimal.Min(v.left(o), leg.Qty)
	if leg.Status == venues.StatusUntriggered && qty.IsPositive() {
		v.report(executed(leg, "r", qty, "58000"))
	}
}

// executed is the report of an order that closes a quantity and ends.
func executed(o *order, trade string, qty decimal.Decimal, price string) venues.ExecutionReport {
	r := o.reportWith(venues.StatusFilled, qty.String())
	if qty.LessThan(o.Qty) {
		r.Status = venues.StatusExpired
	}
	r.Fill = o.fill(trade+o.OrderID, qty.String(), price)
	return r
}

// triggerThin reports that a leg was triggered in a thin market: it is filled partially and
// ended by the venue.
func (v *scriptedVenue) triggerThin(o, leg *order, qty string, end venues.OrderStatus) {
	if leg.Status != venues.StatusUntriggered || !decimal.Min(v.left(o), leg.Qty).GreaterThan(venues.MustDecimal(qty)) {
		return
	}
	v.report(leg.reportWith(venues.StatusOpen, "0"))
	v.report(leg.endedEarly(end, qty))
}

// executeExit answers the request of an exit.
func (v *scriptedVenue) executeExit(entry, exit *order) {
	done := placeDone{orderID: exit.OrderID, err: venues.Errorf(venues.CodeOrderRejected, "no").With("reason", venues.ReasonNoPosition)}
	if qty := decimal.Min(v.left(entry), exit.Qty); qty.IsPositive() {
		done = placeDone{orderID: exit.OrderID, report: executed(exit, "x", qty, "60000")}
	}
	v.step(func(step stepContext) { v.state.placed(step, done) })
}

// answer accepts or rejects a request.
func (v *scriptedVenue) answer(e effect, accept bool) {
	rejection := venues.Errorf(venues.CodeOrderRejected, "no")
	switch call := e.(type) {
	case callPlace:
		o := v.state.orders[call.orderID]
		done := placeDone{orderID: o.OrderID, err: rejection}
		switch {
		case accept && !o.Type.IsStop():
			v.executeExit(v.state.orders[o.EntryOrderID], o)
			return
		case accept:
			done = placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusUntriggered, "0")}
		}
		v.step(func(step stepContext) { v.state.placed(step, done) })
	case callCancel:
		o := v.state.orders[call.orderID]
		done := cancelDone{orderID: o.OrderID, err: errors.Join(errPoolFull, rejection)}
		if accept && !o.Status.IsClosed() {
			done = cancelDone{orderID: o.OrderID, report: o.reportWith(venues.StatusCancelled, o.FilledQty.String())}
		}
		v.step(func(step stepContext) { v.state.cancelled(step, done) })
	}
}

// fillQuarter fills a quarter of the entry.
func (v *scriptedVenue) fillQuarter(o *order, n int) {
	v.fillMore(o, string(rune('a'+n)), "0.25")
	v.receive(v.effects)
}

// acceptAll accepts every request for a while, reports the open legs again as a
// reconciliation does, and lists what is open.
func (v *scriptedVenue) acceptAll(o *order) {
	for range 60 {
		for len(v.requests) > 0 {
			v.answer(v.take(0), true)
		}
		for _, leg := range v.state.allInOrder() {
			if leg.Status == venues.StatusUntriggered {
				v.report(leg.reportWith(venues.StatusUntriggered, "0"))
			}
		}
		funds := Funds{ReadAt: v.now, Positions: v.positions(o)}
		v.step(func(step stepContext) { v.state.fundsRead(step, fundsDone{part: bothParts, funds: funds}) })
		v.pass(time.Second)
	}
}

// restartAt restarts the account and returns its entry, nil if it is finished. Each
// request under way has reached the venue, or is rejected.
func (v *scriptedVenue) restartAt(rt *rapid.T, o *order) *order {
	v.fixture = v.reload()
	v.state.ready = false
	v.requests = nil
	v.receive(v.pendingEffects)
	for _, sent := range v.state.unfinished() {
		switch entry := v.state.orders[sent.EntryOrderID]; {
		case sent.Status != venues.StatusUnknown:
		case entry != nil && !sent.Type.IsStop() && v.left(entry).IsPositive() && rapid.Bool().Draw(rt, "closed"):
			v.report(executed(sent, "x", decimal.Min(v.left(entry), sent.Qty), "60000"))
		case sent.Type.IsStop() && rapid.Bool().Draw(rt, "placed"):
			v.report(sent.reportWith(venues.StatusUntriggered, "0"))
		default:
			v.report(sent.reportWith(venues.StatusRejected, "0"))
		}
	}
	funds := Funds{ReadAt: v.now, Positions: v.positions(o)}
	v.step(func(step stepContext) {
		v.state.reconciled(step, reconcileDone{startedAt: step.now, funds: funds})
	})
	for i := range v.coveredAt { // the time until an alarm starts again
		v.coveredAt[i] = v.now
	}
	if left := v.left(o); v.state.orders[o.OrderID] == nil && left.IsPositive() {
		rt.Fatalf("the entry is not loaded with %s open, stop loss %s, take profit %s, want it loaded", left, o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status)
	}
	return v.state.orders[o.OrderID]
}

// TestProtectionMatchesTheFills rejects requests at random and answers them in any
// order. Once the venue accepts everything each kind has one leg of the size that was
// filled, or everything is closed.
func TestProtectionMatchesTheFills(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := &scriptedVenue{fixture: newFixture(t, venues.Capabilities{})}
		o := v.open(protectedLimitOrder(), venues.StatusOpen)
		fills := 0
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch what := rapid.IntRange(0, 4).Draw(rt, "what"); {
			case what == 0 && o.FilledQty.LessThan(o.Qty):
				fills++
				v.fillQuarter(o, fills)
			case what == 1:
				v.pass(time.Duration(rapid.IntRange(10, 1500).Draw(rt, "ms")) * time.Millisecond)
			case len(v.requests) > 0:
				e := v.take(rapid.IntRange(0, len(v.requests)-1).Draw(rt, "which"))
				v.answer(e, what != 2)
			}
		}
		v.acceptAll(o)
		v.checkMatchesFills(rt, o)
	})
}

// TestNothingIsLeftUnprotected triggers legs, moves the stop loss and restarts the
// account at random. What is unprotected for too long raises an alarm. In the end what
// is open has legs of its size at the price of the record, and there is no other leg.
func TestNothingIsLeftUnprotected(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := &scriptedVenue{fixture: newFixture(t, venues.Capabilities{})}
		o := v.open(protectedLimitOrder(), venues.StatusOpen)
		fills := 0
		drawLeg := func() *order {
			all := v.state.allInOrder()
			return all[rapid.IntRange(0, len(all)-1).Draw(rt, "leg")]
		}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			v.checkAlarmed(rt, o)
			switch what := rapid.IntRange(0, 8).Draw(rt, "what"); {
			case what == 8:
				v.moveStops(o, stopAt(rapid.SampledFrom([]string{"57000", "58000", "59000"}).Draw(rt, "stop")))
				v.receive(v.effects)
			case what == 7:
				if o = v.restartAt(rt, o); o == nil {
					return // nothing was open
				}
			case what == 0 && o.FilledQty.LessThan(o.Qty) && !o.Status.IsClosed():
				fills++
				v.fillQuarter(o, fills)
			case what == 1:
				v.pass(time.Duration(rapid.IntRange(10, 4000).Draw(rt, "ms")) * time.Millisecond)
			case what == 2:
				if leg := drawLeg(); leg != o {
					v.trigger(o, leg)
				}
			case what == 6:
				if leg := drawLeg(); leg != o {
					end := rapid.SampledFrom([]venues.OrderStatus{venues.StatusExpired, venues.StatusCancelled}).Draw(rt, "end")
					v.triggerThin(o, leg, rapid.SampledFrom([]string{"0", "0.05"}).Draw(rt, "found"), end)
				}
			case len(v.requests) > 0:
				e := v.take(rapid.IntRange(0, len(v.requests)-1).Draw(rt, "which"))
				v.answer(e, what != 3)
			}
		}
		v.acceptAll(o)
		for _, kind := range protection.Kinds() {
			if open, covered := v.left(o), v.covered(o, kind); !covered.Equal(open) {
				rt.Fatalf("%s covers %s (%s, closing = %t), want the %s open of %s filled", kind, covered, o.Protection.Leg(kind).Status, o.Bracket.IsClosing(), open, o.FilledQty)
			}
			v.checkPrices(rt, o, kind)
		}
		if o.Status.IsClosed() && o.Unfinished() == v.left(o).IsZero() {
			rt.Fatalf("unfinished = %t with %s open, want %t", o.Unfinished(), v.left(o), !o.Unfinished())
		}
	})
}

// checkAlarmed checks that what was filled and is unprotected for too long has raised
// an alarm, or is being closed.
func (v *scriptedVenue) checkAlarmed(rt *rapid.T, o *order) {
	covered := o.FilledQty.Sub(v.left(o)).Add(v.covered(o, venues.LegStopLoss))
	for i, since := range v.coveredAt {
		filled := venues.MustDecimal("0.05").Mul(decimal.NewFromInt(int64(i + 1)))
		if filled.GreaterThan(o.FilledQty) || filled.LessThanOrEqual(covered) {
			v.coveredAt[i] = v.now
			continue
		}
		if d := v.now.Sub(since); d > DefaultAlarmAfter+protection.GatherDelay && o.Bracket.AlarmedAt().IsZero() && !o.Bracket.IsClosing() {
			rt.Fatalf("no alarm after %s with %s open and stop loss %s, want one", d, v.left(o), o.Protection.StopLoss.Status)
		}
	}
}

// covered returns the quantity of the open legs of a kind.
func (v *scriptedVenue) covered(o *order, kind venues.LegKind) decimal.Decimal {
	qty := decimal.Zero
	for _, leg := range v.state.allInOrder() {
		if leg.EntryOrderID == o.OrderID && leg.Protects == kind && leg.Status == venues.StatusUntriggered {
			qty = qty.Add(leg.Qty)
		}
	}
	return qty
}

// checkPrices checks that open legs are at the price of the record, and that no move
// is pending.
func (v *scriptedVenue) checkPrices(rt *rapid.T, o *order, kind venues.LegKind) {
	plan := o.Protection.Leg(kind)
	for _, leg := range v.state.allInOrder() {
		if leg.EntryOrderID == o.OrderID && leg.Protects == kind && leg.Status == venues.StatusUntriggered && !leg.TriggerPrice.Decimal.Equal(plan.Price) {
			rt.Fatalf("%s at %s, want %s (%s)", kind, leg.TriggerPrice.Decimal, plan.Price, plan.Status)
		}
	}
	if o.PendingAction == venues.PendingAmend {
		rt.Fatalf("pending action = %q with %s %s, want no move pending", o.PendingAction, kind, plan.Status)
	}
}

func (v *scriptedVenue) checkMatchesFills(rt *rapid.T, o *order) {
	sizes := map[venues.LegKind][]decimal.Decimal{}
	closed := decimal.Zero
	for _, leg := range v.state.allInOrder() {
		switch {
		case leg.EntryOrderID == "":
		case !leg.Type.IsStop():
			closed = closed.Add(leg.FilledQty)
		case !leg.Status.IsClosed():
			sizes[leg.Protects] = append(sizes[leg.Protects], leg.Qty)
		}
	}
	for _, kind := range protection.Kinds() {
		switch {
		case o.Bracket.IsClosing() && (len(sizes[kind]) != 0 || !closed.Equal(o.FilledQty)):
			rt.Fatalf("%s closed with %s legs %s, want all of %s and none", closed, kind, sizes[kind], o.FilledQty)
		case !o.Bracket.IsClosing() && o.FilledQty.IsPositive() && (len(sizes[kind]) != 1 || !sizes[kind][0].Equal(o.FilledQty)):
			rt.Fatalf("%s legs %s (%s), want one of %s", kind, sizes[kind], o.Protection.Leg(kind).Status, o.FilledQty)
		}
	}
}
