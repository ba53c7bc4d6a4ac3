package account

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// halted is the record of an account that somebody has halted.
func halted(at time.Time, flatten bool) persistence.VenueAccount {
	control := persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}
	control.Halt(at, flatten)
	return control
}

// halts tells the account to halt, and keeps what becomes of it.
func (b *bench) halts(flatten bool) *[]HaltResult {
	var results []HaltResult
	b.step(func(m moment) {
		b.state.configure(m, configure{actors.ReplyFunc(func(struct{}, error) {}), halted(b.now, flatten)})
	})
	b.state.awaitHalt(awaitHalt{actors.ReplyFunc(func(r HaltResult, _ error) { results = append(results, r) })})
	return &results
}

// sweeps answers the reading of the venue's lists.
func (b *bench) sweeps(open []venues.ExecutionReport, positions ...venues.Position) {
	b.step(func(m moment) {
		b.state.swept(m, sweepDone{open: open, funds: Funds{Positions: positions, ReadAt: m.now}, most: map[string]decimal.Decimal{"BTCUSDT": venues.MustDecimal("1.5")}})
	})
	for _, e := range b.asked {
		if r, ok := e.(replyHalt); ok {
			r.to.Send(r.result)
		}
	}
}

func isSweep(e effect) bool { _, ok := e.(callSweep); return ok }

func TestHaltCancelsUntilTheVenueHasNothing(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	results := b.halts(false)
	if code(b.asks(func(*placeOrder) {})) != venues.CodeTradingLocked {
		t.Fatal("an increasing order passes")
	}
	asked := b.pass(0)
	if count(asked, isSweep) != 1 || count(asked, isCancel) != 1 {
		t.Fatalf("asked %+v", asked)
	}
	b.sweeps([]venues.ExecutionReport{o.says(venues.StatusOpen, "0")})
	b.cancels(o)
	b.want(o, venues.StatusCancelled, "0")
	if len(*results) != 0 {
		t.Fatal("over before the venue's list is empty")
	}
	if count(b.pass(haltEvery), isSweep) != 1 {
		t.Fatal("the list is not read again")
	}
	b.sweeps(nil)
	if len(*results) != 1 || !(*results)[0].Done {
		t.Fatalf("%+v", *results)
	}
	if count(b.pass(time.Minute), isSweep) != 0 {
		t.Fatal("it goes on and on")
	}
	b.step(func(m moment) {
		b.state.configure(m, configure{Reply: actors.ReplyFunc(func(struct{}, error) {})})
	})
	if refusal := b.asks(func(*placeOrder) {}); refusal != nil {
		t.Fatalf("after it was resumed: %v", refusal)
	}
}

func TestHaltFlattens(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.stranger(1, venues.Sell, "2", "100", nil)
	results := b.halts(true)
	b.pass(0)
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Short, Qty: venues.MustDecimal("2"), EntryPrice: venues.Some(venues.MustDecimal("100"))}
	var placed []venues.OrderRequest
	closes := func() {
		t.Helper()
		b.sweeps(nil, open)
		for _, e := range b.asked {
			if c, ok := e.(callPlace); ok {
				placed = append(placed, c.request)
				o := b.state.orders[c.orderID]
				r := o.says(venues.StatusFilled, o.Qty.String())
				r.Fill = o.fill("t"+o.OrderID, o.Qty.String(), "90")
				b.step(func(m moment) { b.state.placed(m, placeDone{orderID: c.orderID, report: r}) })
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
	b.sweeps(nil)
	if len(*results) != 1 || !(*results)[0].Done {
		t.Fatalf("%+v", *results)
	}
	b.pass(endWordMax)
	b.onlyClosing()
}

func TestHaltGivesUp(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	results := b.halts(false)
	for range 100 {
		for _, e := range b.pass(time.Second) {
			switch e := e.(type) {
			case callSweep:
				b.sweeps([]venues.ExecutionReport{o.says(venues.StatusOpen, "0")})
			case replyHalt:
				e.to.Send(e.result)
			}
		}
	}
	if len(*results) != 1 || (*results)[0].Done || (*results)[0].OpenOrders != 1 {
		t.Fatalf("%+v", *results)
	}
}

func TestHaltGoesOnAfterARestart(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	control := halted(b.now, true)
	b.puts[control.Key().String()] = control
	again := b.restart()
	if code(again.asks(func(*placeOrder) {})) != venues.CodeTradingLocked {
		t.Fatal("an increasing order passes")
	}
	if count(again.pass(0), isSweep) != 1 || !again.state.halt.flatten {
		t.Fatal("the halt does not go on")
	}
}

// TestFinishedHaltIsNotRunAgain: a position that was opened elsewhere after the
// halt is nobody's business here, not even after a restart.
func TestFinishedHaltIsNotRunAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	control := halted(b.now, true)
	b.puts[control.Key().String()] = control
	b.halts(true)
	b.pass(0)
	b.sweeps(nil)
	again := b.restart()
	if count(again.pass(time.Minute), isSweep) != 0 {
		t.Fatal("it runs again")
	}
	if code(again.asks(func(*placeOrder) {})) != venues.CodeTradingLocked {
		t.Fatal("an increasing order passes")
	}
	control.Limits.MaxOpenOrders = 5
	again.step(func(m moment) {
		again.state.configure(m, configure{actors.ReplyFunc(func(struct{}, error) {}), control})
	})
	if count(again.pass(time.Minute), isSweep) != 0 {
		t.Fatal("other limits begin it anew")
	}
	again.now = again.now.Add(time.Second)
	if again.halts(true); count(again.pass(0), isSweep) != 1 {
		t.Fatal("a second order to halt is not carried out")
	}
}

// TestHaltThatGaveUpRunsAgain: something was left.
func TestHaltThatGaveUpRunsAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	control := halted(b.now, false)
	b.puts[control.Key().String()] = control
	b.halts(false)
	b.pass(2 * haltMax)
	if count(b.restart().pass(0), isSweep) != 1 {
		t.Fatal("the halt is forgotten")
	}
}

// TestOrderThatTurnsUpAfterAHaltIsCancelled: its outcome was unknown.
func TestOrderThatTurnsUpAfterAHaltIsCancelled(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder(""))
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: errTimeout}) })
	b.halts(false)
	b.pass(0)
	b.sweeps(nil)
	b.step(func(m moment) {
		b.state.configure(m, configure{actors.ReplyFunc(func(struct{}, error) {}), halted(b.now, false)})
	})
	b.pass(0)
	b.sweeps(nil)
	b.state.endHalt(b.moment(), true)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusOpen, "0")) })
	b.reconciled(reconcileDone{})
	if o.change.kind != venues.PendingCancel {
		t.Fatalf("it stays %s", o.Status)
	}
}

// TestHaltIsNotDoneWhileAnOutcomeIsUnknown: the order is executed after all, and what
// it has opened is closed without another command.
func TestHaltIsNotDoneWhileAnOutcomeIsUnknown(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder(""))
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: errTimeout}) })
	results := b.halts(true)
	for range 20 {
		if count(b.pass(time.Second), isSweep) > 0 {
			b.sweeps(nil)
		}
		for _, e := range b.asked {
			if r, ok := e.(replyHalt); ok {
				r.to.Send(r.result)
			}
		}
	}
	if b.state.halt.running || len(*results) > 1 || b.state.halt.result.Done || b.state.halt.result.OpenOrders != 1 {
		t.Fatalf("%+v", b.state.halt.result)
	}
	b.executes(o, "60000")
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: o.Qty}
	b.reconciled(reconcileDone{funds: Funds{Positions: []venues.Position{open}}})
	if count(b.pass(0), isSweep) != 1 {
		t.Fatal("what was opened meanwhile is left open")
	}
	b.sweeps(nil, open)
	var out *order
	for _, e := range b.asked {
		if c, ok := e.(callPlace); ok {
			out = b.state.orders[c.orderID]
		}
	}
	if out == nil || !out.ReduceOnly || !out.Qty.Equal(o.Qty) {
		t.Fatalf("closed by %+v", out)
	}
	b.executes(out, "60000")
	b.pass(haltEvery)
	b.sweeps(nil)
	if !b.state.halt.result.Done || b.state.risk.record.HaltDone.IsZero() {
		t.Fatalf("%+v", b.state.halt.result)
	}
	if b.reconciled(reconcileDone{}); count(b.pass(time.Minute), isSweep) != 0 {
		t.Fatal("it runs again")
	}
}
