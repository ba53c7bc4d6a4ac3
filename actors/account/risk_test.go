package account

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/actors"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// limited returns a fixture with a daily loss limit of 100 and a long position of 2 at 100.
func limited(t testing.TB) *fixture {
	b := newFixture(t, venues.Capabilities{})
	b.step(func(stepContext) { b.state.risk.Limits.DailyLoss = venues.Some(venues.MustDecimal("100")) })
	b.adoptForeign(1, venues.Buy, "2", "100", nil)
	b.streamPosition(venues.Long, "2")
	b.now = b.now.Add(time.Second)
	return b
}

// realizeLoss closes a part of the position at a loss, with a fee of 0.5.
func (b *fixture) realizeLoss(n int, qty, realized string) {
	b.adoptForeign(n, venues.Sell, qty, "10", func(r *venues.ExecutionReport) { r.Fill.RealizedPnl = venues.Some(venues.MustDecimal(realized)) })
}

// tryPlace places an order and returns its rejection; nil if it was sent.
func (b *fixture) tryPlace(change func(*placeOrder)) *venues.Error {
	b.t.Helper()
	in := limitOrder("")
	change(&in)
	in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	before := len(b.replies)
	for _, e := range b.step(func(step stepContext) { b.state.place(step, in) }) {
		if c, ok := e.(callPlace); ok {
			return b.state.beginSend(c.orderID, b.now)
		}
	}
	if len(b.replies) == before {
		b.t.Fatal("neither a request nor a reply, want one")
	}
	rejection, _ := errors.AsType[*venues.Error](b.lastReply().err)
	return rejection
}

func sells(qty string, reduceOnly bool) func(*placeOrder) {
	return func(in *placeOrder) {
		in.cmd.Side, in.cmd.Qty, in.cmd.ReduceOnly = venues.Sell, venues.MustDecimal(qty), reduceOnly
	}
}

func code(e *venues.Error) venues.Code {
	if e == nil {
		return ""
	}
	return e.Code
}

func TestLossLocksUntilMidnight(t *testing.T) {
	b := limited(t)
	b.realizeLoss(2, "1", "-98.9") // with both fees 99.9
	if n := countEvents(b, persistence.EventRiskLimitReached); n != 0 {
		t.Fatalf("%d locks below the limit, want 0", n)
	}
	b.streamPosition(venues.Long, "1")
	b.now = b.now.Add(time.Second)
	b.realizeLoss(3, "0.5", "-0.1")
	if n := countEvents(b, persistence.EventRiskLimitReached); n != 1 {
		t.Fatalf("%d locks at the limit, want 1", n)
	}
	record := b.puts["c1/risk/binance"].(persistence.RiskRecord)
	if record.Lock == nil || record.Lock.Actual.String() != "100.5" || !record.Lock.Until.Equal(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)) {
		t.Fatalf("record = %+v, want a lock at 100.5 until midnight", record)
	}
	if got := string(b.events[len(b.events)-1].Data); got != `{"limit":"daily_loss","threshold":"100","actual":"100.5","action":"trading_locked","exchange":"binance"}` {
		t.Errorf("event %s", got)
	}
	b.wantLocked(true)
	b = b.restart()
	b.state.risk.Limits.DailyLoss = venues.Some(venues.MustDecimal("100"))
	b.streamPosition(venues.Long, "0.5")
	b.wantLocked(true)
	b.pass(12 * time.Hour)
	b.wantLocked(false)
	if record := b.puts["c1/risk/binance"].(persistence.RiskRecord); record.Lock != nil || !record.Baseline.Valid {
		t.Errorf("record of the new day = %+v, want a baseline and no lock", record)
	}
}

// wantLocked checks, with a long position of 0.5, which kinds of orders are rejected.
func (b *fixture) wantLocked(locked bool) {
	b.t.Helper()
	var want venues.Code
	if locked {
		want = venues.CodeTradingLocked
	}
	rejection := b.tryPlace(func(*placeOrder) {})
	if code(rejection) != want {
		b.t.Fatalf("increasing order: rejection = %v, want %q", rejection, want)
	}
	if locked && (rejection.Details["limit"] != "daily_loss" || rejection.Details["threshold"] != "100" || rejection.Details["actual"] != "100.5" || rejection.Details["until"] != "2026-03-02T00:00:00.000Z") {
		b.t.Errorf("details = %v, want daily_loss, 100, 100.5 and midnight", rejection.Details)
	}
	if got := code(b.tryPlace(sells("0.6", false))); got != want {
		b.t.Errorf("order that reverses the position: code = %q, want %q", got, want)
	}
	if rejection := b.tryPlace(sells("0.5", false)); rejection != nil {
		b.t.Errorf("order that reduces: rejection = %v, want none", rejection)
	}
	if got := code(b.tryPlace(sells("0.1", false))); got != want {
		b.t.Errorf("order that reduces what another one reduces already: code = %q, want %q", got, want)
	}
	if rejection := b.tryPlace(sells("9", true)); rejection != nil {
		b.t.Errorf("reduce-only order: rejection = %v, want none", rejection)
	}
	for _, o := range b.state.unfinished() {
		b.step(func(step stepContext) {
			b.state.placed(step, placeDone{orderID: o.OrderID, err: venues.Errorf(venues.CodeOrderRejected, "no")})
		})
	}
}

// TestUnrealizedLossCounts since the beginning of the day. It does not count twice when it
// is realized before the venue reports the smaller position.
func TestUnrealizedLossCounts(t *testing.T) {
	b := limited(t)
	reads := func(qty, unrealized string) {
		b.now = b.now.Add(time.Second)
		p := venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal(qty), UnrealizedPnl: venues.Some(venues.MustDecimal(unrealized))}
		b.step(func(step stepContext) {
			b.state.fundsRead(step, fundsDone{part: bothParts, funds: Funds{Positions: []venues.Position{p}, ReadAt: b.now}})
		})
		b.now = b.now.Add(time.Second)
	}
	reads("2", "-90")
	if b.state.risk.IsReduceOnly() {
		t.Fatalf("reduce-only with a loss of %s, want it only from 100 on", b.state.risk.DailyLoss())
	}
	b.realizeLoss(2, "1", "-45")
	if b.state.risk.IsReduceOnly() {
		t.Fatalf("reduce-only with a loss of %s, want the half that is realized to count once", b.state.risk.DailyLoss())
	}
	if got := b.state.risk.DailyLoss().String(); got != "91" {
		t.Fatalf("daily loss = %s, want 91", got)
	}
	reads("1", "-54")
	if !b.state.risk.IsReduceOnly() || countEvents(b, persistence.EventRiskLimitReached) != 1 {
		t.Fatalf("reduce-only = %t with a loss of %s and %d locks, want true and 1", b.state.risk.IsReduceOnly(), b.state.risk.DailyLoss(), countEvents(b, persistence.EventRiskLimitReached))
	}
}

func TestPositionsAreReadWhileALossLimitIsSet(t *testing.T) {
	b := limited(t)
	reads := func(e effect) bool { _, ok := e.(callFunds); return ok }
	n := 0
	for range 60 {
		n += count(b.pass(time.Second), reads)
		b.state.funds.reading = false
	}
	if n < 11 || n > 13 {
		t.Errorf("%d readings of the positions in a minute, want 11 to 13", n)
	}
}

// TestLockWaitsForWhatIsBeingSent, so that no order is sent after the lock is durable.
func TestLockWaitsForWhatIsBeingSent(t *testing.T) {
	for name, end := range map[string]func(b *fixture, o *order){
		"the answer": func(b *fixture, o *order) {
			b.step(func(step stepContext) {
				b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
			})
		},
		"the deadline": func(b *fixture, _ *order) { b.pass(requestLife) },
	} {
		t.Run(name, func(t *testing.T) {
			b := limited(t)
			o := b.place(limitOrder(""))
			if rejection := b.state.beginSend(o.OrderID, b.now); rejection != nil {
				t.Fatalf("rejection = %v, want none", rejection)
			}
			waits := b.place(limitOrder(""))
			b.realizeLoss(2, "1", "-200")
			if n := countEvents(b, persistence.EventRiskLimitReached); n != 0 {
				t.Fatalf("%d locks while an order is being sent, want 0", n)
			}
			if sent, placed := code(b.state.beginSend(waits.OrderID, b.now)), code(b.tryPlace(func(*placeOrder) {})); sent != venues.CodeTradingLocked || placed != venues.CodeTradingLocked {
				t.Fatalf("orders before the lock is durable: codes %q and %q, want %s", sent, placed, venues.CodeTradingLocked)
			}
			end(b, o)
			if n := countEvents(b, persistence.EventRiskLimitReached); n != 1 {
				t.Fatalf("%d locks, want 1", n)
			}
		})
	}
}

func TestUnlockRestartsTheCount(t *testing.T) {
	b := limited(t)
	b.realizeLoss(2, "0.5", "-150")
	unlocks := func() {
		b.step(func(step stepContext) {
			b.state.unlock(step, unlock{actors.ReplyFunc(func(struct{}, error) {})})
		})
	}
	unlocks()
	if b.state.risk.IsReduceOnly() {
		t.Fatalf("reduce-only right after the unlock with a loss of %s, want it open", b.state.risk.DailyLoss())
	}
	b.now = b.now.Add(time.Second)
	b.realizeLoss(3, "0.5", "-99")
	if b.state.risk.IsReduceOnly() {
		t.Fatalf("reduce-only with a loss of %s since the unlock, want it open below 100", b.state.risk.DailyLoss())
	}
	b.now = b.now.Add(time.Second)
	b.realizeLoss(4, "0.5", "-5")
	if !b.state.risk.IsReduceOnly() {
		t.Fatalf("not reduce-only with a loss of %s since the unlock, want it from 100 on", b.state.risk.DailyLoss())
	}
	unlocks()
	unlocks() // nothing is locked
}

func TestOrderLimits(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.step(func(stepContext) {
		b.state.risk.Limits = persistence.RiskLimits{MaxOrderNotional: venues.Some(venues.MustDecimal("60000")), MaxOpenOrders: 2}
	})
	priced := func(qty string, kind venues.OrderType, mark string) func(*placeOrder) {
		return func(in *placeOrder) {
			in.cmd.Qty, in.cmd.Type, in.mark = venues.MustDecimal(qty), kind, venues.Optional{}
			if kind == venues.TypeMarket {
				in.cmd.Price = venues.Optional{}
			}
			if mark != "" {
				in.mark = venues.Some(venues.MustDecimal(mark))
			}
		}
	}
	wants := func(rule string, given any, change func(*placeOrder)) {
		t.Helper()
		e := b.tryPlace(change)
		if code(e) != venues.CodeRiskRejected || e.Details["rule"] != rule || e.Details["given"] != given || e.Details["limit"] == nil {
			t.Errorf("rejection = %+v, want %s by rule %v with given %v", e, venues.CodeRiskRejected, rule, given)
		}
	}
	wants("max_order_notional", "60060", priced("1.001", venues.TypeLimit, "1"))
	wants("max_order_notional", "60001", priced("1", venues.TypeMarket, "60001"))
	wants("max_order_notional", nil, priced("1", venues.TypeMarket, ""))
	for range 2 {
		if e := b.tryPlace(priced("1", venues.TypeLimit, "")); e != nil {
			t.Fatalf("rejection = %v, want none", e)
		}
	}
	wants("max_open_orders", 3, priced("1", venues.TypeLimit, ""))
	if e := b.tryPlace(sells("5", true)); e != nil {
		t.Errorf("order that reduces: rejection = %v, want none", e)
	}
	o := b.state.unfinished()[0]
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	grows := amendOrder{cmd: venues.AmendOrder{OrderID: o.OrderID, Qty: venues.Some(venues.MustDecimal("2"))}, instrument: instrument()}
	grows.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	b.step(func(step stepContext) { b.state.amend(step, grows) })
	if code := venues.CodeOf(b.lastReply().err); code != venues.CodeRiskRejected {
		t.Errorf("amend past the limit: %v, want %s", b.lastReply().err, venues.CodeRiskRejected)
	}
}

// TestNoIncreasingOrderPassesALock places, answers, fills and loses orders in a random
// order. An order that is sent by a reduce-only account reduces what is open by the
// executions.
func TestNoIncreasingOrderPassesALock(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := limited(t)
		n := 10
		waiting := []string{}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			b.now = b.now.Add(time.Duration(rapid.IntRange(0, 700).Draw(rt, "ms")) * time.Millisecond)
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0, 1:
				in := limitOrder("")
				in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
				in.cmd.Side = rapid.SampledFrom([]venues.Side{venues.Buy, venues.Sell}).Draw(rt, "side")
				in.cmd.Qty = venues.MustDecimal(fmt.Sprintf("0.%d", rapid.IntRange(1, 9).Draw(rt, "tenths")))
				for _, e := range b.step(func(step stepContext) { b.state.place(step, in) }) {
					if c, ok := e.(callPlace); ok {
						waiting = append(waiting, c.orderID)
					}
				}
			case 2:
				b.realizeLoss(n, "0.1", fmt.Sprintf("-%d", rapid.IntRange(1, 60).Draw(rt, "loss")))
				n++
			case 3:
				if len(waiting) > 0 {
					i := rapid.IntRange(0, len(waiting)-1).Draw(rt, "departs")
					b.sendOne(rt, waiting[i])
					waiting = append(waiting[:i], waiting[i+1:]...)
				}
			case 4:
				b.pass(time.Second)
			}
		}
	})
}

func (b *fixture) sendOne(rt *rapid.T, orderID string) {
	closed := b.state.risk.IsReduceOnly()
	open := b.state.positions.Qty("BTCUSDT", venues.Long)
	if b.state.beginSend(orderID, b.now) != nil || !closed {
		return
	}
	o := b.state.orders[orderID]
	if o.Side != venues.Sell || o.Qty.GreaterThan(open) {
		rt.Fatalf("%s %s was sent in a reduce-only account with %s open, want only orders that reduce", o.Side, o.Qty, open)
	}
}

// An amend that only lowers the quantity of an order is sent while the account is locked,
// in place or as a replacement. One that also changes its price is rejected.
func TestOrderIsLoweredWhileLocked(t *testing.T) {
	lock := func(b *fixture) {
		b.step(func(step stepContext) {
			record := b.state.risk.Record()
			record.Lock = &persistence.RiskLock{Limit: "daily_loss", At: venues.At(b.now), Until: venues.At(b.now.Add(time.Hour))}
			b.state.risk.Restore(&persistence.VenueAccount{}, record, risk.NewDay(b.now))
		})
	}
	amend := func(b *fixture, o *order, qty, price string) error {
		in := amendOrder{
			orderReply: actors.ReplyFunc(func(venues.Order, error) {}), instrument: instrument(), mark: venues.Some(venues.MustDecimal("60000")),
			cmd: venues.AmendOrder{OrderID: o.OrderID, Qty: venues.Some(venues.MustDecimal(qty))},
		}
		if price != "" {
			in.cmd.Price = venues.Some(venues.MustDecimal(price))
		}
		b.replies = nil
		b.step(func(step stepContext) { b.state.amend(step, in) })
		if len(b.replies) == 0 {
			return nil
		}
		return b.replies[0].err
	}
	b := newFixture(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	lock(b)
	for _, c := range []struct{ qty, price string }{{"1.5", ""}, {"0.5", "60100"}} {
		if err := amend(b, o, c.qty, c.price); venues.CodeOf(err) != venues.CodeTradingLocked {
			t.Errorf("%+v: %v, want %s", c, err, venues.CodeTradingLocked)
		}
	}
	if err := amend(b, o, "0.5", ""); err != nil || o.PendingAction != venues.PendingAmend {
		t.Fatalf("amend to a lower quantity: %v with %q pending, want %q", err, o.PendingAction, venues.PendingAmend)
	}

	b = newFixture(t, venues.Capabilities{})
	o = b.open(stopOrder(), venues.StatusUntriggered)
	lock(b)
	if err := amend(b, o, "0.5", ""); err != nil {
		t.Fatal(err)
	}
	b.confirmCancels(o)
	next := b.state.orders[o.ReplacedBy]
	if next == nil || !next.Qty.Equal(venues.MustDecimal("0.5")) {
		t.Fatalf("replacement = %+v, want one of 0.5", next)
	}
	if rejection := b.state.beginSend(next.OrderID, b.now); rejection != nil || !b.state.passesClosedGate(next.OrderID) {
		t.Fatalf("replacement: rejection = %v, exempt = %t, want none and true", rejection, b.state.passesClosedGate(next.OrderID))
	}
	b.state.risk.Halted = true
	if b.state.beginSend(next.OrderID, b.now) == nil {
		t.Fatal("no rejection while the account is halted, want one")
	}
}
