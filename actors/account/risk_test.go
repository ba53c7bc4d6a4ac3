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

// limited returns a bench with a daily loss limit of 100 and a long position of 2 at 100.
func limited(t testing.TB) *bench {
	b := newBench(t, venues.Capabilities{})
	b.step(func(stepContext) { b.state.risk.Limits.DailyLoss = venues.Some(venues.MustDecimal("100")) })
	b.adoptForeign(1, venues.Buy, "2", "100", nil)
	b.streamPosition(venues.Long, "2")
	b.now = b.now.Add(time.Second)
	return b
}

// realizeLoss closes a part of the position at a loss, with a fee of 0.5.
func (b *bench) realizeLoss(n int, qty, realized string) {
	b.adoptForeign(n, venues.Sell, qty, "10", func(r *venues.ExecutionReport) { r.Fill.RealizedPnl = venues.Some(venues.MustDecimal(realized)) })
}

// tryPlace places an order and returns its rejection; nil if it was sent.
func (b *bench) tryPlace(change func(*placeOrder)) *venues.Error {
	b.t.Helper()
	in := limitOrder("")
	change(&in)
	in.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	before := len(b.replies)
	for _, e := range b.step(func(step stepContext) { b.state.place(step, in) }) {
		if c, ok := e.(callPlace); ok {
			return b.state.admitSend(c.orderID, b.now)
		}
	}
	if len(b.replies) == before {
		b.t.Fatal("neither sent nor answered")
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
	if countEvents(b, persistence.EventRiskLimitReached) != 0 {
		t.Fatal("locked below the limit")
	}
	b.streamPosition(venues.Long, "1")
	b.now = b.now.Add(time.Second)
	b.realizeLoss(3, "0.5", "-0.1")
	if countEvents(b, persistence.EventRiskLimitReached) != 1 {
		t.Fatal("not locked")
	}
	record := b.puts["c1/risk/binance"].(persistence.RiskRecord)
	if record.Lock == nil || record.Lock.Actual.String() != "100.5" || !record.Lock.Until.Equal(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)) {
		t.Fatalf("record %+v", record)
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
		t.Errorf("record of the new day %+v", record)
	}
}

// wantLocked checks, with a long position of 0.5, which kinds of orders are rejected.
func (b *bench) wantLocked(locked bool) {
	b.t.Helper()
	var want venues.Code
	if locked {
		want = venues.CodeTradingLocked
	}
	rejection := b.tryPlace(func(*placeOrder) {})
	if code(rejection) != want {
		b.t.Fatalf("an increasing order: %v", rejection)
	}
	if locked && (rejection.Details["limit"] != "daily_loss" || rejection.Details["threshold"] != "100" || rejection.Details["actual"] != "100.5" || rejection.Details["until"] != "2026-03-02T00:00:00.000Z") {
		b.t.Errorf("details %v", rejection.Details)
	}
	if code(b.tryPlace(sells("0.6", false))) != want {
		b.t.Error("an order that turns the position round")
	}
	if rejection := b.tryPlace(sells("0.5", false)); rejection != nil {
		b.t.Errorf("an order that reduces: %v", rejection)
	}
	if code(b.tryPlace(sells("0.1", false))) != want {
		b.t.Error("an order that reduces what another one reduces already")
	}
	if rejection := b.tryPlace(sells("9", true)); rejection != nil {
		b.t.Errorf("a reduce-only order: %v", rejection)
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
			b.state.fundsRead(step, fundsDone{funds: Funds{Positions: []venues.Position{p}, ReadAt: b.now}})
		})
		b.now = b.now.Add(time.Second)
	}
	reads("2", "-90")
	if b.state.risk.IsClosed() {
		t.Fatal("locked at a loss of 90.5")
	}
	b.realizeLoss(2, "1", "-45")
	if b.state.risk.IsClosed() {
		t.Fatalf("locked at %s: the half that is realized is counted twice", b.state.risk.DailyLoss())
	}
	if got := b.state.risk.DailyLoss().String(); got != "91" {
		t.Fatalf("loss %s", got)
	}
	reads("1", "-54")
	if !b.state.risk.IsClosed() || countEvents(b, persistence.EventRiskLimitReached) != 1 {
		t.Fatalf("not locked at %s", b.state.risk.DailyLoss())
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
		t.Errorf("read %d times in a minute", n)
	}
}

// TestLockWaitsForWhatIsBeingSent, so that no order is sent after the lock is durable.
func TestLockWaitsForWhatIsBeingSent(t *testing.T) {
	for name, end := range map[string]func(b *bench, o *order){
		"the answer": func(b *bench, o *order) {
			b.step(func(step stepContext) {
				b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
			})
		},
		"the deadline": func(b *bench, _ *order) { b.pass(orderLifeMax) },
	} {
		t.Run(name, func(t *testing.T) {
			b := limited(t)
			o := b.place(limitOrder(""))
			if rejection := b.state.admitSend(o.OrderID, b.now); rejection != nil {
				t.Fatal(rejection)
			}
			waits := b.place(limitOrder(""))
			b.realizeLoss(2, "1", "-200")
			if countEvents(b, persistence.EventRiskLimitReached) != 0 {
				t.Fatal("the lock is durable while an order is being sent")
			}
			if code(b.state.admitSend(waits.OrderID, b.now)) != venues.CodeTradingLocked || code(b.tryPlace(func(*placeOrder) {})) != venues.CodeTradingLocked {
				t.Fatal("orders are sent meanwhile")
			}
			end(b, o)
			if countEvents(b, persistence.EventRiskLimitReached) != 1 {
				t.Fatal("not locked")
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
	if b.state.risk.IsClosed() {
		t.Fatal("locked again at once")
	}
	b.now = b.now.Add(time.Second)
	b.realizeLoss(3, "0.5", "-99")
	if b.state.risk.IsClosed() {
		t.Fatal("the loss before the unlock counts")
	}
	b.now = b.now.Add(time.Second)
	b.realizeLoss(4, "0.5", "-5")
	if !b.state.risk.IsClosed() {
		t.Fatal("not locked after another loss of 104")
	}
	unlocks()
	unlocks() // nothing is locked
}

func TestOrderLimits(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
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
			t.Errorf("%+v", e)
		}
	}
	wants("max_order_notional", "60060", priced("1.001", venues.TypeLimit, "1"))
	wants("max_order_notional", "60001", priced("1", venues.TypeMarket, "60001"))
	wants("max_order_notional", nil, priced("1", venues.TypeMarket, ""))
	for range 2 {
		if e := b.tryPlace(priced("1", venues.TypeLimit, "")); e != nil {
			t.Fatal(e)
		}
	}
	wants("max_open_orders", 3, priced("1", venues.TypeLimit, ""))
	if e := b.tryPlace(sells("5", true)); e != nil {
		t.Errorf("an order that reduces: %v", e)
	}
	o := b.state.unfinished()[0]
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	grows := amendOrder{cmd: venues.AmendOrder{OrderID: o.OrderID, Qty: venues.Some(venues.MustDecimal("2"))}, instrument: instrument()}
	grows.orderReply = actors.ReplyFunc(func(venues.Order, error) {})
	b.step(func(step stepContext) { b.state.amend(step, grows) })
	if code := venues.CodeOf(b.lastReply().err); code != venues.CodeRiskRejected {
		t.Errorf("an amend past the limit: %v", b.lastReply().err)
	}
}

// TestNothingIncreasingPassesALock places, answers, fills and loses orders in a random
// order. An order that is sent while the account is closed reduces what is open by the
// executions.
func TestNothingIncreasingPassesALock(t *testing.T) {
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

func (b *bench) sendOne(rt *rapid.T, orderID string) {
	closed := b.state.risk.IsClosed()
	open := b.state.positions.Qty("BTCUSDT", venues.Long)
	if b.state.admitSend(orderID, b.now) != nil || !closed {
		return
	}
	o := b.state.orders[orderID]
	if o.Side != venues.Sell || o.Qty.GreaterThan(open) {
		rt.Fatalf("%s %s has passed the lock with %s open", o.Side, o.Qty, open)
	}
}

// An amend that only lowers the quantity of an order is sent while the account is locked,
// in place or as a replacement. One that also changes its price is rejected.
func TestOrderIsLoweredWhileLocked(t *testing.T) {
	lock := func(b *bench) {
		b.step(func(step stepContext) {
			record := b.state.risk.Record()
			record.Lock = &persistence.RiskLock{Limit: "daily_loss", At: venues.At(b.now), Until: venues.At(b.now.Add(time.Hour))}
			b.state.risk.Restore(&persistence.VenueAccount{}, record, risk.NewDay(b.now))
		})
	}
	amend := func(b *bench, o *order, qty, price string) error {
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
	b := newBench(t, venues.Capabilities{})
	o := b.open(limitOrder(""), venues.StatusOpen)
	lock(b)
	for _, c := range []struct{ qty, price string }{{"1.5", ""}, {"0.5", "60100"}} {
		if err := amend(b, o, c.qty, c.price); venues.CodeOf(err) != venues.CodeTradingLocked {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := amend(b, o, "0.5", ""); err != nil || o.PendingAction != venues.PendingAmend {
		t.Fatalf("lowered: %v", err)
	}

	b = newBench(t, venues.Capabilities{})
	o = b.open(stopOrder(), venues.StatusUntriggered)
	lock(b)
	if err := amend(b, o, "0.5", ""); err != nil {
		t.Fatal(err)
	}
	b.confirmCancels(o)
	next := b.state.orders[o.ReplacedBy]
	if next == nil || !next.Qty.Equal(venues.MustDecimal("0.5")) {
		t.Fatalf("successor %+v", next)
	}
	if rejection := b.state.admitSend(next.OrderID, b.now); rejection != nil || !b.state.maySendWhenClosed(next.OrderID) {
		t.Fatalf("the rest of a lowered stop: %v", rejection)
	}
	b.state.risk.Halted = true
	if b.state.admitSend(next.OrderID, b.now) == nil {
		t.Fatal("sent while the account is halted")
	}
}
