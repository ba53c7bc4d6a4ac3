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

// reload returns a new account, restored from what this one has stored.
func (b *fixture) reload() *fixture {
	b.t.Helper()
	next := newFixture(b.t, b.state.caps)
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
	next.step(func(step stepContext) { next.state.loaded(step, done) })
	return next
}

// A cancel that was answered as pending is resumed.
func TestPendingCancelIsResumedAfterARestart(t *testing.T) {
	for name, reply := range map[string]func(b *fixture){
		"after replyWithin": func(b *fixture) { b.pass(replyWithin) },
		"at a stop":         func(b *fixture) { b.step(func(stepContext) { b.state.stop() }) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			o := b.open(limitOrder(""), venues.StatusOpen)
			b.cancel(o)
			reply(b)
			if reply := b.lastReply(); reply.err != nil || reply.order.PendingAction != venues.PendingCancel {
				t.Fatalf("reply %+v, want the cancel pending", reply)
			}
			next := b.reload()
			if !next.find(isCancel) {
				t.Fatal("no cancel was sent again, want one")
			}
			o = next.state.orders[o.OrderID]
			next.confirmCancels(o)
			next.want(o, venues.StatusCancelled, "0")
		})
	}
}

func TestOlderReportDoesNotReplaceAHeldOne(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusFilled, "1")) })
	b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusPartiallyFilled, "0.5")) })
	b.pass(fillsHoldMax)
	b.want(o, venues.StatusFilled, "1")
	var rows []string
	for _, row := range b.journal {
		if row.Kind == "order.fills_missing" {
			rows = append(rows, row.Subject+" "+row.Fields[0].Value)
		}
	}
	if want := []string{o.OrderID + " 1"}; !slices.Equal(rows, want) {
		t.Errorf("journal rows for missing fills = %q, want %q", rows, want)
	}
}

func stopOrder() placeOrder {
	in := limitOrder("")
	in.cmd.Type, in.cmd.TriggerPrice = venues.TypeStopLimit, venues.Some(venues.MustDecimal("61000"))
	return in
}

// The quantity was amended, and the answer is not known: the report with the new quantity comes
// before the fills that complete it, so that the first ones are partial.
func TestFillsCompleteTheQuantityOfTheirReport(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder("r1"), venues.StatusOpen)
	r := o.reportWith(venues.StatusFilled, "3")
	r.Qty = venues.MustDecimal("3")
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	b.want(o, venues.StatusOpen, "0")
	for _, id := range []string{"t1", "t2", "t3"} {
		b.step(func(step stepContext) { b.state.handleFills(step, []venues.Fill{*o.fill(id, "1", "60000")}) })
	}
	b.want(o, venues.StatusFilled, "3")
	wantEvents(t, b, persistence.EventOrderPartiallyFilled, persistence.EventOrderPartiallyFilled, persistence.EventOrderFilled)
}

func TestStopThatTriggersWhileUnknownIsPublished(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(stopOrder(), venues.StatusUntriggered)
	b.answerNotFound(o)
	b.want(o, venues.StatusUnknown, "0")
	b.step(func(step stepContext) {
		b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	wantEvents(t, b, persistence.EventStopTriggered)
	b.answerNotFound(o)
	part := o.reportWith(venues.StatusPartiallyFilled, "0.4")
	part.Fill = o.fill("t1", "0.4", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, part) })
	wantEvents(t, b, persistence.EventStopTriggered, persistence.EventOrderPartiallyFilled)
}

func TestFillsOfATriggeredStopBelongToIt(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(stopOrder(), venues.StatusUntriggered)
	engine := o.reportWith(venues.StatusOpen, "0")
	engine.VenueOrderID = "engine"
	b.step(func(step stepContext) { b.state.handleReport(step, engine) })
	f := o.fill("t1", "0.4", "60000")
	f.VenueOrderID = "engine"
	b.step(func(step stepContext) { b.state.handleFills(step, []venues.Fill{*f}) })
	b.want(o, venues.StatusPartiallyFilled, "0.4")
}

func TestOrderReceivedWithoutAStatusIsQueried(t *testing.T) {
	b := newFixture(t, venues.Capabilities{AsyncAck: true})
	o := b.place(limitOrder("r1"))
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusPending, "0")})
	})
	if n := count(b.pass(time.Second), isQuery); n == 0 {
		t.Fatal("no query, want one")
	}
	b.answerNotFound(o)
	b.want(o, venues.StatusUnknown, "0")
}

func TestRejectionByReportRejectsTheOrder(t *testing.T) {
	b := newFixture(t, venues.Capabilities{AsyncAck: true})
	o := b.place(limitOrder("r1"))
	r := o.reportWith(venues.StatusRejected, "0")
	r.RejectReason = &venues.RejectReason{Code: venues.CodeInsufficientBalance, Message: "no margin", VenueCode: "110007"}
	b.step(func(step stepContext) { b.state.handleReport(step, r) })
	e, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if e == nil || e.Code != venues.CodeInsufficientBalance || e.VenueCode != "110007" || e.Details["order"] == nil {
		t.Fatalf("reply = %+v, want %s with code 110007 and the order", b.lastReply(), venues.CodeInsufficientBalance)
	}
	b.wantFreed(true)
}

// answerAllNotFound answers the queries of an order with "not found" until the absence
// check, which finds neither the order nor an execution.
func (b *fixture) answerAllNotFound(o *order) {
	b.t.Helper()
	for range 10 {
		b.answerNotFound(o)
		if count(b.pass(4*time.Second), isAbsenceCheck) > 0 {
			b.step(func(step stepContext) { b.state.absenceChecked(step, absenceCheckDone{orders: []string{o.OrderID}}) })
			return
		}
	}
	b.t.Fatal("no absence check was sent, want one")
}

// An order that the venue has confirmed was open when it was last seen. If it had ended
// since, the venue would list its end for the retention time. So a reading without it
// confirms nothing before that time has passed, however old the order is.
func TestOrderThatTheVenueHasPurgedEnds(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder("r1"), venues.StatusOpen)
	b.now = b.now.Add(b.state.caps.UnfilledRetention)
	b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusOpen, "0")) })
	b.answerAllNotFound(o)
	b.want(o, venues.StatusUnknown, "0")
	b.now = b.now.Add(b.state.caps.UnfilledRetention - time.Minute)
	b.answerAllNotFound(o)
	b.want(o, venues.StatusUnknown, "0")
	b.now = b.now.Add(time.Minute)
	b.answerAllNotFound(o)
	b.want(o, venues.StatusCancelled, "0")
	b.wantFreed(false)
	if o.Error.Reason != reasonNotListed {
		t.Fatalf("reason = %q, want %q", o.Error.Reason, reasonNotListed)
	}
}

// The account was down for longer than the retention: the order may have ended and been
// purged in the meantime.
func TestPurgedOrderEndsAfterALongAbsence(t *testing.T) {
	for name, prior := range map[string]func(*fixture, *order){
		"open":    func(*fixture, *order) {},
		"unknown": func(b *fixture, o *order) { b.answerAllNotFound(o) },
	} {
		b := newFixture(t, venues.Capabilities{})
		o := b.open(limitOrder("r1"), venues.StatusOpen)
		prior(b, o)
		b.now = b.now.Add(b.state.caps.UnfilledRetention)
		b = b.reload()
		o = b.state.orders[o.OrderID]
		b.answerAllNotFound(o)
		if o.Status != venues.StatusCancelled {
			t.Errorf("%s: status = %s, want %s", name, o.Status, venues.StatusCancelled)
		}
	}
}

// The order becomes unknown after the long absence, and the account restarts again: what counts
// is when the venue reported it, not when it became unknown.
func TestPurgedOrderEndsAfterAnotherRestart(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	id := b.open(limitOrder("r1"), venues.StatusOpen).OrderID
	b.now = b.now.Add(b.state.caps.UnfilledRetention)
	b = b.reload()
	b.answerNotFound(b.state.orders[id])
	b.now = b.now.Add(absenceSpan)
	b.answerNotFound(b.state.orders[id])
	b.want(b.state.orders[id], venues.StatusUnknown, "0")
	b = b.reload()
	b.answerAllNotFound(b.state.orders[id])
	b.want(b.state.orders[id], venues.StatusCancelled, "0")
}

// After the long absence an amend is stored that is never sent. That the record changes shows
// nothing about the venue.
func TestPurgedOrderEndsAfterAChangeOfItsRecord(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	id := b.open(limitOrder("r1"), venues.StatusOpen).OrderID
	b.now = b.now.Add(b.state.caps.UnfilledRetention)
	b = b.reload()
	b.amend(b.state.orders[id], "65001")
	b.step(func(step stepContext) { b.state.amended(step, amendDone{orderID: id, err: errPoolFull}) })
	b.want(b.state.orders[id], venues.StatusOpen, "0")
	b = b.reload()
	b.answerAllNotFound(b.state.orders[id])
	b.want(b.state.orders[id], venues.StatusCancelled, "0")
}

// After the retention it is not known whether an order that the venue has never confirmed
// was placed. It has ended either way.
func TestUnconfirmedOrderOlderThanTheRetentionEnds(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: errTimeout}) })
	b.now = b.now.Add(b.state.caps.UnfilledRetention)
	b.answerAllNotFound(o)
	b.want(o, venues.StatusCancelled, "0")
	b.wantFreed(false)
}

// An answer "not found" that is applied late is older than the report that the order is open.
func TestLateNotFoundLeavesAnOpenOrderOpen(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	began := b.now
	b.now = b.now.Add(time.Second)
	o := b.open(limitOrder("r1"), venues.StatusOpen)
	b.step(func(step stepContext) {
		b.state.queryAnswered(step, queryDone{orderID: o.OrderID, err: notFound(), began: began})
	})
	b.want(o, venues.StatusOpen, "0")
	b.answerNotFound(o)
	b.want(o, venues.StatusUnknown, "0")
}

// An order that the venue has acknowledged, but never reported as open, may have been open
// since it was made: a reading without it confirms nothing before the retention has passed.
func TestAcknowledgedOrderThatIsNotListedStaysUnknown(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusPending, "0")})
	})
	b.answerNotFound(o)
	b.answerAllNotFound(o)
	b.want(o, venues.StatusUnknown, "0")
	b.now = b.now.Add(b.state.caps.UnfilledRetention)
	b.answerAllNotFound(o)
	b.want(o, venues.StatusCancelled, "0")
}

// Conditional orders have numbers of their own, so that two orders may have the same
// number.
func TestStopAndOrderMayHaveTheSameNumber(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	adopted := func(change func(*venues.ExecutionReport)) *order {
		r := venues.ExecutionReport{
			Symbol: "BTCUSDT", VenueOrderID: "77", Side: venues.Sell, Type: venues.TypeLimit,
			Status: venues.StatusOpen, Qty: venues.MustDecimal("1"), VenueTime: b.now,
		}
		change(&r)
		b.step(func(step stepContext) {
			b.state.handleReport(step, r)
			if b.state.findReported(&r) == nil {
				b.state.orderLookedUp(step, lookedUp{report: r})
			}
		})
		return b.state.findReported(&r)
	}
	stop := adopted(func(r *venues.ExecutionReport) {
		r.Type, r.Status, r.ConditionalID = venues.TypeStopMarket, venues.StatusUntriggered, true
	})
	limit := adopted(func(*venues.ExecutionReport) {})
	if stop == limit {
		t.Fatal("the two reports are about one order, want two orders")
	}
	fill := limit.fill("t1", "1", "60000")
	fill.VenueOrderID = "77"
	b.step(func(step stepContext) { b.state.handleFills(step, []venues.Fill{*fill}) })
	if !limit.FilledQty.Equal(limit.Qty) {
		t.Fatalf("filled %s, want %s", limit.FilledQty, limit.Qty)
	}
	b.want(stop, venues.StatusUntriggered, "0")
	again := b.reload()
	if o := again.state.orders[stop.OrderID]; !o.ConditionalID || again.state.byVenue[venueKey{"BTCUSDT", "77", true}] != o {
		t.Fatalf("order after a restart = %+v, want a conditional order known as 77", o.OrderRecord)
	}
}

// TestOnlyTheIntentOfACommandMayBeRejected: the intents of legs share a commit with other
// records. If it fails, undoing one order is not enough, and the account restarts.
func TestOnlyTheIntentOfACommandMayBeRejected(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	step := b.stepContext()
	b.state.place(step, limitOrder("r1"))
	if out := b.state.finish(step); out.Creates == "" {
		t.Fatal("the step with the intent of a command creates no order, want one")
	}
	b = newFixture(t, venues.Capabilities{})
	o := b.fillEntry("1")
	b.now = o.Bracket.Due()
	step = b.stepContext()
	b.state.tick(step)
	if out := b.state.finish(step); out.Creates != "" || len(out.Batch.Puts) < 2 {
		t.Fatalf("%d records, creates %q, want at least 2 and nothing", len(out.Batch.Puts), out.Creates)
	}
}

// TestNothingIsStoredOfAnOrderBeforeItsIntent: the store may reject the intent.
func TestNothingIsStoredOfAnOrderBeforeItsIntent(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.step(func(stepContext) {})
	step := b.stepContext()
	b.state.place(step, limitOrder("r1"))
	out := b.state.finish(step)
	o := b.state.orders[out.Creates]
	b.state.cancel(step, cancelOrder{cmd: venues.CancelOrder{OrderID: o.OrderID}})
	if out := b.state.finish(step); !out.Batch.Empty() {
		t.Fatalf("batch before the intent is durable = %+v, want an empty one", out.Batch)
	}
	b.state.intentStored(o.OrderID)
	out = b.state.finish(step)
	if len(out.Batch.Puts) != 1 || out.Batch.Puts[0].(persistence.OrderRecord).PendingAction != venues.PendingCancel {
		t.Fatalf("batch after the intent is durable = %+v, want the order with %q pending", out.Batch, venues.PendingCancel)
	}
}

func TestCancelAllWhileLoadingIsNotAnEmptySuccess(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.isLoaded = false
	var rejection error
	b.step(func(step stepContext) {
		b.state.getOpen(step, getOpen{Reply: actors.ReplyFunc(func(_ openOrders, err error) { rejection = err })})
	})
	for _, e := range b.effects {
		e.run(nil, nil)
	}
	if venues.CodeOf(rejection) != venues.CodeMaintenance {
		t.Fatalf("error = %v, want %s", rejection, venues.CodeMaintenance)
	}
}

func TestMissingFillsAreFetchedAgain(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusFilled, "1")) })
	isFetch := func(e effect) bool { _, ok := e.(callFills); return ok }
	if !b.find(isFetch) {
		t.Fatalf("effects = %+v, want a request for the fills", b.effects)
	}
	b.step(func(step stepContext) { b.state.fillsFetched(step, fillsDone{orderID: o.OrderID, err: errPoolFull}) })
	if !b.find(isFetch) {
		t.Fatalf("effects = %+v, want another request for the fills", b.effects)
	}
	b.step(func(step stepContext) {
		b.state.fillsFetched(step, fillsDone{orderID: o.OrderID, fills: []venues.Fill{*o.fill("t1", "1", "60000")}})
	})
	b.want(o, venues.StatusFilled, "1")
	if b.find(isFetch) {
		t.Fatalf("effects = %+v, want no request for fills, of which none is missing", b.effects)
	}
}

// TestCancelThatOvertookItsOrderIsSentAgain: the venue received the cancel before the
// order.
func TestCancelThatOvertookItsOrderIsSentAgain(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(step stepContext) { b.state.markUnknown(step, o) })
	b.cancel(o)
	b.step(func(step stepContext) { b.state.cancelled(step, cancelDone{orderID: o.OrderID, err: notFound()}) })
	b.answerNotFound(o)
	b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusOpen, "0")) })
	if !slices.ContainsFunc(b.pass(time.Second), isQuery) {
		t.Fatalf("no query within a second although the order is %s, want one", o.Status)
	}
	b.step(func(step stepContext) {
		b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	if !b.find(isCancel) {
		t.Errorf("effects = %+v, want another cancel", b.effects)
	}
}

// An order that was made elsewhere without a client id gets the same identity from each
// of its reports and after every restart, and an id with the time of the first.
func TestForeignOrderIsAdoptedOnce(t *testing.T) {
	made := int64(1_700_000_000_000)
	report := func(number, parent string, conditional bool, status venues.OrderStatus) venues.ExecutionReport {
		made++
		return venues.ExecutionReport{
			Symbol: "BTCUSDT", VenueOrderID: number, ParentID: parent, ConditionalID: conditional, Side: venues.Sell,
			Type: venues.TypeStopMarket, Status: status, Qty: venues.MustDecimal("1"), TriggerPrice: venues.Some(venues.MustDecimal("58000")),
			VenueTime: time.UnixMilli(made),
		}
	}
	adopt := func(reports ...venues.ExecutionReport) string {
		b := newFixture(t, venues.Capabilities{})
		for _, r := range reports {
			b.step(func(step stepContext) { b.state.orderLookedUp(step, lookedUp{report: r}) })
		}
		if len(b.state.orders) != 1 {
			t.Fatalf("%d orders, want 1", len(b.state.orders))
		}
		o := b.state.allInOrder()[0]
		identity := persistence.IdentityOfID(o.OrderID)
		if want := persistence.AdoptedOrderID(identity, reports[0].VenueTime); o.OrderID != want {
			t.Errorf("order id = %s, want %s", o.OrderID, want)
		}
		return identity
	}
	waiting, triggered := report("7", "", true, venues.StatusUntriggered), report("1234", "7", false, venues.StatusOpen)
	first := adopt(waiting, triggered, waiting)
	if again := adopt(waiting); again != first {
		t.Errorf("adopted again as %s, want %s", again, first)
	}
	if again := adopt(triggered); again != first {
		t.Errorf("adopted after its trigger as %s, want %s", again, first)
	}
	if other := adopt(report("7", "", false, venues.StatusOpen)); other == first {
		t.Errorf("order 7 and the conditional order 7 are both %s, want two orders", other)
	}
}

// Other clients of the venue may use a client order id again.
func TestForeignClientIDMayBeUsedAgain(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	report := func(number string, status venues.OrderStatus) venues.ExecutionReport {
		return venues.ExecutionReport{
			Symbol: "BTCUSDT", ClientOrderID: "web1", VenueOrderID: number, Side: venues.Sell, Type: venues.TypeLimit,
			Status: status, Qty: venues.MustDecimal("1"), Price: venues.Some(venues.MustDecimal("65000")),
		}
	}
	for _, r := range []venues.ExecutionReport{report("1", venues.StatusOpen), report("1", venues.StatusCancelled), report("2", venues.StatusOpen)} {
		b.step(func(step stepContext) {
			if o := b.state.findReported(&r); o != nil {
				b.state.handleReport(step, r)
				return
			}
			b.state.orderLookedUp(step, lookedUp{report: r})
		})
	}
	open := b.state.unfinished()
	if len(b.state.orders) != 2 || len(open) != 1 || open[0].VenueOrderID != "2" {
		t.Fatalf("%d orders, open %v, want 2 with number 2 open", len(b.state.orders), open)
	}
	if ref := b.state.ids.ref(open[0]); ref.ClientOrderID != "" || ref.VenueOrderID != "2" {
		t.Errorf("query for %+v, want number 2 without a client id", ref)
	}
}
