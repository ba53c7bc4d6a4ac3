package account

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// reload lets another incarnation begin with what is stored.
func (b *bench) reload() *bench {
	b.t.Helper()
	next := newBench(b.t, b.state.caps)
	next.now, next.nextID = b.now, b.nextID
	maps.Copy(next.puts, b.puts)
	store := storetest.NewMemory()
	fence, err := store.TakeOwnership(b.t.Context(), "c1")
	if err != nil {
		b.t.Fatal(err)
	}
	stored := persistence.Batch{Fence: fence, Puts: slices.Collect(maps.Values(b.puts))}
	if err := persistence.Await(b.t.Context(), store, stored); err != nil {
		b.t.Fatal(err)
	}
	config := Config{Customer: "c1", Exchange: venues.Binance}
	reader := &account{deps: Deps{Config: config, Fence: fence, Store: store, Journal: store}}
	done := reader.load(b.t.Context()).(loadDone)
	if done.err != nil {
		b.t.Fatal(done.err)
	}
	next.step(func(m moment) { next.state.loaded(m, done) })
	return next
}

// A cancel that was told as pending is carried on: whoever asked for it was answered.
func TestPendingCancelOutlivesTheIncarnation(t *testing.T) {
	for name, tell := range map[string]func(b *bench){
		"told in time":   func(b *bench) { b.pass(answerWithin) },
		"told at a stop": func(b *bench) { b.step(func(moment) { b.state.stop() }) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, venues.Capabilities{})
			o := b.open(limitOrder(""), venues.StatusOpen)
			b.cancel(o)
			tell(b)
			if told := b.lastReply(); told.err != nil || told.order.PendingAction != venues.PendingCancel {
				t.Fatalf("told %+v", told)
			}
			next := b.reload()
			if !next.find(isCancel) {
				t.Fatal("nobody asks for it again")
			}
			o = next.state.orders[o.OrderID]
			next.cancels(o)
			next.want(o, venues.StatusCancelled, "0")
		})
	}
}

func TestOlderReportDoesNotDisplaceAHeldOne(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusFilled, "1")) })
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusPartiallyFilled, "0.5")) })
	b.pass(fillsHoldMax)
	b.want(o, venues.StatusFilled, "1")
}

func stopOrder() placeOrder {
	in := limitOrder("")
	in.cmd.Type, in.cmd.TriggerPrice = venues.TypeStopLimit, venues.Some(venues.MustDecimal("61000"))
	return in
}

func TestStopThatTriggersWhileUnknownIsTold(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(stopOrder(), venues.StatusUntriggered)
	b.miss(o)
	b.want(o, venues.StatusUnknown, "0")
	b.step(func(m moment) {
		b.state.queried(m, queryDone{orderID: o.OrderID, report: o.says(venues.StatusOpen, "0")})
	})
	wantEvents(t, b, persistence.EventStopTriggered)
	b.miss(o)
	part := o.says(venues.StatusPartiallyFilled, "0.4")
	part.Fill = o.fill("t1", "0.4", "60000")
	b.step(func(m moment) { b.state.report(m, part) })
	wantEvents(t, b, persistence.EventStopTriggered, persistence.EventOrderPartiallyFilled)
}

func TestFillsOfATriggeredStopAreItsOwn(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(stopOrder(), venues.StatusUntriggered)
	engine := o.says(venues.StatusOpen, "0")
	engine.VenueOrderID = "engine"
	b.step(func(m moment) { b.state.report(m, engine) })
	f := o.fill("t1", "0.4", "60000")
	f.VenueOrderID = "engine"
	b.step(func(m moment) { b.state.fills(m, []venues.Fill{*f}) })
	b.want(o, venues.StatusPartiallyFilled, "0.4")
}

func TestOrderReceivedWithoutAWordIsAskedFor(t *testing.T) {
	b := newBench(t, venues.Capabilities{AsyncAck: true})
	o := b.place(limitOrder("r1"))
	b.step(func(m moment) {
		b.state.placed(m, placeDone{orderID: o.OrderID, report: o.says(venues.StatusPending, "0")})
	})
	if n := count(b.pass(time.Second), isQuery); n == 0 {
		t.Fatal("nobody asks what became of it")
	}
	b.miss(o)
	b.want(o, venues.StatusUnknown, "0")
}

func TestRejectionByReportIsARefusal(t *testing.T) {
	b := newBench(t, venues.Capabilities{AsyncAck: true})
	o := b.place(limitOrder("r1"))
	r := o.says(venues.StatusRejected, "0")
	r.Fault = &venues.OrderFault{Code: venues.CodeInsufficientBalance, Message: "no margin", VenueCode: "110007"}
	b.step(func(m moment) { b.state.report(m, r) })
	e, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if e == nil || e.Code != venues.CodeInsufficientBalance || e.VenueCode != "110007" || e.Details["order"] == nil {
		t.Fatalf("answer %+v", b.lastReply())
	}
	b.wantFreed(true)
}

// misses lets the venue show nothing of an order until that is held against its
// lists and executions, which do not have it either.
func (b *bench) misses(o *order) {
	b.t.Helper()
	for range 10 {
		b.miss(o)
		if count(b.pass(4*time.Second), isProof) > 0 {
			b.step(func(m moment) { b.state.proved(m, proofDone{orders: []string{o.OrderID}}) })
			return
		}
	}
	b.t.Fatal("no proof is sought")
}

// An order that the venue has confirmed was alive when it was seen last: had it
// ended since, that would be shown for the venue's retention. Shown is nothing, so
// nothing is proven until that has passed, however old the order is.
func TestOrderThatTheVenueHasForgottenEnds(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder("r1"), venues.StatusOpen)
	b.now = b.now.Add(b.state.caps.UnfilledRetention)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusOpen, "0")) })
	b.misses(o)
	b.want(o, venues.StatusUnknown, "0")
	b.now = b.now.Add(b.state.caps.UnfilledRetention - time.Minute)
	b.misses(o)
	b.want(o, venues.StatusUnknown, "0")
	b.now = b.now.Add(time.Minute)
	b.misses(o)
	b.want(o, venues.StatusCancelled, "0")
	b.wantFreed(false)
	if o.Error.Reason != reasonNotShown {
		t.Fatalf("error %+v", o.Error)
	}
}

// Nobody looked for longer than the retention: nothing says that the order was
// alive within it.
func TestForgottenOrderEndsAfterALongAbsence(t *testing.T) {
	for name, prior := range map[string]func(*bench, *order){
		"open":    func(*bench, *order) {},
		"unknown": func(b *bench, o *order) { b.misses(o) },
	} {
		b := newBench(t, venues.Capabilities{})
		o := b.open(limitOrder("r1"), venues.StatusOpen)
		prior(b, o)
		b.now = b.now.Add(b.state.caps.UnfilledRetention)
		b = b.reload()
		o = b.state.orders[o.OrderID]
		b.misses(o)
		if o.Status != venues.StatusCancelled {
			t.Errorf("%s: %s", name, o.Status)
		}
	}
}

// Of an order that the venue has never confirmed it is not known, after the
// retention, whether it was ever placed. It is over either way.
func TestUnconfirmedOrderOlderThanTheRetentionEnds(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: errTimeout}) })
	b.now = b.now.Add(b.state.caps.UnfilledRetention)
	b.misses(o)
	b.want(o, venues.StatusCancelled, "0")
	b.wantFreed(false)
}

// Conditional orders are numbered on their own: one number may name two orders.
func TestStopAndOrderOfOneNumberAreTwo(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	adopted := func(change func(*venues.ExecutionReport)) *order {
		r := venues.ExecutionReport{
			Symbol: "BTCUSDT", VenueOrderID: "77", Side: venues.Sell, Type: venues.TypeLimit,
			Status: venues.StatusOpen, Qty: venues.MustDecimal("1"), VenueTime: b.now,
		}
		change(&r)
		b.step(func(m moment) {
			b.state.report(m, r)
			if b.state.findReported(&r) == nil {
				b.state.lookedUp(m, lookedUp{report: r})
			}
		})
		return b.state.findReported(&r)
	}
	stop := adopted(func(r *venues.ExecutionReport) {
		r.Type, r.Status, r.ConditionalID = venues.TypeStopMarket, venues.StatusUntriggered, true
	})
	limit := adopted(func(*venues.ExecutionReport) {})
	if stop == limit {
		t.Fatal("one order of two")
	}
	fill := limit.fill("t1", "1", "60000")
	fill.VenueOrderID = "77"
	b.step(func(m moment) { b.state.fills(m, []venues.Fill{*fill}) })
	if !limit.FilledQty.Equal(limit.Qty) {
		t.Fatalf("filled %s", limit.FilledQty)
	}
	b.want(stop, venues.StatusUntriggered, "0")
	again := b.reload()
	if o := again.state.orders[stop.OrderID]; !o.ConditionalID || again.state.byVenue[venueKey{"BTCUSDT", "77", true}] != o {
		t.Fatalf("after a restart %+v", o.OrderRecord)
	}
}

// TestOnlyACommandsIntentIsUndoneAlone: the intents of protection come with
// others in one commit; memory is then ahead of the store, not one order.
func TestOnlyACommandsIntentIsUndoneAlone(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	m := b.moment()
	b.state.place(m, limitOrder("r1"))
	if out := b.state.finish(m); out.intent == "" {
		t.Fatal("the intent of a command")
	}
	b = newBench(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.now = o.guard.due
	m = b.moment()
	b.state.tick(m)
	if out := b.state.finish(m); out.intent != "" || len(out.batch.Puts) < 2 {
		t.Fatalf("%d records with the intent of %q", len(out.batch.Puts), out.intent)
	}
}

// TestNothingIsStoredOfAnOrderBeforeItsIntent: the store may still refuse that.
func TestNothingIsStoredOfAnOrderBeforeItsIntent(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.step(func(moment) {})
	m := b.moment()
	b.state.place(m, limitOrder("r1"))
	out := b.state.finish(m)
	o := b.state.orders[out.intent]
	b.state.cancel(m, cancelOrder{cmd: venues.CancelOrder{OrderID: o.OrderID}})
	if out := b.state.finish(m); !out.batch.Empty() {
		t.Fatalf("stored behind the intent: %+v", out.batch)
	}
	b.state.intentStored(o.OrderID)
	out = b.state.finish(m)
	if len(out.batch.Puts) != 1 || out.batch.Puts[0].(persistence.OrderRecord).PendingAction != venues.PendingCancel {
		t.Fatalf("stored after the intent: %+v", out.batch)
	}
}

func TestCancelAllWhileLoadingIsNotAnEmptySuccess(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.state.isLoaded = false
	var refusal error
	b.state.getOpen(b.moment(), getOpen{Reply: actors.ReplyFunc(func(_ openOrders, err error) { refusal = err })})
	if venues.CodeOf(refusal) != venues.CodeMaintenance {
		t.Fatalf("answer %v", refusal)
	}
}

func TestMissingFillsAreFetchedAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusFilled, "1")) })
	isFetch := func(e effect) bool { _, ok := e.(callFills); return ok }
	if !b.find(isFetch) {
		t.Fatal("not fetched")
	}
	b.step(func(m moment) { b.state.fillsRead(m, fillsDone{orderID: o.OrderID, err: errPoolFull}) })
	if !b.find(isFetch) {
		t.Fatal("not fetched again")
	}
	b.step(func(m moment) {
		b.state.fillsRead(m, fillsDone{orderID: o.OrderID, fills: []venues.Fill{*o.fill("t1", "1", "60000")}})
	})
	b.want(o, venues.StatusFilled, "1")
	if b.find(isFetch) {
		t.Fatal("fetched for nothing")
	}
}

// TestCancelThatOvertookItsOrderIsSentAgain: the venue had not got the order yet
// when it was asked to end it.
func TestCancelThatOvertookItsOrderIsSentAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(m moment) { b.state.lose(m, o) })
	b.cancel(o)
	b.step(func(m moment) { b.state.cancelled(m, cancelDone{orderID: o.OrderID, err: notFound()}) })
	b.miss(o)
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusOpen, "0")) })
	if !slices.ContainsFunc(b.pass(time.Second), isQuery) {
		t.Fatal("the order lives, and nobody asks what became of its cancel")
	}
	b.step(func(m moment) {
		b.state.queried(m, queryDone{orderID: o.OrderID, report: o.says(venues.StatusOpen, "0")})
	})
	if !b.find(isCancel) {
		t.Error("the cancel is not sent again")
	}
}

// What ends while the venue's list is read was open when the call came, and is
// named.
func TestCancelAllNamesWhatEndsMeanwhile(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	b.step(func(m moment) { b.state.reconciled(m, reconcileDone{startedAt: m.now}) })
	o := b.place(limitOrder("r1"))
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusOpen, "0")) })
	var list openOrders
	b.step(func(m moment) {
		b.state.getOpen(m, getOpen{Reply: actors.ReplyFunc(func(got openOrders, _ error) { list = got })})
	})
	queries := b.asked[0].(callOpen).queries
	b.step(func(m moment) { b.state.report(m, o.says(venues.StatusCancelled, "0")) })
	b.step(func(m moment) { b.state.openRead(m, openDone{queries: queries}) })
	b.asked[0].(replyOpen).run(nil, nil)
	if len(list.unfinished) != 1 || list.unfinished[0] != o.OrderID {
		t.Fatalf("named %v", list.unfinished)
	}
}

// An order that was made elsewhere without a client id is one order, whatever of
// it is told and how often the account begins anew.
func TestForeignOrderIsAdoptedOnce(t *testing.T) {
	said := func(number, parent string, conditional bool, status venues.OrderStatus) venues.ExecutionReport {
		return venues.ExecutionReport{
			Symbol: "BTCUSDT", VenueOrderID: number, ParentID: parent, ConditionalID: conditional, Side: venues.Sell,
			Type: venues.TypeStopMarket, Status: status, Qty: venues.MustDecimal("1"), TriggerPrice: venues.Some(venues.MustDecimal("58000")),
		}
	}
	adopt := func(reports ...venues.ExecutionReport) string {
		b := newBench(t, venues.Capabilities{})
		for _, r := range reports {
			b.step(func(m moment) { b.state.lookedUp(m, lookedUp{report: r}) })
		}
		if len(b.state.orders) != 1 {
			t.Fatalf("%d orders", len(b.state.orders))
		}
		return b.state.inOrder()[0].OrderID
	}
	waiting, triggered := said("7", "", true, venues.StatusUntriggered), said("1234", "7", false, venues.StatusOpen)
	first := adopt(waiting, triggered, waiting)
	if again := adopt(waiting); again != first {
		t.Errorf("adopted as %s and as %s", first, again)
	}
	if again := adopt(triggered); again != first {
		t.Errorf("adopted as %s, and after its trigger as %s", first, again)
	}
	if other := adopt(said("7", "", false, venues.StatusOpen)); other == first {
		t.Errorf("the engine's order 7 is the conditional order 7: %s", other)
	}
}

// Whoever trades outside may use a client id again, here or at another venue.
func TestForeignClientIDMayComeAgain(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	said := func(number string, status venues.OrderStatus) venues.ExecutionReport {
		return venues.ExecutionReport{
			Symbol: "BTCUSDT", ClientOrderID: "web1", VenueOrderID: number, Side: venues.Sell, Type: venues.TypeLimit,
			Status: status, Qty: venues.MustDecimal("1"), Price: venues.Some(venues.MustDecimal("65000")),
		}
	}
	for _, r := range []venues.ExecutionReport{said("1", venues.StatusOpen), said("1", venues.StatusCancelled), said("2", venues.StatusOpen)} {
		b.step(func(m moment) {
			if o := b.state.findReported(&r); o != nil {
				b.state.report(m, r)
				return
			}
			b.state.lookedUp(m, lookedUp{report: r})
		})
	}
	open := b.state.unfinished()
	if len(b.state.orders) != 2 || len(open) != 1 || open[0].VenueOrderID != "2" {
		t.Fatalf("%d orders, open %v", len(b.state.orders), open)
	}
	if ref := b.state.ref(open[0]); ref.ClientOrderID != "" || ref.VenueOrderID != "2" {
		t.Errorf("asked for as %+v", ref)
	}
}
