package simcore_test

import (
	"slices"
	"testing"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

func stop(account string, side simcore.Side, qty, trigger string) simcore.ConditionalRequest {
	r := simcore.ConditionalRequest{OrderRequest: market(account, side, "1"), Rising: side == simcore.Buy, TriggerPrice: dec(trigger)}
	r.Qty = dec(qty)
	return r
}

func (e *engine) conditional(r simcore.ConditionalRequest) simcore.Conditional {
	e.Helper()
	c, err := e.PlaceConditional(r)
	e.must(err)
	return c
}

func (e *engine) status(c simcore.Conditional) simcore.ConditionalStatus {
	e.Helper()
	found, err := e.Conditional(c.Request.Account, simcore.OrderRef{ID: c.ID})
	e.must(err)
	return found.Status
}

// trace returns the conditional and order events since mark.
func (e *engine) trace(mark int) []string {
	var lines []string
	for _, event := range e.events[mark:] {
		switch body := event.Body.(type) {
		case simcore.ConditionalEvent:
			lines = append(lines, "conditional "+body.Conditional.Status.String())
		case simcore.OrderEvent:
			lines = append(lines, "order "+body.Kind.String())
		}
	}
	return lines
}

func TestStopMarketLifeCycle(t *testing.T) {
	e := newEngine(t, func(o *simcore.Options) { o.TriggerDelay = 10 * time.Millisecond })
	a := e.trader()
	e.place(market(a, simcore.Buy, "0.1"))
	mark := len(e.events)
	c := e.conditional(stop(a, simcore.Sell, "0.1", "59000"))
	e.must(e.MovePrice("BTCUSDT", dec("59000.1")))
	if got := e.status(c); got != simcore.ConditionalWaiting {
		t.Fatalf("status above the trigger = %s, want waiting", got)
	}
	e.must(e.MovePrice("BTCUSDT", dec("59000")))
	if got := e.status(c); got != simcore.ConditionalTriggering {
		t.Fatalf("status at the trigger = %s, want triggering", got)
	}
	_, err := e.CancelConditional(a, simcore.OrderRef{ID: c.ID})
	e.rejected(simcore.ReasonTriggering, err)
	e.advance(10 * time.Millisecond)
	want := []string{
		"conditional waiting", "conditional triggering", "order accepted", "order filled",
		"conditional triggered", "conditional finished",
	}
	if got := e.trace(mark); !slices.Equal(got, want) {
		t.Errorf("events = %q, want %q", got, want)
	}
	found, err := e.Conditional(a, simcore.OrderRef{ID: c.ID})
	e.must(err)
	if found.Order == nil || found.Order.Parent != c.ID {
		t.Errorf("order of the conditional = %+v, want one with parent %d", found.Order, c.ID)
	}
}

func TestStopLimitFinishesWithItsOrder(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	r := stop(a, simcore.Buy, "0.1", "61000")
	r.Type, r.Price = simcore.Limit, dec("60500")
	c := e.conditional(r)
	e.must(e.MovePrice("BTCUSDT", dec("61000")))
	if got := e.status(c); got != simcore.ConditionalTriggered {
		t.Fatalf("status with a resting order = %s, want triggered", got)
	}
	e.must(e.MovePrice("BTCUSDT", dec("60500")))
	simtest.Equal(t, "status with a filled order", e.status(c), simcore.ConditionalFinished)
}

func TestInvalidConditionalsAreRejected(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	_, err := e.PlaceConditional(stop(a, simcore.Sell, "0.1", "60000.1"))
	e.rejected(simcore.ReasonWouldTrigger, err)
	_, err = e.PlaceConditional(stop(a, simcore.Sell, "0.1", "59000.05"))
	e.rejected(simcore.ReasonPriceOffTick, err)
	protection := stop(a, simcore.Sell, "0.1", "59000")
	protection.RequiresPosition = true
	_, err = e.PlaceConditional(protection)
	e.rejected(simcore.ReasonNoPosition, err)
	withID := stop(a, simcore.Sell, "0.1", "59000")
	withID.ClientID = "once"
	e.conditional(withID)
	_, err = e.PlaceConditional(withID)
	e.rejected(simcore.ReasonDuplicateClientID, err)
	closing := stop(a, simcore.Sell, "0.1", "59000")
	closing.ClosePosition = true
	e.conditional(closing)
	_, err = e.PlaceConditional(closing)
	e.rejected(simcore.ReasonDuplicateClose, err)
}

func TestMarginIsCheckedAtTheTrigger(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	c := e.conditional(stop(a, simcore.Buy, "100", "61000"))
	e.must(e.MovePrice("BTCUSDT", dec("61000")))
	found, err := e.Conditional(a, simcore.OrderRef{ID: c.ID})
	e.must(err)
	if found.Status != simcore.ConditionalRejected || found.Rejected != simcore.ReasonInsufficientMargin {
		t.Errorf("%s for %q, want rejected for insufficient_margin", found.Status, found.Rejected)
	}
}

func TestClosePosition(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	e.place(market(a, simcore.Buy, "0.3"))
	closing := func(rising bool, trigger string) simcore.ConditionalRequest {
		r := stop(a, simcore.Sell, "1", trigger)
		r.Qty, r.ClosePosition, r.Rising, r.TriggerBy = dec("0"), true, rising, simcore.TriggerOnMark
		return r
	}
	loss := e.conditional(closing(false, "59000"))
	profit := e.conditional(closing(true, "61000"))
	e.must(e.MovePrice("BTCUSDT", dec("61000")))
	simtest.Equal(t, "take profit", e.status(profit), simcore.ConditionalFinished)
	simtest.Equal(t, "stop loss of a closed position", e.status(loss), simcore.ConditionalExpired)
	_, p := e.view(a)
	e.equal("position", p.Qty, "0")
}

func TestTrailingStop(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	e.place(market(a, simcore.Buy, "0.1"))
	r := stop(a, simcore.Sell, "0.1", "60000")
	r.TriggerPrice, r.CallbackRate, r.Activation = dec("0"), dec("0.01"), dec("60500")
	c := e.conditional(r)
	e.triggersAt(c, "59000", "60500", "61000", "60390.1", "60390")
}

// triggersAt moves the market to prices and checks that a conditional order triggers at the
// last one.
func (e *engine) triggersAt(c simcore.Conditional, prices ...string) {
	e.Helper()
	for n, price := range prices {
		want := simcore.ConditionalWaiting
		if n == len(prices)-1 {
			want = simcore.ConditionalFinished
		}
		e.must(e.MovePrice("BTCUSDT", dec(price)))
		if got := e.status(c); got != want {
			e.Errorf("at %s: %s, want %s", price, got, want)
		}
	}
}

// A trailing stop by a distance triggers as one by a fraction of the same size.
func TestTrailingStopByDistance(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	e.place(market(a, simcore.Sell, "0.1"))
	r := stop(a, simcore.Buy, "0.1", "60000")
	r.TriggerPrice, r.CallbackSpread = dec("0"), dec("500")
	c := e.conditional(r)
	e.triggersAt(c, "60400", "59000", "59499.9", "59500")
}

// A stop is triggered by the kind of price in its request and by no other.
func TestTriggerPrices(t *testing.T) {
	place := func(kind simcore.TriggerPrice) (*engine, simcore.Conditional) {
		e := newEngine(t)
		a := e.trader()
		e.place(market(a, simcore.Buy, "0.1"))
		r := stop(a, simcore.Sell, "0.1", "59000")
		r.TriggerBy = kind
		return e, e.conditional(r)
	}
	for kind, want := range map[simcore.TriggerPrice][]simcore.ConditionalStatus{
		simcore.TriggerOnLast:  {simcore.ConditionalWaiting, simcore.ConditionalWaiting},
		simcore.TriggerOnMark:  {simcore.ConditionalWaiting, simcore.ConditionalFinished},
		simcore.TriggerOnIndex: {simcore.ConditionalFinished, simcore.ConditionalFinished},
	} {
		e, c := place(kind)
		e.must(e.SetIndex("BTCUSDT", dec("58900")))
		if got := e.status(c); got != want[0] {
			t.Errorf("trigger by %d, index moved: status = %s, want %s", kind, got, want[0])
		}
		e.must(e.SetMark("BTCUSDT", dec("58900")))
		if got := e.status(c); got != want[1] {
			t.Errorf("trigger by %d, mark moved: status = %s, want %s", kind, got, want[1])
		}
	}
	e, c := place(simcore.TriggerOnLast)
	e.must(e.empty().HouseLevel("BTCUSDT", simcore.Buy, dec("58900"), dec("2")))
	_, err := e.HouseTrade("BTCUSDT", simcore.Sell, dec("1"), dec("58900"))
	e.must(err)
	simtest.Equal(t, "last price moved: status", e.status(c), simcore.ConditionalFinished)
	e.rejected(simcore.ReasonPriceNotPositive, e.SetIndex("BTCUSDT", dec("0")))
	e.rejected(simcore.ReasonUnknownSymbol, e.SetIndex("NONE", dec("1")))
}

func TestCancelConditionals(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	c := e.conditional(stop(a, simcore.Sell, "0.1", "59000"))
	e.conditional(stop(a, simcore.Buy, "0.1", "61000"))
	_, err := e.CancelAll(a, "")
	e.must(err)
	simtest.Equal(t, "conditional after CancelAll of orders", e.status(c), simcore.ConditionalWaiting)
	_, err = e.CancelConditional(a, simcore.OrderRef{ID: c.ID})
	e.must(err)
	cancelled, err := e.CancelAllConditionals(a, "BTCUSDT")
	e.must(err)
	if len(cancelled) != 1 {
		t.Errorf("%d conditional orders cancelled, want 1", len(cancelled))
	}
	_, err = e.CancelConditional(a, simcore.OrderRef{ID: c.ID})
	e.rejected(simcore.ReasonUnknownOrder, err)
	_, err = e.Cancel(a, "BTCUSDT", simcore.OrderRef{ID: c.ID})
	e.rejected(simcore.ReasonUnknownOrder, err)
}
