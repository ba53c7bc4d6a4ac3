package simcore_test

import (
	"slices"
	"testing"
	"time"

	"venuegate/venues/simcore"
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

// trace is the conditional and order events since the mark.
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
		t.Fatalf("above the trigger: %s", got)
	}
	e.must(e.MovePrice("BTCUSDT", dec("59000")))
	if got := e.status(c); got != simcore.ConditionalTriggering {
		t.Fatalf("at the trigger: %s", got)
	}
	_, err := e.CancelConditional(a, simcore.OrderRef{ID: c.ID})
	e.refused(simcore.ReasonTriggering, err)
	e.advance(10 * time.Millisecond)
	want := []string{
		"conditional waiting", "conditional triggering", "order accepted", "order filled",
		"conditional triggered", "conditional finished",
	}
	if got := e.trace(mark); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	found, err := e.Conditional(a, simcore.OrderRef{ID: c.ID})
	e.must(err)
	if found.Order == nil || found.Order.Parent != c.ID {
		t.Errorf("order of the conditional: %+v", found.Order)
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
		t.Fatalf("resting: %s", got)
	}
	e.must(e.MovePrice("BTCUSDT", dec("60500")))
	if got := e.status(c); got != simcore.ConditionalFinished {
		t.Errorf("filled: %s", got)
	}
}

func TestConditionalRefusals(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	_, err := e.PlaceConditional(stop(a, simcore.Sell, "0.1", "60000.1"))
	e.refused(simcore.ReasonWouldTrigger, err)
	_, err = e.PlaceConditional(stop(a, simcore.Sell, "0.1", "59000.05"))
	e.refused(simcore.ReasonPriceOffTick, err)
	guard := stop(a, simcore.Sell, "0.1", "59000")
	guard.NeedsPosition = true
	_, err = e.PlaceConditional(guard)
	e.refused(simcore.ReasonNoPosition, err)
	named := stop(a, simcore.Sell, "0.1", "59000")
	named.ClientID = "once"
	e.conditional(named)
	_, err = e.PlaceConditional(named)
	e.refused(simcore.ReasonDuplicateClientID, err)
	closing := stop(a, simcore.Sell, "0.1", "59000")
	closing.ClosePosition = true
	e.conditional(closing)
	_, err = e.PlaceConditional(closing)
	e.refused(simcore.ReasonDuplicateClose, err)
}

func TestMarginIsCheckedAtTheTrigger(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	c := e.conditional(stop(a, simcore.Buy, "100", "61000"))
	e.must(e.MovePrice("BTCUSDT", dec("61000")))
	found, err := e.Conditional(a, simcore.OrderRef{ID: c.ID})
	e.must(err)
	if found.Status != simcore.ConditionalRejected || found.Rejected != simcore.ReasonInsufficientMargin {
		t.Errorf("%s: %s", found.Status, found.Rejected)
	}
}

func TestClosePosition(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	e.place(market(a, simcore.Buy, "0.3"))
	closing := func(rising bool, trigger string) simcore.ConditionalRequest {
		r := stop(a, simcore.Sell, "1", trigger)
		r.Qty, r.ClosePosition, r.Rising, r.Watch = dec("0"), true, rising, simcore.TriggerOnMark
		return r
	}
	loss := e.conditional(closing(false, "59000"))
	profit := e.conditional(closing(true, "61000"))
	e.must(e.MovePrice("BTCUSDT", dec("61000")))
	if got := e.status(profit); got != simcore.ConditionalFinished {
		t.Errorf("take profit: %s", got)
	}
	if got := e.status(loss); got != simcore.ConditionalExpired {
		t.Errorf("stop loss of a closed position: %s", got)
	}
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
	for _, step := range []struct {
		price string
		want  simcore.ConditionalStatus
	}{
		{"59000", simcore.ConditionalWaiting},
		{"60500", simcore.ConditionalWaiting},
		{"61000", simcore.ConditionalWaiting},
		{"60390.1", simcore.ConditionalWaiting},
		{"60390", simcore.ConditionalFinished},
	} {
		e.must(e.MovePrice("BTCUSDT", dec(step.price)))
		if got := e.status(c); got != step.want {
			t.Errorf("at %s: %s, want %s", step.price, got, step.want)
		}
	}
}

// A stop that trails by a distance turns where one that trails by a fraction of the
// same height does.
func TestTrailingBySpread(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	e.place(market(a, simcore.Sell, "0.1"))
	r := stop(a, simcore.Buy, "0.1", "60000")
	r.TriggerPrice, r.CallbackSpread = dec("0"), dec("500")
	c := e.conditional(r)
	for _, step := range []struct {
		price string
		want  simcore.ConditionalStatus
	}{
		{"60400", simcore.ConditionalWaiting},
		{"59000", simcore.ConditionalWaiting},
		{"59499.9", simcore.ConditionalWaiting},
		{"59500", simcore.ConditionalFinished},
	} {
		e.must(e.MovePrice("BTCUSDT", dec(step.price)))
		if got := e.status(c); got != step.want {
			t.Errorf("at %s: %s, want %s", step.price, got, step.want)
		}
	}
}

// Each stop watches the price that it names and no other.
func TestWatchedPrices(t *testing.T) {
	watching := func(watch simcore.TriggerPrice) (*engine, simcore.Conditional) {
		e := newEngine(t)
		a := e.trader()
		e.place(market(a, simcore.Buy, "0.1"))
		r := stop(a, simcore.Sell, "0.1", "59000")
		r.Watch = watch
		return e, e.conditional(r)
	}
	for watch, want := range map[simcore.TriggerPrice][]simcore.ConditionalStatus{
		simcore.TriggerOnLast:  {simcore.ConditionalWaiting, simcore.ConditionalWaiting},
		simcore.TriggerOnMark:  {simcore.ConditionalWaiting, simcore.ConditionalFinished},
		simcore.TriggerOnIndex: {simcore.ConditionalFinished, simcore.ConditionalFinished},
	} {
		e, c := watching(watch)
		e.must(e.SetIndex("BTCUSDT", dec("58900")))
		if got := e.status(c); got != want[0] {
			t.Errorf("watching %d, index moved: %s", watch, got)
		}
		e.must(e.SetMark("BTCUSDT", dec("58900")))
		if got := e.status(c); got != want[1] {
			t.Errorf("watching %d, mark moved: %s", watch, got)
		}
	}
	e, c := watching(simcore.TriggerOnLast)
	e.must(e.empty().HouseLevel("BTCUSDT", simcore.Buy, dec("58900"), dec("2")))
	_, err := e.HouseTrade("BTCUSDT", simcore.Sell, dec("1"), dec("58900"))
	e.must(err)
	if got := e.status(c); got != simcore.ConditionalFinished {
		t.Errorf("last price moved: %s", got)
	}
	e.refused(simcore.ReasonPriceNotPositive, e.SetIndex("BTCUSDT", dec("0")))
	e.refused(simcore.ReasonUnknownSymbol, e.SetIndex("NONE", dec("1")))
}

func TestCancelConditionals(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	c := e.conditional(stop(a, simcore.Sell, "0.1", "59000"))
	e.conditional(stop(a, simcore.Buy, "0.1", "61000"))
	_, err := e.CancelAll(a, "")
	e.must(err)
	if got := e.status(c); got != simcore.ConditionalWaiting {
		t.Errorf("cancel-all of orders touched a conditional: %s", got)
	}
	_, err = e.CancelConditional(a, simcore.OrderRef{ID: c.ID})
	e.must(err)
	cancelled, err := e.CancelAllConditionals(a, "BTCUSDT")
	e.must(err)
	if len(cancelled) != 1 {
		t.Errorf("%d cancelled", len(cancelled))
	}
	_, err = e.CancelConditional(a, simcore.OrderRef{ID: c.ID})
	e.refused(simcore.ReasonUnknownOrder, err)
	_, err = e.Cancel(a, "BTCUSDT", simcore.OrderRef{ID: c.ID})
	e.refused(simcore.ReasonUnknownOrder, err)
}
