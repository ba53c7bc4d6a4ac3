package account

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/actors/account/position"
	"venuegate/persistence"
	"venuegate/venues"
)

// halted is the record of a halted account.
func halted(at time.Time, flatten bool) persistence.VenueAccount {
	control := persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}
	control.Halt(at, flatten)
	return control
}

// haltWith halts the account and returns the results that the caller receives.
func (b *bench) haltWith(flatten bool) *[]venues.HaltReport {
	var results []venues.HaltReport
	b.step(func(step stepContext) {
		b.state.configure(step, configure{actors.ReplyFunc(func(struct{}, error) {}), halted(b.now, flatten)})
	})
	b.state.awaitHalt(awaitHalt{actors.ReplyFunc(func(r venues.HaltReport, _ error) { results = append(results, r) })})
	return &results
}

// answerSweep answers a reading of the venue's lists.
func (b *bench) answerSweep(open []venues.ExecutionReport, positions ...venues.Position) {
	b.step(func(step stepContext) {
		b.state.swept(step, sweepDone{open: open, funds: Funds{Positions: positions, ReadAt: step.now}, most: map[string]decimal.Decimal{"BTCUSDT": venues.MustDecimal("1.5")}})
	})
	for _, e := range b.effects {
		if r, ok := e.(replyHalt); ok {
			r.to.Send(r.result)
		}
	}
}

func isSweep(e effect) bool { _, ok := e.(callSweep); return ok }

func TestHaltCancelsUntilTheVenueHasNothing(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	results := b.haltWith(false)
	if code(b.tryPlace(func(*placeOrder) {})) != venues.CodeTradingLocked {
		t.Fatal("an increasing order passes")
	}
	effects := b.pass(0)
	if count(effects, isSweep) != 1 || count(effects, isCancel) != 1 {
		t.Fatalf("effects %+v, want one sweep and one cancel", effects)
	}
	b.answerSweep([]venues.ExecutionReport{o.reportWith(venues.StatusOpen, "0")})
	b.confirmCancels(o)
	b.want(o, venues.StatusCancelled, "0")
	if len(*results) != 0 {
		t.Fatal("over before the venue's list is empty")
	}
	if count(b.pass(haltEvery), isSweep) != 1 {
		t.Fatal("the list is not read again")
	}
	b.answerSweep(nil)
	if len(*results) != 1 || !(*results)[0].Done {
		t.Fatalf("%+v", *results)
	}
	if count(b.pass(time.Minute), isSweep) != 0 {
		t.Fatal("the halt continues after it is done")
	}
	b.step(func(step stepContext) {
		b.state.configure(step, configure{Reply: actors.ReplyFunc(func(struct{}, error) {})})
	})
	if rejection := b.tryPlace(func(*placeOrder) {}); rejection != nil {
		t.Fatalf("after it was resumed: %v", rejection)
	}
}

func TestHaltFlattens(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Sell, "2", "100", nil)
	results := b.haltWith(true)
	b.pass(0)
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Short, Qty: venues.MustDecimal("2"), EntryPrice: venues.Some(venues.MustDecimal("100"))}
	var placed []venues.OrderRequest
	closes := func() {
		t.Helper()
		b.answerSweep(nil, open)
		for _, e := range b.effects {
			if c, ok := e.(callPlace); ok {
				placed = append(placed, c.request)
				o := b.state.orders[c.orderID]
				r := o.reportWith(venues.StatusFilled, o.Qty.String())
				r.Fill = o.fill("t"+o.OrderID, o.Qty.String(), "90")
				b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: c.orderID, report: r}) })
				open.Qty = open.Qty.Sub(o.Qty)
			}
		}
		b.pass(haltEvery)
	}
	closes()
	closes()
	if len(placed) != 2 || placed[0].Qty.String() != "1.5" || placed[1].Qty.String() != "0.5" || !placed[0].ReduceOnly || placed[0].Side != venues.Buy {
		t.Fatalf("placed %+v", placed)
	}
	b.answerSweep(nil)
	if len(*results) != 1 || !(*results)[0].Done {
		t.Fatalf("%+v", *results)
	}
	b.pass(position.ConfirmMax)
	b.onlyClosing()
}

func TestHaltGivesUp(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	results := b.haltWith(false)
	for range 100 {
		for _, e := range b.pass(time.Second) {
			switch e := e.(type) {
			case callSweep:
				b.answerSweep([]venues.ExecutionReport{o.reportWith(venues.StatusOpen, "0")})
			case replyHalt:
				e.to.Send(e.result)
			}
		}
	}
	if len(*results) != 1 || (*results)[0].Done || (*results)[0].OpenOrders != 1 {
		t.Fatalf("%+v", *results)
	}
}

func TestHaltContinuesAfterARestart(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	control := halted(b.now, true)
	b.puts[control.Key().String()] = control
	again := b.restart()
	if code(again.tryPlace(func(*placeOrder) {})) != venues.CodeTradingLocked {
		t.Fatal("an increasing order passes")
	}
	if count(again.pass(0), isSweep) != 1 || !again.state.halt.flatten {
		t.Fatal("the halt has ended, want it resumed")
	}
}

// TestFinishedHaltIsNotRunAgain: a position that was opened elsewhere after the halt is
// left open, also after a restart.
func TestFinishedHaltIsNotRunAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	control := halted(b.now, true)
	b.puts[control.Key().String()] = control
	b.haltWith(true)
	b.pass(0)
	b.answerSweep(nil)
	again := b.restart()
	if count(again.pass(time.Minute), isSweep) != 0 {
		t.Fatal("it runs again")
	}
	if code(again.tryPlace(func(*placeOrder) {})) != venues.CodeTradingLocked {
		t.Fatal("an increasing order passes")
	}
	control.Limits.MaxOpenOrders = 5
	again.step(func(step stepContext) {
		again.state.configure(step, configure{actors.ReplyFunc(func(struct{}, error) {}), control})
	})
	if count(again.pass(time.Minute), isSweep) != 0 {
		t.Fatal("other limits have restarted the halt")
	}
	again.now = again.now.Add(time.Second)
	if again.haltWith(true); count(again.pass(0), isSweep) != 1 {
		t.Fatal("a second order to halt is not carried out")
	}
}

// TestHaltThatGaveUpRunsAgain: the halt ran out of time with something still open.
func TestHaltThatGaveUpRunsAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	control := halted(b.now, false)
	b.puts[control.Key().String()] = control
	b.haltWith(false)
	b.pass(2 * haltMax)
	if count(b.restart().pass(0), isSweep) != 1 {
		t.Fatal("the halt is forgotten")
	}
}

// TestOrderThatAppearsAfterAHaltIsCancelled: the outcome of the order was unknown while
// the halt ran.
func TestOrderThatAppearsAfterAHaltIsCancelled(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder(""))
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: errTimeout}) })
	b.haltWith(false)
	b.pass(0)
	b.answerSweep(nil)
	b.step(func(step stepContext) {
		b.state.configure(step, configure{actors.ReplyFunc(func(struct{}, error) {}), halted(b.now, false)})
	})
	b.pass(0)
	b.answerSweep(nil)
	b.state.endHalt(b.stepContext(), true)
	b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusOpen, "0")) })
	b.reconciled(reconcileDone{})
	if o.change.kind != venues.PendingCancel {
		t.Fatalf("it stays %s", o.Status)
	}
}

// TestHaltIsNotDoneWhileAnOutcomeIsUnknown: the order is executed after all, and the
// position that it opens is closed without another command.
func TestHaltIsNotDoneWhileAnOutcomeIsUnknown(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder(""))
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: errTimeout}) })
	results := b.haltWith(true)
	for range 20 {
		if count(b.pass(time.Second), isSweep) > 0 {
			b.answerSweep(nil)
		}
		for _, e := range b.effects {
			if r, ok := e.(replyHalt); ok {
				r.to.Send(r.result)
			}
		}
	}
	if b.state.halt.running || len(*results) > 1 || b.state.halt.result.Done || b.state.halt.result.OpenOrders != 1 {
		t.Fatalf("%+v", b.state.halt.result)
	}
	b.fillWhole(o, "60000")
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: o.Qty}
	b.reconciled(reconcileDone{funds: Funds{Positions: []venues.Position{open}}})
	if count(b.pass(0), isSweep) != 1 {
		t.Fatal("what was opened meanwhile is left open")
	}
	b.answerSweep(nil, open)
	var out *order
	for _, e := range b.effects {
		if c, ok := e.(callPlace); ok {
			out = b.state.orders[c.orderID]
		}
	}
	if out == nil || !out.ReduceOnly || !out.Qty.Equal(o.Qty) {
		t.Fatalf("closed by %+v", out)
	}
	b.fillWhole(out, "60000")
	b.pass(haltEvery)
	b.answerSweep(nil)
	if !b.state.halt.result.Done || b.state.risk.Record().HaltDone.IsZero() {
		t.Fatalf("%+v", b.state.halt.result)
	}
	if b.reconciled(reconcileDone{}); count(b.pass(time.Minute), isSweep) != 0 {
		t.Fatal("it runs again")
	}
}
