package account

import (
	"errors"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

func TestIntentIsDurableBeforeItIsSent(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	in := limitOrder("r1")
	step := b.stepContext()
	b.state.place(step, in)
	out := b.state.finish(step)
	if len(out.Batch.Absent) != 2 || len(out.Batch.Puts) != 3 || out.Batch.Fence.Epoch != 1 {
		t.Fatalf("batch = %+v, want 2 absent keys, 3 records and fence epoch 1", out.Batch)
	}
	record := out.Batch.Puts[2].(persistence.OrderRecord)
	if record.Status != venues.StatusPending || record.ClientOrderID == "" || record.Deadline.Sub(b.now) != requestLife {
		t.Fatalf("intent = %+v, want %s with a client id and a deadline in %s", record, venues.StatusPending, requestLife)
	}
	if _, ok := out.After[0].(callPlace); !ok {
		t.Fatalf("effect = %T, want callPlace", out.After[0])
	}
	if id, ok := b.state.ids.orderID(record.ClientOrderID); !ok || id != record.OrderID {
		t.Fatalf("order id of the client id = %s, want %s", id, record.OrderID)
	}
}

func TestAcknowledgedOrderIsAnswered(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	if r := b.lastReply(); r.err != nil || r.order.Status != venues.StatusOpen || r.order.VenueOrderID == "" {
		t.Fatalf("reply = %+v, want status %s with a venue order id", r, venues.StatusOpen)
	}
}

func TestRejectionFreesTheRequestID(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	rejection := venues.Errorf(venues.CodeInsufficientBalance, "Margin is insufficient.")
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: rejection}) })
	b.want(o, venues.StatusRejected, "0")
	r := b.lastReply()
	if venues.CodeOf(r.err) != venues.CodeInsufficientBalance {
		t.Fatalf("reply = %v, want %s", r.err, venues.CodeInsufficientBalance)
	}
	e, _ := errors.AsType[*venues.Error](r.err)
	if record, ok := e.Details["order"].(venues.Order); !ok || record.Status != venues.StatusRejected {
		t.Fatalf("details = %+v, want an order that is %s", e.Details, venues.StatusRejected)
	}
	b.wantFreed(true)
}

// Whatever the venue's code is, a request that it has rejected was valid to this service.
func TestVenueRejectionIsNeverAnInvalidRequest(t *testing.T) {
	for given, want := range map[venues.Code]venues.Code{
		venues.CodeInvalidRequest: venues.CodeOrderRejected, venues.CodeUnauthorized: venues.CodeOrderRejected,
		venues.CodeNotFound: venues.CodeOrderRejected, venues.CodeLeverageChangeRejected: venues.CodeOrderRejected,
		venues.CodeInsufficientBalance: venues.CodeInsufficientBalance, venues.CodeSymbolNotTradable: venues.CodeSymbolNotTradable,
		venues.CodeRateLimited: venues.CodeRateLimited, venues.CodeMaintenance: venues.CodeMaintenance,
	} {
		rejection := venues.Errorf(given, "no").With("reason", "a_reason")
		rejection.VenueCode, rejection.VenueMessage = "-4016", "No."
		b := newFixture(t, venues.Capabilities{})
		o := b.place(limitOrder("r1"))
		b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: rejection}) })
		e, _ := errors.AsType[*venues.Error](b.lastReply().err)
		if e == nil || e.Code != want || e.VenueCode != "-4016" || e.Details["reason"] != "a_reason" || o.Error.Code != want || o.Status != venues.StatusRejected {
			t.Errorf("placing rejected with %s: error = %v of %+v, want %s", given, e, o.Error, want)
		}
		b.wantFreed(true)
		if given == venues.CodeNotFound { // after a change it means that the order is no longer open
			continue
		}
		o = b.open(limitOrder(""), venues.StatusOpen)
		b.amend(o, "59000")
		b.step(func(step stepContext) { b.state.amended(step, amendDone{orderID: o.OrderID, err: rejection}) })
		if got := venues.CodeOf(b.lastReply().err); got != want {
			t.Errorf("amending rejected with %s: code = %s, want %s", given, got, want)
		}
		b.cancel(o)
		b.step(func(step stepContext) { b.state.cancelled(step, cancelDone{orderID: o.OrderID, err: rejection}) })
		if got := venues.CodeOf(b.lastReply().err); got != want {
			t.Errorf("cancelling rejected with %s: code = %s, want %s", given, got, want)
		}
	}
}

// Some venues reject an order that can neither rest nor be filled, others accept and end it.
// Clients see the same on all venues.
func TestOrderThatEndsAtOnceIsAlikeOnAllVenues(t *testing.T) {
	for reason, change := range map[string]func(*placeOrder){
		venues.ReasonPostOnlyWouldTake: func(in *placeOrder) { in.cmd.PostOnly = true },
		venues.ReasonFOKNotFilled:      func(in *placeOrder) { in.cmd.TimeInForce = venues.FillOrKill },
		venues.ReasonIOCNotFilled:      func(in *placeOrder) { in.cmd.TimeInForce = venues.ImmediateOrCancel },
		venues.ReasonNoLiquidity: func(in *placeOrder) {
			in.cmd.Type, in.cmd.Price, in.cmd.TimeInForce = venues.TypeMarket, venues.Optional{}, venues.ImmediateOrCancel
		},
	} {
		ended := func(answer func(o *order) placeDone) venues.Order {
			t.Helper()
			b := newFixture(t, venues.Capabilities{})
			in := limitOrder("r1")
			change(&in)
			o := b.place(in)
			done := answer(o)
			done.orderID = o.OrderID
			b.step(func(step stepContext) { b.state.placed(step, done) })
			r := b.lastReply()
			if r.err != nil || r.order.Status != venues.StatusCancelled || r.order.Error == nil {
				t.Fatalf("%s: reply = %+v, want %s with an error", reason, r, venues.StatusCancelled)
			}
			b.wantFreed(false)
			return r.order
		}
		rejected := ended(func(*order) placeDone {
			rejection := venues.Errorf(venues.CodeInvalidRequest, "rejected by the venue").With("reason", reason)
			rejection.VenueCode, rejection.VenueMessage = "-5022", "Due to the order could not be executed."
			return placeDone{err: rejection}
		})
		accepted := ended(func(o *order) placeDone {
			report := o.reportWith(venues.StatusCancelled, "0")
			report.RejectReason = &venues.RejectReason{Code: venues.CodeOrderRejected, Reason: reason, Message: "the venue ended the order"}
			return placeDone{report: report}
		})
		a, b := rejected.Error, accepted.Error
		if string(a.Code) != reason || a.Code != b.Code || a.Message != b.Message || a.Reason != reason || b.Reason != reason {
			t.Errorf("rejected with %+v, ended with %+v, want the code %s and the same message", a, b, reason)
		}
		if a.VenueCode != "-5022" || a.VenueMessage == "" || b.VenueCode != "" {
			t.Errorf("rejected with %+v, ended with %+v, want the venue's code and message of the rejection alone", a, b)
		}
	}
}

func TestUnknownOrderIsAnsweredAsUnknownAndFound(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: errTimeout}) })
	b.want(o, venues.StatusUnknown, "0")
	if n := count(b.pass(2900*time.Millisecond), isQuery); n != 2 {
		t.Fatalf("%d queries in 2.9 s, want them at 0.5 and 1.5 s", n)
	}
	if len(b.replies) != 0 {
		t.Fatalf("replies = %+v before the reply is due, want none", b.replies)
	}
	b.pass(200 * time.Millisecond)
	if r := b.lastReply(); r.err != nil || r.order.Status != venues.StatusUnknown {
		t.Fatalf("reply = %+v, want status %s", r, venues.StatusUnknown)
	}
	b.step(func(step stepContext) {
		b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	b.want(o, venues.StatusOpen, "0")
}

func TestOrderIsFilledOnlyWithItsFills(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusFilled, "1")})
	})
	b.want(o, venues.StatusPending, "0")
	first := o.reportWith(venues.StatusPartiallyFilled, "0.4")
	first.Fill = o.fill("t1", "0.4", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, first) })
	b.step(func(step stepContext) { b.state.handleReport(step, first) })
	b.want(o, venues.StatusPartiallyFilled, "0.4")
	b.step(func(step stepContext) {
		b.state.handleFills(step, []venues.Fill{*o.fill("t1", "0.4", "60000"), *o.fill("t2", "0.6", "59990")})
	})
	b.want(o, venues.StatusFilled, "1")
	if got := venues.FormatDecimal(o.AvgPrice.Decimal); got != "59994" {
		t.Fatalf("average price = %s, want 59994", got)
	}
	if got := venues.FormatDecimal(o.Fee.Decimal); got != "1" {
		t.Fatalf("fee = %s, want 1", got)
	}
	wantEvents(t, b, persistence.EventOrderPartiallyFilled, persistence.EventOrderFilled)
	if r := b.lastReply(); r.err != nil || r.order.Status != venues.StatusFilled {
		t.Fatalf("reply = %+v, want status %s", r, venues.StatusFilled)
	}
}

func TestCancelOfAFilledOrderIsNotFoundWithItsStatus(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.cancel(o)
	if !b.find(isCancel) {
		t.Fatalf("effects = %+v, want a cancel", b.effects)
	}
	b.step(func(step stepContext) { b.state.cancelled(step, cancelDone{orderID: o.OrderID, err: notFound()}) })
	if len(b.replies) != 0 {
		t.Fatalf("replies = %+v after an answer \"not found\" alone, want none", b.replies)
	}
	if n := count(b.pass(time.Millisecond), isQuery); n != 1 {
		t.Fatalf("%d queries, want 1", n)
	}
	filled := o.reportWith(venues.StatusFilled, "1")
	filled.Fill = o.fill("t1", "1", "60000")
	b.step(func(step stepContext) { b.state.queryAnswered(step, queryDone{orderID: o.OrderID, report: filled}) })
	e, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if e == nil || e.Code != venues.CodeNotFound || e.Details["status"] != "filled" {
		t.Fatalf("reply = %+v, want %s with status filled", b.lastReply(), venues.CodeNotFound)
	}
}

func TestCancelWaitsForAnOrderOnItsWay(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder(""))
	b.cancel(o)
	if b.find(isCancel) {
		t.Fatalf("effects = %+v, want no cancel before the order is acknowledged", b.effects)
	}
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	if !b.find(isCancel) {
		t.Fatalf("effects = %+v, want a cancel", b.effects)
	}
	b.confirmCancels(o)
	if r := b.lastReply(); r.err != nil || r.order.Status != venues.StatusCancelled || r.order.PendingAction != "" {
		t.Fatalf("reply = %+v, want status %s and no pending action", r, venues.StatusCancelled)
	}
}

func TestAmendInPlace(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		cmd: venues.AmendOrder{OrderID: o.OrderID, Price: venues.Some(venues.MustDecimal("59000"))},
	}
	b.step(func(step stepContext) { b.state.amend(step, in) })
	if o.PendingAction != venues.PendingAmend {
		t.Fatalf("pending action = %q, want %q", o.PendingAction, venues.PendingAmend)
	}
	seen := o.reportWith(venues.StatusOpen, "0")
	seen.Price = venues.Some(venues.MustDecimal("59000"))
	b.step(func(step stepContext) { b.state.amended(step, amendDone{orderID: o.OrderID, report: seen}) })
	if r := b.lastReply(); r.err != nil || !r.order.Price.Decimal.Equal(venues.MustDecimal("59000")) || r.order.PendingAction != "" {
		t.Fatalf("reply = %+v, want price 59000 and no pending action", r)
	}
}

func TestAmendReplacesAStop(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	in := limitOrder("")
	in.cmd.Type, in.cmd.TriggerPrice = venues.TypeStopLimit, venues.Some(venues.MustDecimal("61000"))
	o := b.open(in, venues.StatusUntriggered)
	amend := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		cmd: venues.AmendOrder{OrderID: o.OrderID, TriggerPrice: venues.Some(venues.MustDecimal("61500"))},
	}
	b.step(func(step stepContext) { b.state.amend(step, amend) })
	if !b.find(isCancel) {
		t.Fatalf("effects = %+v, want a cancel: the venue cannot amend a stop in place", b.effects)
	}
	b.confirmCancels(o)
	b.want(o, venues.StatusReplaced, "0")
	next := b.state.orders[o.ReplacedBy]
	if next == nil || next.Replaces != o.OrderID || !next.TriggerPrice.Decimal.Equal(venues.MustDecimal("61500")) {
		t.Fatalf("replacement = %+v, want one of %s with trigger 61500", next, o.OrderID)
	}
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: next.OrderID, report: next.reportWith(venues.StatusUntriggered, "0")})
	})
	if r := b.lastReply(); r.err != nil || r.order.OrderID != next.OrderID {
		t.Fatalf("reply = %+v, want order %s", r, next.OrderID)
	}
}

func TestOrderAboveTheRateLimitIsRateLimited(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	limited := venues.Errorf(venues.CodeRateLimited, "used up").With("limit", "orders_10s").Because(venues.ErrNotSent)
	limited.RetryAfter = 3 * time.Second
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: limited}) })
	e, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if e == nil || e.Code != venues.CodeRateLimited || e.RetryAfter != 3*time.Second {
		t.Fatalf("reply = %v, want %s after %s", b.lastReply().err, venues.CodeRateLimited, 3*time.Second)
	}
	if e.Details["scope"] != "venue" || e.Details["limit"] != "orders_10s" {
		t.Errorf("details = %v, want the limit orders_10s of the scope venue", e.Details)
	}
	b.wantFreed(true)
}

func TestOrderThatTheConnectorRejectsKeepsItsReason(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	invalid := venues.InvalidFields(venues.FieldError{Field: "qty", Rule: "not_a_multiple_of_step", Given: "1.5", Allowed: "1 or 2"}).Because(venues.ErrNotSent)
	b.step(func(step stepContext) { b.state.placed(step, placeDone{orderID: o.OrderID, err: invalid}) })
	e, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if e == nil || e.Code != venues.CodeInvalidRequest || e.Details["fields"] == nil {
		t.Fatalf("reply = %v, want %s with details.fields", b.lastReply().err, venues.CodeInvalidRequest)
	}
	if o.Error.Code != venues.CodeInvalidRequest {
		t.Fatalf("error = %+v, want %s", o.Error, venues.CodeInvalidRequest)
	}
	b.wantFreed(true)
}

func TestExecutionReportedAMillisecondApartIsOne(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	report := o.reportWith(venues.StatusPartiallyFilled, "0.4")
	report.Fill = o.fill("t1", "0.4", "60000")
	b.step(func(step stepContext) { b.state.handleReport(step, report) })
	again := *o.fill("t1", "0.4", "60000")
	again.ExecutedAt = venues.At(again.ExecutedAt.Add(time.Millisecond))
	b.step(func(step stepContext) { b.state.handleFills(step, []venues.Fill{again}) })
	b.want(o, venues.StatusPartiallyFilled, "0.4")
}

func TestPostOnlyIsAnsweredWhenTheVenueHasDecided(t *testing.T) {
	for end, want := range map[venues.OrderStatus]venues.OrderStatus{
		venues.StatusCancelled: venues.StatusCancelled, venues.StatusOpen: venues.StatusOpen,
	} {
		b := newFixture(t, venues.Capabilities{AsyncAck: true})
		in := limitOrder("")
		in.cmd.PostOnly = true
		o := b.place(in)
		b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(venues.StatusOpen, "0")) })
		if len(b.replies) != 0 {
			t.Fatalf("replies = %+v before the venue has decided, want none", b.replies)
		}
		b.step(func(step stepContext) { b.state.handleReport(step, o.reportWith(end, "0")) })
		b.pass(time.Second)
		if r := b.lastReply(); r.err != nil || r.order.Status != want {
			t.Fatalf("reply = %+v, want status %s", r, want)
		}
	}
}

// A post-only order that the private stream has reported as open is answered directly
// afterwards, unless the stream reports its end.
func TestPostOnlyIsAnsweredWhenTheStreamHasReportedIt(t *testing.T) {
	for end, want := range map[venues.OrderStatus]venues.OrderStatus{
		venues.StatusCancelled: venues.StatusCancelled, venues.StatusOpen: venues.StatusOpen,
	} {
		for _, acknowledged := range []bool{false, true} {
			b := newFixture(t, venues.Capabilities{AsyncAck: true})
			in := limitOrder("")
			in.cmd.PostOnly = true
			o := b.place(in)
			streams := func(status venues.OrderStatus) {
				report := o.reportWith(status, "0")
				b.step(func(step stepContext) { b.state.observe(step, observed{report: &report}) })
			}
			if acknowledged {
				b.step(func(step stepContext) {
					b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusPending, "0")})
				})
			}
			streams(venues.StatusOpen)
			if len(b.replies) != 0 {
				t.Fatalf("replies = %+v before a cancel could follow, want none", b.replies)
			}
			streams(end)
			b.pass(postOnlyFollowUp)
			if r := b.lastReply(); r.err != nil || r.order.Status != want {
				t.Fatalf("reply = %+v, want status %s", r, want)
			}
		}
	}
}
