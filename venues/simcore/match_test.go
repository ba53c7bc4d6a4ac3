package simcore_test

import (
	"testing"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

func TestPriceTimePriority(t *testing.T) {
	e := newEngine(t).empty()
	first, second, better, taker := e.trader(), e.trader(), e.trader(), e.trader()
	a := e.place(limit(first, simcore.Sell, "1", "60010"))
	b := e.place(limit(second, simcore.Sell, "1", "60010"))
	c := e.place(limit(better, simcore.Sell, "0.5", "60005"))
	o := e.place(market(taker, simcore.Buy, "2"))
	e.equal("better price", e.current(c).FilledQty(), "0.5")
	e.equal("older order", e.current(a).FilledQty(), "1")
	e.equal("younger order", e.current(b).FilledQty(), "0.5")
	e.equal("average", o.AvgPrice(), "60008.75")
	simtest.Equal(t, "younger order", e.current(b).Status, simcore.StatusPartiallyFilled)
}

func TestTimesInForce(t *testing.T) {
	for _, test := range []struct {
		name   string
		tif    simcore.TimeInForce
		qty    string
		price  string
		reason simcore.Reason
		status simcore.OrderStatus
		filled string
	}{
		{"good till cancelled rests", simcore.GTC, "3", "60010", "", simcore.StatusPartiallyFilled, "2"},
		{"immediate or cancel expires", simcore.IOC, "3", "60010", "", simcore.StatusExpired, "2"},
		{"immediate or cancel without a match", simcore.IOC, "3", "59000", "", simcore.StatusExpired, "0"},
		{"fill or kill fills", simcore.FOK, "2", "60010", "", simcore.StatusFilled, "2"},
		{"fill or kill is rejected", simcore.FOK, "2.001", "60010", simcore.ReasonFillOrKill, 0, ""},
		{"post only rests", simcore.PostOnly, "1", "60009.9", "", simcore.StatusNew, "0"},
		{"post only is rejected", simcore.PostOnly, "1", "60010", simcore.ReasonPostOnly, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEngine(t).empty()
			e.place(limit(e.trader(), simcore.Sell, "2", "60010"))
			request := limit(e.trader(), simcore.Buy, test.qty, test.price)
			request.TimeInForce = test.tif
			o, err := e.Place(request)
			if test.reason != "" {
				e.rejected(test.reason, err)
				return
			}
			e.must(err)
			if o.Status != test.status {
				t.Errorf("status = %s, want %s", o.Status, test.status)
			}
			e.equal("filled", o.FilledQty(), test.filled)
		})
	}
}

func TestMarketOrderStopsAtItsBound(t *testing.T) {
	e := newEngine(t).empty()
	e.must(e.HouseLevel("BTCUSDT", simcore.Sell, dec("60000"), dec("1")))
	e.must(e.HouseLevel("BTCUSDT", simcore.Sell, dec("63000.1"), dec("1")))
	o := e.place(market(e.trader(), simcore.Buy, "1.5"))
	if o.Status != simcore.StatusExpired || o.Reason != simcore.EndMarketRemainder {
		t.Errorf("%s for %d, want expired for %d", o.Status, o.Reason, simcore.EndMarketRemainder)
	}
	e.equal("filled", o.FilledQty(), "1")
	_, err := e.Place(market(e.trader(), simcore.Buy, "1"))
	e.rejected(simcore.ReasonNoLiquidity, err)
}

func TestSelfTradePrevention(t *testing.T) {
	for _, test := range []struct {
		mode          simcore.SelfTrade
		maker, taker  simcore.OrderStatus
		makerFilled   string
		othersFilled  string
		takerReceived string
	}{
		{simcore.SelfTradeAllow, simcore.StatusFilled, simcore.StatusFilled, "1", "0", "1"},
		{simcore.SelfTradeExpireMaker, simcore.StatusExpired, simcore.StatusFilled, "0", "1", "1"},
		{simcore.SelfTradeExpireTaker, simcore.StatusNew, simcore.StatusExpired, "0", "0", "0"},
		{simcore.SelfTradeExpireBoth, simcore.StatusExpired, simcore.StatusExpired, "0", "0", "0"},
	} {
		e := newEngine(t).empty()
		self, other := e.trader(), e.trader()
		own := e.place(limit(self, simcore.Sell, "1", "60000"))
		others := e.place(limit(other, simcore.Sell, "1", "60010"))
		request := limit(self, simcore.Buy, "1", "60020")
		request.SelfTrade = test.mode
		o := e.place(request)
		if got := e.current(own).Status; got != test.maker || o.Status != test.taker {
			t.Errorf("mode %d: maker %s, taker %s, want %s, %s", test.mode, got, o.Status, test.maker, test.taker)
		}
		e.equal("own", e.current(own).FilledQty(), test.makerFilled)
		e.equal("other", e.current(others).FilledQty(), test.othersFilled)
		e.equal("taker", o.FilledQty(), test.takerReceived)
	}
}

func TestReduceOnly(t *testing.T) {
	reducing := func(r simcore.OrderRequest) simcore.OrderRequest {
		r.ReduceOnly = true
		return r
	}
	t.Run("nothing to reduce", func(t *testing.T) {
		e := newEngine(t)
		_, err := e.Place(reducing(market(e.trader(), simcore.Sell, "1")))
		e.rejected(simcore.ReasonReduceOnly, err)
	})
	t.Run("never reverses", func(t *testing.T) {
		e := newEngine(t)
		a := e.trader()
		e.place(market(a, simcore.Buy, "0.5"))
		o := e.place(reducing(market(a, simcore.Sell, "2")))
		e.equal("filled", o.FilledQty(), "0.5")
		if o.Status != simcore.StatusExpired || o.Reason != simcore.EndReduceOnly {
			t.Errorf("%s for %d, want expired for %d", o.Status, o.Reason, simcore.EndReduceOnly)
		}
	})
	t.Run("covered by other orders", func(t *testing.T) {
		e := newEngine(t)
		a := e.trader()
		e.place(market(a, simcore.Buy, "0.5"))
		e.place(reducing(limit(a, simcore.Sell, "0.5", "61000")))
		_, err := e.Place(reducing(limit(a, simcore.Sell, "0.5", "61010")))
		e.rejected(simcore.ReasonReduceOnly, err)
	})
	t.Run("expires when the position is closed", func(t *testing.T) {
		e := newEngine(t)
		a := e.trader()
		e.place(market(a, simcore.Buy, "0.5"))
		resting := e.place(reducing(limit(a, simcore.Sell, "0.5", "61000")))
		e.place(reducing(market(a, simcore.Sell, "0.5")))
		if got := e.current(resting); got.Status != simcore.StatusExpired || got.Reason != simcore.EndReduceOnly {
			t.Errorf("%s for %d, want expired for %d", got.Status, got.Reason, simcore.EndReduceOnly)
		}
	})
	t.Run("worst price expires first", func(t *testing.T) {
		e := newEngine(t)
		a := e.trader()
		e.place(market(a, simcore.Buy, "1"))
		near := e.place(reducing(limit(a, simcore.Sell, "0.5", "61000")))
		far := e.place(reducing(limit(a, simcore.Sell, "0.5", "61010")))
		e.place(market(a, simcore.Sell, "0.5"))
		if n, f := e.current(near).Status, e.current(far).Status; n != simcore.StatusNew || f != simcore.StatusExpired {
			t.Errorf("near %s, far %s, want new, expired", n, f)
		}
	})
}

func TestAmend(t *testing.T) {
	amend := func(o simcore.Order, qty, price string) simcore.AmendRequest {
		return simcore.AmendRequest{
			Account: o.Account, Symbol: o.Symbol, Order: simcore.OrderRef{ID: o.ID}, Qty: dec(qty), Price: dec(price),
		}
	}
	for _, test := range []struct {
		name  string
		keeps bool
		qty   string
		// filled is more than zero if the amended order is still first in the queue.
		filled string
	}{
		{"goes to the back", false, "0.5", "0"},
		{"keeps its place when it shrinks", true, "0.5", "0.5"},
		{"goes to the back when it grows", true, "2", "0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEngine(t, func(o *simcore.Options) { o.AmendKeepsPriority = test.keeps }).empty()
			first := e.place(limit(e.trader(), simcore.Buy, "1", "59000"))
			e.place(limit(e.trader(), simcore.Buy, "1", "59000"))
			_, err := e.Amend(amend(first, test.qty, "59000"))
			e.must(err)
			_, err = e.HouseTrade("BTCUSDT", simcore.Sell, dec("0.5"), dec("59000"))
			e.must(err)
			e.equal("filled", e.current(first).FilledQty(), test.filled)
		})
	}
	t.Run("crossing takes", func(t *testing.T) {
		e := newEngine(t).empty()
		e.place(limit(e.trader(), simcore.Sell, "1", "60000"))
		o := e.place(limit(e.trader(), simcore.Buy, "1", "59000"))
		amended, err := e.Amend(amend(o, "1", "60000"))
		e.must(err)
		if amended.Status != simcore.StatusFilled || amended.ID != o.ID {
			t.Errorf("order %d = %s, want %d filled", amended.ID, amended.Status, o.ID)
		}
	})
	t.Run("post-only that would cross is cancelled", func(t *testing.T) {
		e := newEngine(t).empty()
		e.place(limit(e.trader(), simcore.Sell, "1", "60000"))
		request := limit(e.trader(), simcore.Buy, "1", "59000")
		request.TimeInForce = simcore.PostOnly
		amended, err := e.Amend(amend(e.place(request), "1", "60000"))
		e.must(err)
		if amended.Status != simcore.StatusCancelled || amended.Reason != simcore.EndPostOnlyAmended {
			t.Errorf("%s for %d, want cancelled for %d", amended.Status, amended.Reason, simcore.EndPostOnlyAmended)
		}
	})
	t.Run("below what is filled is cancelled", func(t *testing.T) {
		e := newEngine(t).empty()
		o := e.place(limit(e.trader(), simcore.Buy, "1", "59000"))
		_, err := e.HouseTrade("BTCUSDT", simcore.Sell, dec("0.5"), dec("59000"))
		e.must(err)
		amended, err := e.Amend(amend(o, "0.5", "59000"))
		e.must(err)
		if amended.Status != simcore.StatusCancelled {
			t.Errorf("status = %s, want cancelled", amended.Status)
		}
	})
	t.Run("rejections leave the order unchanged", func(t *testing.T) {
		e := newEngine(t).empty()
		o := e.place(limit(e.trader(), simcore.Buy, "1", "59000"))
		for price, want := range map[string]simcore.Reason{
			"59000": simcore.ReasonNoChange, "59000.05": simcore.ReasonPriceOffTick, "63000.1": simcore.ReasonPriceTooHigh,
		} {
			_, err := e.Amend(amend(o, "1", price))
			e.rejected(want, err)
		}
		_, err := e.Amend(amend(o, "60", "59000"))
		e.rejected(simcore.ReasonInsufficientMargin, err)
		e.equal("price", e.current(o).Price(), "59000")
	})
}
