package account

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// bench drives the pure state: a clock, ids, and everything that it asked for.
type bench struct {
	t      testing.TB
	state  *state
	now    time.Time
	nextID int
	// asked are the effects of the last step, puts the records of all steps by
	// key, events all events.
	asked   []effect
	puts    map[string]persistence.Record
	events  []persistence.Event
	journal []persistence.JournalEntry
	replies []result
}

type result struct {
	order venues.Order
	err   error
}

func newBench(t testing.TB, caps venues.Capabilities) *bench {
	if caps.UnfilledRetention == 0 {
		caps.UnfilledRetention = 72 * time.Hour
		caps.AbsenceAfter = 10 * time.Second
	}
	b := &bench{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), puts: map[string]persistence.Record{}}
	b.state = newState(Config{Customer: "c1", Exchange: venues.Binance, Capabilities: caps, ClientIDPrefix: "test"}, persistence.Fence{Customer: "c1", Epoch: 1})
	b.state.isLoaded, b.state.ready = true, true
	return b
}

func (b *bench) moment() moment {
	return moment{now: b.now, newID: func(prefix string) string {
		b.nextID++
		return fmt.Sprintf("%s_%026d", prefix, b.nextID)
	}}
}

// step runs one step and keeps what it asked for. Replies are delivered.
func (b *bench) step(f func(m moment)) []effect {
	m := b.moment()
	f(m)
	out := b.state.finish(m)
	for _, r := range out.batch.Puts {
		b.puts[r.Key().String()] = r
	}
	b.events = append(b.events, out.batch.Events...)
	b.journal = append(b.journal, out.batch.Journal...)
	b.asked = out.after
	for _, e := range out.after {
		if r, ok := e.(replyOrder); ok {
			b.replies = append(b.replies, result{r.order, r.err})
		}
	}
	return out.after
}

// pass lets time pass, ticking whenever something is due.
func (b *bench) pass(d time.Duration) []effect {
	var all []effect
	end := b.now.Add(d)
	for {
		due := b.state.nextDue()
		if due.IsZero() || due.After(end) {
			break
		}
		if due.After(b.now) {
			b.now = due
		}
		all = append(all, b.step(b.state.tick)...)
	}
	b.now = end
	return all
}

func instrument() *venues.Instrument {
	return &venues.Instrument{
		Symbol: "BTCUSDT", Exchange: venues.Binance, Status: venues.InstrumentTrading,
		TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"), MinQty: venues.MustDecimal("0.001"),
		MinNotional: venues.Some(venues.MustDecimal("100")),
	}
}

func limitOrder(requestID string) placeOrder {
	return placeOrder{
		cmd: venues.PlaceOrder{
			OrderSpec: venues.OrderSpec{
				Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal("1"),
				Price: venues.Some(venues.MustDecimal("60000")), TimeInForce: venues.GoodTillCancel,
			},
			RequestID: requestID, Scope: persistence.ScopeREST, Source: venues.SourceAPI,
		},
		attempt: 1, instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
	}
}

// place makes an intent and returns the order.
func (b *bench) place(in placeOrder) *order {
	b.t.Helper()
	in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	for _, e := range b.step(func(m moment) { b.state.place(m, in) }) {
		if c, ok := e.(callPlace); ok {
			return b.state.orders[c.orderID]
		}
	}
	b.t.Fatalf("nothing was sent: %+v", b.replies)
	return nil
}

func (o *order) says(status venues.OrderStatus, filled string) venues.ExecutionReport {
	return venues.ExecutionReport{
		Symbol: o.Symbol, ClientOrderID: o.ClientOrderID, VenueOrderID: "v-" + o.OrderID, Side: o.Side, Type: o.Type,
		Status: status, Qty: o.Qty, FilledQty: venues.MustDecimal(filled), Price: o.Price, TriggerPrice: o.TriggerPrice,
	}
}

func (o *order) fill(trade, qty, price string) *venues.Fill {
	return &venues.Fill{
		Symbol: o.Symbol, Side: o.Side, Qty: venues.MustDecimal(qty), Price: venues.MustDecimal(price),
		Fee: venues.Some(venues.MustDecimal("0.5")), FeeCurrency: "USDT",
		VenueTradeID: trade, VenueOrderID: "v-" + o.OrderID, ExecutedAt: venues.At(time.Date(2026, 3, 1, 12, 0, 1, 0, time.UTC)),
	}
}

func (b *bench) lastReply() result {
	b.t.Helper()
	if len(b.replies) == 0 {
		b.t.Fatal("nobody was answered")
	}
	return b.replies[len(b.replies)-1]
}

func (b *bench) find(match func(effect) bool) bool {
	for _, e := range b.asked {
		if match(e) {
			return true
		}
	}
	return false
}

func (b *bench) want(o *order, status venues.OrderStatus, filled string) {
	b.t.Helper()
	if o.Status != status || !o.FilledQty.Equal(venues.MustDecimal(filled)) {
		b.t.Fatalf("order is %s with %s filled, want %s with %s", o.Status, o.FilledQty, status, filled)
	}
}

func isQuery(e effect) bool  { _, ok := e.(callQuery); return ok }
func isCancel(e effect) bool { _, ok := e.(callCancel); return ok }
func isProof(e effect) bool  { _, ok := e.(callProof); return ok }

var errTimeout = errors.Join(venues.ErrOutcomeUnknown, errors.New("read: time-out"))

func notFound() error { return venues.Errorf(venues.CodeNotFound, "Order does not exist.") }

func TestIntentIsDurableBeforeItIsSent(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	in := limitOrder("r1")
	m := b.moment()
	b.state.place(m, in)
	out := b.state.finish(m)
	if len(out.batch.Absent) != 1 || len(out.batch.Puts) != 3 || out.batch.Fence.Epoch != 1 {
		t.Fatalf("batch %+v", out.batch)
	}
	record := out.batch.Puts[2].(persistence.OrderRecord)
	if record.Status != venues.StatusPending || record.ClientOrderID == "" || record.Deadline.Sub(b.now) != orderLifeMax {
		t.Fatalf("intent %+v", record)
	}
	if _, ok := out.after[0].(callPlace); !ok {
		t.Fatalf("after the commit: %T", out.after[0])
	}
	if id, ok := b.state.ids.orderID(record.ClientOrderID); !ok || id != record.OrderID {
		t.Fatalf("order id read back: %s", id)
	}
}

func TestAcknowledgedOrderIsAnswered(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(m moment) {
		b.state.placed(m, placeDone{orderID: o.OrderID, report: o.says(venues.StatusOpen, "0")})
	})
	if r := b.lastReply(); r.err != nil || r.order.Status != venues.StatusOpen || r.order.VenueOrderID == "" {
		t.Fatalf("answer %+v", r)
	}
}

func TestRefusalFreesTheRequestID(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	refusal := venues.Errorf(venues.CodeInsufficientBalance, "Margin is insufficient.")
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: refusal}) })
	b.want(o, venues.StatusRejected, "0")
	r := b.lastReply()
	if venues.CodeOf(r.err) != venues.CodeInsufficientBalance {
		t.Fatalf("answer %v", r.err)
	}
	e, _ := errors.AsType[*venues.Error](r.err)
	if record, ok := e.Details["order"].(venues.Order); !ok || record.Status != venues.StatusRejected {
		t.Fatalf("details %+v", e.Details)
	}
	b.wantFreed(true)
}

func (b *bench) wantFreed(freed bool) {
	b.t.Helper()
	for _, r := range b.puts {
		if claim, ok := r.(persistence.IdempotencyRecord); ok {
			if claim.FreedAt.IsZero() == freed {
				b.t.Fatalf("claim %+v", claim)
			}
			return
		}
	}
	b.t.Fatal("no claim")
}

func TestPostOnlyRefusalIsACancelledOrder(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	in := limitOrder("r1")
	in.cmd.PostOnly = true
	o := b.place(in)
	refusal := venues.Errorf(venues.CodeInvalidRequest, "would take").With("reason", "post_only_would_take")
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: refusal}) })
	r := b.lastReply()
	if r.err != nil || r.order.Status != venues.StatusCancelled || r.order.Error.Reason != "post_only_would_take" {
		t.Fatalf("answer %+v", r)
	}
	b.wantFreed(false)
}

func TestUnknownIsAnsweredAsUnknownAndFound(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: errTimeout}) })
	b.want(o, venues.StatusUnknown, "0")
	if n := count(b.pass(2900*time.Millisecond), isQuery); n != 2 {
		t.Fatalf("%d questions in 2.9 s, want them at 0.5 and 1.5 s", n)
	}
	if len(b.replies) != 0 {
		t.Fatal("answered too early")
	}
	b.pass(200 * time.Millisecond)
	if r := b.lastReply(); r.err != nil || r.order.Status != venues.StatusUnknown {
		t.Fatalf("answer %+v", r)
	}
	b.step(func(m moment) {
		b.state.queried(m, queryDone{orderID: o.OrderID, report: o.says(venues.StatusOpen, "0")})
	})
	b.want(o, venues.StatusOpen, "0")
}

func count(list []effect, match func(effect) bool) int {
	n := 0
	for _, e := range list {
		if match(e) {
			n++
		}
	}
	return n
}

func TestAbsenceNeedsProof(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: errTimeout}) })
	miss := func() {
		b.step(func(m moment) { b.state.queried(m, queryDone{orderID: o.OrderID, err: notFound()}) })
	}
	for range 3 {
		b.pass(4 * time.Second)
		miss()
		if b.find(isProof) {
			t.Fatalf("proof begun %s after the order", b.now.Sub(o.CreatedAt.Time))
		}
	}
	b.pass(4 * time.Second)
	miss()
	if !b.find(isProof) {
		t.Fatal("no proof begun after deadline, delay and two questions")
	}
	stranger := venues.Fill{Symbol: o.Symbol, Side: o.Side, VenueOrderID: "77"}
	b.step(func(m moment) { b.state.proved(m, proofDone{orderID: o.OrderID, fills: []venues.Fill{stranger}}) })
	b.want(o, venues.StatusUnknown, "0")
	b.pass(10 * time.Second)
	miss()
	b.step(func(m moment) { b.state.proved(m, proofDone{orderID: o.OrderID}) })
	b.want(o, venues.StatusRejected, "0")
	if o.Error.Reason != "not_placed" {
		t.Fatalf("error %+v", o.Error)
	}
	b.wantFreed(true)
}

func TestOrderIsFilledOnlyWithItsFills(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.step(func(m moment) {
		b.state.placed(m, placeDone{orderID: o.OrderID, report: o.says(venues.StatusFilled, "1")})
	})
	b.want(o, venues.StatusPending, "0")
	first := o.says(venues.StatusPartiallyFilled, "0.4")
	first.Fill = o.fill("t1", "0.4", "60000")
	b.step(func(m moment) { b.state.report(m, first) })
	b.step(func(m moment) { b.state.report(m, first) })
	b.want(o, venues.StatusPartiallyFilled, "0.4")
	b.step(func(m moment) {
		b.state.fills(m, []venues.Fill{*o.fill("t1", "0.4", "60000"), *o.fill("t2", "0.6", "59990")})
	})
	b.want(o, venues.StatusFilled, "1")
	if got := venues.FormatDecimal(o.AvgPrice.Decimal); got != "59994" {
		t.Fatalf("average price %s", got)
	}
	if got := venues.FormatDecimal(o.Fee.Decimal); got != "1" {
		t.Fatalf("fee %s", got)
	}
	wantEvents(t, b, persistence.EventOrderPartiallyFilled, persistence.EventOrderFilled)
	if r := b.lastReply(); r.err != nil || r.order.Status != venues.StatusFilled {
		t.Fatalf("answer %+v", r)
	}
}

func wantEvents(t *testing.T, b *bench, want ...persistence.EventType) {
	t.Helper()
	var got []persistence.EventType
	for _, e := range b.events {
		got = append(got, e.Type)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("events %v, want %v", got, want)
	}
}

func (b *bench) open(in placeOrder, status venues.OrderStatus) *order {
	o := b.place(in)
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, report: o.says(status, "0")}) })
	b.replies = nil
	return o
}

func (b *bench) cancel(o *order) {
	in := cancelOrder{orderReply: actors.ReplyFunc(func(venues.Order, error) {}), cmd: venues.CancelOrder{OrderID: o.OrderID}}
	b.step(func(m moment) { b.state.cancel(m, in) })
}

func TestCancelOfAFilledOrderIsNotFoundWithItsStatus(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	b.cancel(o)
	if !b.find(isCancel) {
		t.Fatal("no cancel was sent")
	}
	b.step(func(m moment) { b.state.cancelled(m, cancelDone{orderID: o.OrderID, err: notFound()}) })
	if len(b.replies) != 0 {
		t.Fatal("not found alone was taken for an answer")
	}
	if n := count(b.pass(time.Millisecond), isQuery); n != 1 {
		t.Fatalf("%d questions", n)
	}
	filled := o.says(venues.StatusFilled, "1")
	filled.Fill = o.fill("t1", "1", "60000")
	b.step(func(m moment) { b.state.queried(m, queryDone{orderID: o.OrderID, report: filled}) })
	e, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if e == nil || e.Code != venues.CodeNotFound || e.Details["status"] != "filled" {
		t.Fatalf("answer %+v", b.lastReply())
	}
}

func TestCancelWaitsForAnOrderOnItsWay(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder(""))
	b.cancel(o)
	if b.find(isCancel) {
		t.Fatal("the cancel could overtake the order")
	}
	b.step(func(m moment) {
		b.state.placed(m, placeDone{orderID: o.OrderID, report: o.says(venues.StatusOpen, "0")})
	})
	if !b.find(isCancel) {
		t.Fatal("the cancel was forgotten")
	}
	b.step(func(m moment) {
		b.state.cancelled(m, cancelDone{orderID: o.OrderID, report: o.says(venues.StatusCancelled, "0")})
	})
	if r := b.lastReply(); r.err != nil || r.order.Status != venues.StatusCancelled || r.order.PendingAction != "" {
		t.Fatalf("answer %+v", r)
	}
}

func TestAmendInPlace(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	in := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		cmd: venues.AmendOrder{OrderID: o.OrderID, Price: venues.Some(venues.MustDecimal("59000"))},
	}
	b.step(func(m moment) { b.state.amend(m, in) })
	if o.PendingAction != venues.PendingAmend {
		t.Fatalf("pending action %q", o.PendingAction)
	}
	seen := o.says(venues.StatusOpen, "0")
	seen.Price = venues.Some(venues.MustDecimal("59000"))
	b.step(func(m moment) { b.state.amended(m, amendDone{orderID: o.OrderID, report: seen}) })
	if r := b.lastReply(); r.err != nil || !r.order.Price.Decimal.Equal(venues.MustDecimal("59000")) || r.order.PendingAction != "" {
		t.Fatalf("answer %+v", r)
	}
}

func TestStopIsReplacedByItsResidual(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	in := limitOrder("")
	in.cmd.Type, in.cmd.TriggerPrice = venues.TypeStopLimit, venues.Some(venues.MustDecimal("61000"))
	o := b.open(in, venues.StatusUntriggered)
	amend := amendOrder{
		orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(),
		cmd: venues.AmendOrder{OrderID: o.OrderID, TriggerPrice: venues.Some(venues.MustDecimal("61500"))},
	}
	b.step(func(m moment) { b.state.amend(m, amend) })
	if !b.find(isCancel) {
		t.Fatal("a stop cannot be amended in place here")
	}
	b.step(func(m moment) {
		b.state.cancelled(m, cancelDone{orderID: o.OrderID, report: o.says(venues.StatusCancelled, "0")})
	})
	b.want(o, venues.StatusReplaced, "0")
	next := b.state.orders[o.ReplacedBy]
	if next == nil || next.Replaces != o.OrderID || !next.TriggerPrice.Decimal.Equal(venues.MustDecimal("61500")) {
		t.Fatalf("successor %+v", next)
	}
	b.step(func(m moment) {
		b.state.placed(m, placeDone{orderID: next.OrderID, report: next.says(venues.StatusUntriggered, "0")})
	})
	if r := b.lastReply(); r.err != nil || r.order.OrderID != next.OrderID {
		t.Fatalf("answer %+v", r)
	}
}

func TestOrderHeldBackForTheVenuesLimitsSaysSo(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	limited := venues.Errorf(venues.CodeRateLimited, "orders_10s").Because(venues.ErrNotSent)
	limited.RetryAfter = 3 * time.Second
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: limited}) })
	e, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if e == nil || e.Code != venues.CodeRateLimited || e.RetryAfter != 3*time.Second {
		t.Fatalf("answer %v", b.lastReply().err)
	}
	b.wantFreed(true)
}

func TestOrderThatTheConnectorRefusesKeepsItsReason(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	invalid := venues.InvalidFields(venues.FieldFault{Field: "qty", Rule: "not_a_multiple_of_step", Given: "1.5", Allowed: "1 or 2"}).Because(venues.ErrNotSent)
	b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: invalid}) })
	e, _ := errors.AsType[*venues.Error](b.lastReply().err)
	if e == nil || e.Code != venues.CodeInvalidRequest || e.Details["fields"] == nil {
		t.Fatalf("answer %v", b.lastReply().err)
	}
	if o.Error.Code != venues.CodeInvalidRequest {
		t.Fatalf("%+v", o.Error)
	}
	b.wantFreed(true)
}

func TestExecutionToldAMillisecondApartIsOne(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	told := o.says(venues.StatusPartiallyFilled, "0.4")
	told.Fill = o.fill("t1", "0.4", "60000")
	b.step(func(m moment) { b.state.report(m, told) })
	again := *o.fill("t1", "0.4", "60000")
	again.ExecutedAt = venues.At(again.ExecutedAt.Add(time.Millisecond))
	b.step(func(m moment) { b.state.fills(m, []venues.Fill{again}) })
	b.want(o, venues.StatusPartiallyFilled, "0.4")
}

func TestPostOnlyIsAnsweredWhenTheVenueHasDecided(t *testing.T) {
	for end, want := range map[venues.OrderStatus]venues.OrderStatus{
		venues.StatusCancelled: venues.StatusCancelled, venues.StatusOpen: venues.StatusOpen,
	} {
		b := newBench(t, venues.Capabilities{AsyncAck: true})
		in := limitOrder("")
		in.cmd.PostOnly = true
		o := b.place(in)
		b.step(func(m moment) { b.state.report(m, o.says(venues.StatusOpen, "0")) })
		if len(b.replies) != 0 {
			t.Fatal("answered before the venue has decided")
		}
		b.step(func(m moment) { b.state.report(m, o.says(end, "0")) })
		b.pass(time.Second)
		if r := b.lastReply(); r.err != nil || r.order.Status != want {
			t.Fatalf("answer %+v", r)
		}
	}
}
