package account

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/venues"
)

// moodyVenue answers what was asked of it when and how a test
// wants it.
type moodyVenue struct {
	*bench
	asks []effect
	// coveredAt is when each twentieth of the entry was last covered by a stop loss,
	// closed, or not filled yet. The oldest are covered and closed first.
	coveredAt [20]time.Time
}

func (v *moodyVenue) pass(d time.Duration) { v.asks = append(v.asks, v.bench.pass(d)...) }

func (v *moodyVenue) step(f func(m moment)) {
	v.bench.step(f)
	v.asks = append(v.asks, v.asked...)
}

// take removes an open question.
func (v *moodyVenue) take(i int) effect {
	e := v.asks[i]
	v.asks = append(v.asks[:i:i], v.asks[i+1:]...)
	return e
}

// drop forgets what is no question to the venue about an order.
func (v *moodyVenue) drop() {
	open := v.asks[:0:0]
	for _, e := range v.asks {
		switch e.(type) {
		case callPlace, callCancel:
			open = append(open, e)
		}
	}
	v.asks = open
}

// left is what is open of an entry.
func (v *moodyVenue) left(o *order) decimal.Decimal {
	open := o.FilledQty
	for _, r := range v.puts { // of every incarnation
		if leg, ok := r.(persistence.OrderRecord); ok && leg.EntryOrderID == o.OrderID {
			open = open.Sub(leg.FilledQty)
		}
	}
	return open
}

// reach lets the market come to a leg: it closes what is open, and no more.
func (v *moodyVenue) reach(o, leg *order) {
	qty := decimal.Min(v.left(o), leg.Qty)
	if leg.Status != venues.StatusUntriggered || !qty.IsPositive() {
		return
	}
	r := leg.says(venues.StatusFilled, qty.String())
	if qty.LessThan(leg.Qty) {
		r.Status = venues.StatusExpired
	}
	r.Fill = leg.fill("r"+leg.OrderID, qty.String(), "58000")
	v.step(func(m moment) { v.state.report(m, r) })
}

// starves lets the market come to a leg that nobody takes, or not the whole of: the
// venue cuts it short.
func (v *moodyVenue) starves(o, leg *order, qty string, end venues.OrderStatus) {
	if leg.Status != venues.StatusUntriggered || !decimal.Min(v.left(o), leg.Qty).GreaterThan(venues.MustDecimal(qty)) {
		return
	}
	v.step(func(m moment) { v.state.report(m, leg.says(venues.StatusOpen, "0")) })
	v.cutsShort(leg, end, qty)
	v.asks = append(v.asks, v.asked...)
}

// exits answers an order that closes at once.
func (v *moodyVenue) exits(entry, out *order) {
	qty := decimal.Min(v.left(entry), out.Qty)
	if !qty.IsPositive() {
		v.refuse(out, venues.ReasonNoPosition)
		v.asks = append(v.asks, v.asked...)
		return
	}
	r := out.says(venues.StatusFilled, qty.String())
	if qty.LessThan(out.Qty) {
		r.Status = venues.StatusExpired
	}
	r.Fill = out.fill("x"+out.OrderID, qty.String(), "60000")
	v.step(func(m moment) { v.state.placed(m, placeDone{orderID: out.OrderID, report: r}) })
}

// answer says yes or no to a question.
func (v *moodyVenue) answer(e effect, yes bool) {
	no := venues.Errorf(venues.CodeOrderRejected, "no")
	switch ask := e.(type) {
	case callPlace:
		o := v.state.orders[ask.orderID]
		done := placeDone{orderID: o.OrderID, err: no}
		switch {
		case yes && !o.Type.IsStop():
			v.exits(v.state.orders[o.EntryOrderID], o)
			return
		case yes:
			done = placeDone{orderID: o.OrderID, report: o.says(venues.StatusUntriggered, "0")}
		}
		v.step(func(m moment) { v.state.placed(m, done) })
	case callCancel:
		o := v.state.orders[ask.orderID]
		done := cancelDone{orderID: o.OrderID, err: errors.Join(errPoolFull, no)}
		if yes && !o.Status.IsClosed() {
			done = cancelDone{orderID: o.OrderID, report: o.says(venues.StatusCancelled, o.FilledQty.String())}
		}
		v.step(func(m moment) { v.state.cancelled(m, done) })
	}
}

// TestProtectionMatchesThePositionInTheEnd: whatever the venue refuses and in
// whatever order it answers, once it says yes again each kind has one protecting
// order of the size that was filled, or everything was closed.
func TestProtectionMatchesThePositionInTheEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := &moodyVenue{bench: newBench(t, venues.Capabilities{})}
		o := v.open(protectedOrder(), venues.StatusOpen)
		fills := 0
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			v.drop()
			switch what := rapid.IntRange(0, 4).Draw(rt, "what"); {
			case what == 0 && o.FilledQty.LessThan(o.Qty):
				fills++
				v.fillMore(o, string(rune('a'+fills)), "0.25")
				v.asks = append(v.asks, v.asked...)
			case what == 1:
				v.pass(time.Duration(rapid.IntRange(10, 1500).Draw(rt, "ms")) * time.Millisecond)
			case len(v.asks) > 0:
				e := v.take(rapid.IntRange(0, len(v.asks)-1).Draw(rt, "which"))
				v.answer(e, what != 2)
			}
		}
		v.calmsDown(o)
		checkProtected(rt, v, o)
	})
}

// calmsDown says yes to everything for a while, and lists what is open.
func (v *moodyVenue) calmsDown(o *order) {
	for range 60 {
		v.drop()
		for len(v.asks) > 0 {
			v.answer(v.take(0), true)
			v.drop()
		}
		for _, leg := range v.state.inOrder() { // as a reconciliation would
			if leg.Status == venues.StatusUntriggered {
				v.step(func(m moment) { v.state.report(m, leg.says(venues.StatusUntriggered, "0")) })
			}
		}
		funds := Funds{ReadAt: v.now}
		if left := v.left(o); left.IsPositive() {
			funds.Positions = []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: left}}
		}
		v.step(func(m moment) { v.state.fundsRead(m, fundsDone{funds: funds}) })
		v.pass(time.Second)
	}
}

// dies lets the next incarnation go on with what is stored. What was on its way has
// reached the venue, or is refused.
func (v *moodyVenue) dies(rt *rapid.T, o *order) *order {
	v.bench = v.reload()
	v.state.ready = false
	v.asks = slices.Clone(v.unanswered)
	for _, sent := range v.state.unfinished() {
		switch entry := v.state.orders[sent.EntryOrderID]; {
		case sent.Status != venues.StatusUnknown:
		case entry != nil && !sent.Type.IsStop() && v.left(entry).IsPositive() && rapid.Bool().Draw(rt, "closed"):
			r := sent.says(venues.StatusFilled, decimal.Min(v.left(entry), sent.Qty).String())
			if r.FilledQty.LessThan(sent.Qty) {
				r.Status = venues.StatusExpired
			}
			r.Fill = sent.fill("x"+sent.OrderID, r.FilledQty.String(), "60000")
			v.step(func(m moment) { v.state.report(m, r) })
		case sent.Type.IsStop() && rapid.Bool().Draw(rt, "placed"):
			v.step(func(m moment) { v.state.report(m, sent.says(venues.StatusUntriggered, "0")) })
		default:
			v.step(func(m moment) { v.state.report(m, sent.says(venues.StatusRejected, "0")) })
		}
	}
	funds := Funds{ReadAt: v.now}
	if left := v.left(o); left.IsPositive() {
		funds.Positions = []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long, Qty: left}}
	}
	v.step(func(m moment) {
		v.state.reconciled(m, reconcileDone{startedAt: m.now, funds: funds})
	})
	for i := range v.coveredAt { // the time to an alarm begins anew
		v.coveredAt[i] = v.now
	}
	if left := v.left(o); v.state.orders[o.OrderID] == nil && left.IsPositive() {
		rt.Fatalf("%s open of an entry that is not read again: stop loss %s, take profit %s", left, o.Protection.StopLoss.Status, o.Protection.TakeProfit.Status)
	}
	return v.state.orders[o.OrderID]
}

// TestNothingIsLeftNaked: legs are reached at any moment, also while their entry goes
// on filling, the stop loss is moved at any, and the service is started anew at any.
// What is naked for too long is an alarm; in the end what is open has legs of its
// size at the price that is told, and what is not none.
func TestNothingIsLeftNaked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := &moodyVenue{bench: newBench(t, venues.Capabilities{})}
		o := v.open(protectedOrder(), venues.StatusOpen)
		fills := 0
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			v.checkAlarmed(rt, o)
			v.drop()
			switch what := rapid.IntRange(0, 8).Draw(rt, "what"); {
			case what == 8:
				v.moves(o, stopAt(rapid.SampledFrom([]string{"57000", "58000", "59000"}).Draw(rt, "stop")))
				v.asks = append(v.asks, v.asked...)
			case what == 7:
				if o = v.dies(rt, o); o == nil {
					return // nothing was open
				}
			case what == 0 && o.FilledQty.LessThan(o.Qty) && !o.Status.IsClosed():
				fills++
				v.fillMore(o, string(rune('a'+fills)), "0.25")
				v.asks = append(v.asks, v.asked...)
			case what == 1:
				v.pass(time.Duration(rapid.IntRange(10, 4000).Draw(rt, "ms")) * time.Millisecond)
			case what == 2:
				all := v.state.inOrder()
				if leg := all[rapid.IntRange(0, len(all)-1).Draw(rt, "leg")]; leg != o {
					v.reach(o, leg)
				}
			case what == 6:
				all := v.state.inOrder()
				if leg := all[rapid.IntRange(0, len(all)-1).Draw(rt, "leg")]; leg != o {
					end := rapid.SampledFrom([]venues.OrderStatus{venues.StatusExpired, venues.StatusCancelled}).Draw(rt, "end")
					v.starves(o, leg, rapid.SampledFrom([]string{"0", "0.05"}).Draw(rt, "found"), end)
				}
			case len(v.asks) > 0:
				e := v.take(rapid.IntRange(0, len(v.asks)-1).Draw(rt, "which"))
				v.answer(e, what != 3)
			}
		}
		v.calmsDown(o)
		for _, kind := range protecting() {
			if open, waits := v.left(o), v.waiting(o, kind); !waits.Equal(open) {
				rt.Fatalf("%s filled, %s open, %s of %s (%s, closing %t)", o.FilledQty, open, kind, waits, o.Protection.Leg(kind).Status, o.guard.closing)
			}
			v.checkPrices(rt, o, kind)
		}
		if o.Status.IsClosed() && o.Unfinished() == v.left(o).IsZero() {
			rt.Fatalf("%s open, still looked after %t", v.left(o), o.Unfinished())
		}
	})
}

// checkAlarmed wants an alarm, or the position on its way to be closed, once
// something that was filled has been naked for so long.
func (v *moodyVenue) checkAlarmed(rt *rapid.T, o *order) {
	covered := o.FilledQty.Sub(v.left(o)).Add(v.waiting(o, venues.ProtectingStopLoss))
	for i, since := range v.coveredAt {
		filled := venues.MustDecimal("0.05").Mul(decimal.NewFromInt(int64(i + 1)))
		if filled.GreaterThan(o.FilledQty) || filled.LessThanOrEqual(covered) {
			v.coveredAt[i] = v.now
			continue
		}
		if naked := v.now.Sub(since); naked > DefaultAlarmAfter+protectSettle && o.guard.alarmedAt.IsZero() && !o.guard.closing {
			rt.Fatalf("%s open, something of it naked for %s, and nobody says so (%s)", v.left(o), naked, o.Protection.StopLoss.Status)
		}
	}
}

// waiting is how much the waiting legs of a kind are for.
func (v *moodyVenue) waiting(o *order, kind venues.Protecting) decimal.Decimal {
	qty := decimal.Zero
	for _, leg := range v.state.inOrder() {
		if leg.EntryOrderID == o.OrderID && leg.Protects == kind && leg.Status == venues.StatusUntriggered {
			qty = qty.Add(leg.Qty)
		}
	}
	return qty
}

// checkPrices wants what waits to wait where the entry says, and nothing to be left of
// a move.
func (v *moodyVenue) checkPrices(rt *rapid.T, o *order, kind venues.Protecting) {
	plan := o.Protection.Leg(kind)
	for _, leg := range v.state.inOrder() {
		if leg.EntryOrderID == o.OrderID && leg.Protects == kind && leg.Status == venues.StatusUntriggered && !leg.TriggerPrice.Decimal.Equal(plan.Price) {
			rt.Fatalf("a %s waits at %s and is told at %s (%s)", kind, leg.TriggerPrice.Decimal, plan.Price, plan.Status)
		}
	}
	if o.PendingAction == venues.PendingAmend {
		rt.Fatalf("a change is pending for ever: %s is %s", kind, plan.Status)
	}
}

func checkProtected(rt *rapid.T, v *moodyVenue, o *order) {
	sizes := map[venues.Protecting][]decimal.Decimal{}
	closed := decimal.Zero
	for _, leg := range v.state.inOrder() {
		switch {
		case leg.EntryOrderID == "":
		case !leg.Type.IsStop():
			closed = closed.Add(leg.FilledQty)
		case !leg.Status.IsClosed():
			sizes[leg.Protects] = append(sizes[leg.Protects], leg.Qty)
		}
	}
	for _, kind := range protecting() {
		switch {
		case o.guard.closing && (len(sizes[kind]) != 0 || !closed.Equal(o.FilledQty)):
			rt.Fatalf("%s filled, %s closed, and %s left of %s", o.FilledQty, closed, sizes[kind], kind)
		case !o.guard.closing && o.FilledQty.IsPositive() && (len(sizes[kind]) != 1 || !sizes[kind][0].Equal(o.FilledQty)):
			rt.Fatalf("%s filled, protected by %s of %s (%s)", o.FilledQty, sizes[kind], kind, o.Protection.Leg(kind).Status)
		}
	}
}
