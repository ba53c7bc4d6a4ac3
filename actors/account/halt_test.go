package account

import (
	"reflect"
	"slices"
	"strings"
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
func (b *fixture) haltWith(flatten bool) *[]venues.HaltReport {
	var results []venues.HaltReport
	b.step(func(step stepContext) {
		b.state.configure(step, configure{actors.ReplyFunc(func(struct{}, error) {}), halted(b.now, flatten)})
	})
	b.step(func(stepContext) {
		b.state.awaitHalt(awaitHalt{actors.ReplyFunc(func(r venues.HaltReport, _ error) { results = append(results, r) })})
	})
	return &results
}

// answerHaltRead answers a reading of the venue's lists.
func (b *fixture) answerHaltRead(open []venues.ExecutionReport, positions ...venues.Position) {
	b.step(func(step stepContext) {
		b.state.haltRead(step, haltReadDone{open: open, funds: Funds{Positions: positions, ReadAt: step.now}, maxMarketQty: map[string]decimal.Decimal{"BTCUSDT": venues.MustDecimal("1.5")}})
	})
	for _, e := range b.effects {
		if r, ok := e.(replyHalt); ok {
			r.run(nil, nil)
		}
	}
}

// wantHaltProgress compares the progress in the account's risk report; nil for none.
func (b *fixture) wantHaltProgress(want *venues.HaltReport) {
	b.t.Helper()
	var got venues.RiskReport
	for _, e := range b.step(func(step stepContext) {
		b.state.getRisk(step, getRisk{actors.ReplyFunc(func(r venues.RiskReport, _ error) { got = r })})
	}) {
		if r, ok := e.(replyRisk); ok {
			r.send()
		}
	}
	if !reflect.DeepEqual(got.Halt, want) {
		b.t.Errorf("progress of the halt = %+v, want %+v", got.Halt, want)
	}
}

// wantHaltEnds compares the fields of the journal rows for the end of a halt.
func (b *fixture) wantHaltEnds(t *testing.T, want ...string) {
	t.Helper()
	var ends []string
	for _, entry := range b.journal {
		if entry.Kind != "account.halt_ended" {
			continue
		}
		var fields []string
		for _, f := range entry.Fields {
			fields = append(fields, f.Name+"="+f.Value)
		}
		ends = append(ends, strings.Join(fields, " "))
	}
	if !slices.Equal(ends, want) {
		t.Errorf("journal rows for the end of a halt %q, want %q", ends, want)
	}
}

func isHaltRead(e effect) bool { _, ok := e.(callHaltRead); return ok }

func TestHaltCancelsUntilTheVenueHasNothing(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	results := b.haltWith(false)
	if got := code(b.tryPlace(func(*placeOrder) {})); got != venues.CodeTradingLocked {
		t.Fatalf("increasing order: code = %q, want %s", got, venues.CodeTradingLocked)
	}
	b.wantHaltProgress(&venues.HaltReport{OpenOrders: 1})
	effects := b.pass(0)
	if count(effects, isHaltRead) != 1 || count(effects, isCancel) != 1 {
		t.Fatalf("effects %+v, want one reading of the lists and one cancel", effects)
	}
	b.answerHaltRead([]venues.ExecutionReport{o.reportWith(venues.StatusOpen, "0")})
	b.confirmCancels(o)
	b.want(o, venues.StatusCancelled, "0")
	if len(*results) != 0 {
		t.Fatalf("results = %+v before the venue's list is empty, want none", *results)
	}
	if n := count(b.pass(haltEvery), isHaltRead); n != 1 {
		t.Fatalf("%d readings of the venue's lists within %s, want 1", n, haltEvery)
	}
	b.answerHaltRead(nil)
	if len(*results) != 1 || !(*results)[0].Done {
		t.Fatalf("results = %+v, want one that is done", *results)
	}
	b.wantHaltEnds(t, "done=true open_orders=0 open_positions=0")
	b.wantHaltProgress(&venues.HaltReport{Done: true})
	if n := count(b.pass(time.Minute), isHaltRead); n != 0 {
		t.Fatalf("%d readings of the venue's lists after the halt is done, want 0", n)
	}
	b.step(func(step stepContext) {
		b.state.configure(step, configure{Reply: actors.ReplyFunc(func(struct{}, error) {})})
	})
	if rejection := b.tryPlace(func(*placeOrder) {}); rejection != nil {
		t.Fatalf("order after the account was resumed = %v, want no error", rejection)
	}
	b.wantHaltProgress(nil)
}

func TestHaltFlattens(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.adoptForeign(1, venues.Sell, "2", "100", nil)
	results := b.haltWith(true)
	b.pass(0)
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Short, Qty: venues.MustDecimal("2"), EntryPrice: venues.Some(venues.MustDecimal("100"))}
	var placed []venues.OrderRequest
	closes := func() {
		t.Helper()
		b.answerHaltRead(nil, open)
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
		t.Fatalf("placed %+v, want reduce-only buy orders of 1.5 and 0.5", placed)
	}
	b.answerHaltRead(nil)
	if len(*results) != 1 || !(*results)[0].Done {
		t.Fatalf("results = %+v, want one that is done", *results)
	}
	b.pass(position.ConfirmMax)
	b.onlyClosing()
}

func TestHaltGivesUp(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	results := b.haltWith(false)
	for range 100 {
		for _, e := range b.pass(time.Second) {
			switch e := e.(type) {
			case callHaltRead:
				b.answerHaltRead([]venues.ExecutionReport{o.reportWith(venues.StatusOpen, "0")})
			case replyHalt:
				e.run(nil, nil)
			}
		}
	}
	if len(*results) != 1 || (*results)[0].Done || (*results)[0].OpenOrders != 1 {
		t.Fatalf("results = %+v, want one that is not done, with one open order", *results)
	}
	b.reconciled(reconcileDone{open: []venues.ExecutionReport{o.reportWith(venues.StatusOpen, "0")}})
	if n := count(b.pass(0), isHaltRead); n != 1 {
		t.Fatalf("%d readings of the venue's lists after a reconciliation, want 1", n)
	}
	b.pass(haltAgainMax)
	if b.state.halt.running {
		t.Fatalf("the halt still runs after %s, want it ended again", haltAgainMax)
	}
	b.wantHaltEnds(t, "done=false open_orders=1 open_positions=0")
}

func TestHaltContinuesAfterARestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	control := halted(b.now, true)
	b.puts[control.Key().String()] = control
	again := b.restart()
	if got := code(again.tryPlace(func(*placeOrder) {})); got != venues.CodeTradingLocked {
		t.Fatalf("increasing order: code = %q, want %s", got, venues.CodeTradingLocked)
	}
	if count(again.pass(0), isHaltRead) != 1 || !again.state.halt.flatten {
		t.Fatal("the halt has ended, want it resumed")
	}
}

// TestFinishedHaltIsNotRunAgain: a position that was opened elsewhere after the halt is
// left open, also after a restart.
func TestFinishedHaltIsNotRunAgain(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	control := halted(b.now, true)
	b.puts[control.Key().String()] = control
	b.haltWith(true)
	b.pass(0)
	b.answerHaltRead(nil)
	again := b.restart()
	if n := count(again.pass(time.Minute), isHaltRead); n != 0 {
		t.Fatalf("%d readings of the venue's lists after a restart, want 0", n)
	}
	if got := code(again.tryPlace(func(*placeOrder) {})); got != venues.CodeTradingLocked {
		t.Fatalf("increasing order: code = %q, want %s", got, venues.CodeTradingLocked)
	}
	control.Limits.MaxOpenOrders = 5
	again.step(func(step stepContext) {
		again.state.configure(step, configure{actors.ReplyFunc(func(struct{}, error) {}), control})
	})
	if n := count(again.pass(time.Minute), isHaltRead); n != 0 {
		t.Fatalf("%d readings of the venue's lists after other limits were set, want 0", n)
	}
	again.now = again.now.Add(time.Second)
	again.haltWith(true)
	if n := count(again.pass(0), isHaltRead); n != 1 {
		t.Fatalf("%d readings of the venue's lists after a second halt, want 1", n)
	}
}

// A restored account rejects increasing orders and keeps those that are open, until an
// administrator halts or resumes it.
func TestRestoredAccountKeepsItsOrders(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.open(limitOrder(""), venues.StatusOpen)
	control := persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance}
	control.HaltRestored(b.now)
	b.puts[control.Key().String()] = control
	again := b.restart()
	effects := again.pass(time.Minute)
	cancels := count(effects, isCancel)
	if reads := count(effects, isHaltRead); reads != 0 || cancels != 0 {
		t.Errorf("%d readings for a halt and %d cancels after a restore, want 0 and 0", reads, cancels)
	}
	if got := code(again.tryPlace(func(*placeOrder) {})); got != venues.CodeTradingLocked {
		t.Errorf("increasing order: code = %q, want %s", got, venues.CodeTradingLocked)
	}
	again.haltWith(false)
	if n := count(again.pass(0), isHaltRead); n != 1 {
		t.Errorf("%d readings of the venue's lists after a halt, want 1", n)
	}
}

// TestHaltThatGaveUpRunsAgain: the halt ran out of time with something still open.
func TestHaltThatGaveUpRunsAgain(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	control := halted(b.now, false)
	b.puts[control.Key().String()] = control
	b.haltWith(false)
	b.pass(2 * haltMax)
	if n := count(b.restart().pass(0), isHaltRead); n != 1 {
		t.Fatalf("%d readings of the venue's lists after a restart, want 1", n)
	}
}

// TestOrderThatAppearsAfterAHaltIsCancelled: the outcome of the order was unknown while
// the halt ran.
func TestOrderThatAppearsAfterAHaltIsCancelled(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder(""))
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: errTimeout}) })
	b.haltWith(false)
	b.pass(0)
	b.answerHaltRead(nil)
	b.step(func(step stepContext) {
		b.state.configure(step, configure{actors.ReplyFunc(func(struct{}, error) {}), halted(b.now, false)})
	})
	b.pass(0)
	b.answerHaltRead(nil)
	b.state.endHalt(b.stepContext(), true)
	b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusOpen, "0")) })
	b.reconciled(reconcileDone{})
	if o.change.kind != venues.PendingCancel {
		t.Fatalf("pending change = %q of an order that is %s, want %q", o.change.kind, o.Status, venues.PendingCancel)
	}
}

// TestHaltIsNotDoneWhileAnOutcomeIsUnknown: the order is executed after all, and the
// position that it opens is closed without another command.
func TestHaltIsNotDoneWhileAnOutcomeIsUnknown(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder(""))
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: errTimeout}) })
	results := b.haltWith(true)
	for range 20 {
		if count(b.pass(time.Second), isHaltRead) > 0 {
			b.answerHaltRead(nil)
		}
		for _, e := range b.effects {
			if r, ok := e.(replyHalt); ok {
				r.run(nil, nil)
			}
		}
	}
	if b.state.halt.running || len(*results) > 1 || b.state.halt.result.Done || b.state.halt.result.OpenOrders != 1 {
		t.Fatalf("running = %t, %d results, halt = %+v, want it ended and not done with one open order", b.state.halt.running, len(*results), b.state.halt.result)
	}
	b.wantHaltEnds(t, "done=false open_orders=1 open_positions=0")
	b.fillWhole(o, "60000")
	open := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: o.Qty}
	b.reconciled(reconcileDone{funds: Funds{Positions: []venues.Position{open}}})
	if n := count(b.pass(0), isHaltRead); n != 1 {
		t.Fatalf("%d readings of the venue's lists, want 1", n)
	}
	b.answerHaltRead(nil, open)
	var out *order
	for _, e := range b.effects {
		if c, ok := e.(callPlace); ok {
			out = b.state.orders[c.orderID]
		}
	}
	if out == nil || !out.ReduceOnly || !out.Qty.Equal(o.Qty) {
		t.Fatalf("exit = %+v, want a reduce-only order of %s", out, o.Qty)
	}
	b.fillWhole(out, "60000")
	b.pass(haltEvery)
	b.answerHaltRead(nil)
	if !b.state.halt.result.Done || b.state.risk.Record().HaltDone.IsZero() {
		t.Fatalf("halt = %+v, stored as done at %v, want it done", b.state.halt.result, b.state.risk.Record().HaltDone)
	}
	b.reconciled(reconcileDone{})
	if n := count(b.pass(time.Minute), isHaltRead); n != 0 {
		t.Fatalf("%d readings of the venue's lists after the halt is done, want 0", n)
	}
}
