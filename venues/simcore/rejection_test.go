package simcore_test

import (
	"testing"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

func TestInvalidOrdersAreRejected(t *testing.T) {
	for _, test := range []struct {
		name   string
		reason simcore.Reason
		change func(*engine, *simcore.OrderRequest)
	}{
		{"deadline", simcore.ReasonDeadline, func(e *engine, r *simcore.OrderRequest) { r.Deadline = e.now.Add(-time.Millisecond) }},
		{"account", simcore.ReasonUnknownAccount, func(_ *engine, r *simcore.OrderRequest) { r.Account = "unknown" }},
		{"symbol", simcore.ReasonUnknownSymbol, func(_ *engine, r *simcore.OrderRequest) { r.Symbol = "NOPE" }},
		{"price zero", simcore.ReasonPriceNotPositive, func(_ *engine, r *simcore.OrderRequest) { r.Price = dec("0") }},
		{"price low", simcore.ReasonPriceBelowMin, func(_ *engine, r *simcore.OrderRequest) { r.Price = dec("499.9") }},
		{"price high", simcore.ReasonPriceAboveMax, func(_ *engine, r *simcore.OrderRequest) { r.Price = dec("4000000.1") }},
		{"tick", simcore.ReasonPriceOffTick, func(_ *engine, r *simcore.OrderRequest) { r.Price = dec("59000.01") }},
		{"quantity zero", simcore.ReasonQtyNotPositive, func(_ *engine, r *simcore.OrderRequest) { r.Qty = dec("0") }},
		{"quantity low", simcore.ReasonQtyBelowMin, func(_ *engine, r *simcore.OrderRequest) { r.Qty = dec("0.0005") }},
		{"quantity high", simcore.ReasonQtyAboveMax, func(_ *engine, r *simcore.OrderRequest) { r.Qty = dec("1000.001") }},
		{"step", simcore.ReasonQtyOffStep, func(_ *engine, r *simcore.OrderRequest) { r.Qty = dec("0.0105") }},
		{"band", simcore.ReasonPriceTooHigh, func(_ *engine, r *simcore.OrderRequest) { r.Price = dec("63000.1") }},
		{"band of sellers", simcore.ReasonPriceTooLow, func(_ *engine, r *simcore.OrderRequest) {
			r.Side, r.Price = simcore.Sell, dec("56999.9")
		}},
		{"notional", simcore.ReasonNotionalBelowMin, func(_ *engine, r *simcore.OrderRequest) { r.Qty = dec("0.001") }},
		{"position side", simcore.ReasonPositionSide, func(_ *engine, r *simcore.OrderRequest) { r.PosSide = simcore.PositionLong }},
		{"reduce only", simcore.ReasonReduceOnly, func(_ *engine, r *simcore.OrderRequest) { r.ReduceOnly = true }},
		{"client id", simcore.ReasonDuplicateClientID, func(e *engine, r *simcore.OrderRequest) {
			r.ClientID = "same"
			e.place(*r)
		}},
		{"halted", simcore.ReasonNotTradable, func(_ *engine, r *simcore.OrderRequest) {
			r.Symbol, r.Price, r.Qty = "OMG-SWAP", dec("3000"), dec("1")
		}},
		{"margin", simcore.ReasonInsufficientMargin, func(_ *engine, r *simcore.OrderRequest) { r.Qty = dec("40") }},
		{"bracket", simcore.ReasonPositionTooLarge, func(e *engine, r *simcore.OrderRequest) {
			e.must(e.SetLeverage(r.Account, "BTCUSDT", 125))
			r.Qty = dec("1")
		}},
		{"open orders", simcore.ReasonTooManyOrders, func(e *engine, r *simcore.OrderRequest) {
			for range 200 {
				e.place(*r)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := newEngine(t)
			request := limit(e.trader(), simcore.Buy, "0.01", "59000")
			test.change(e, &request)
			_, err := e.Place(request)
			e.rejected(test.reason, err)
		})
	}
}

func TestClientIDScopes(t *testing.T) {
	for _, test := range []struct {
		scope  simcore.ClientIDScope
		reused bool
	}{{simcore.UniqueAmongOpen, true}, {simcore.UniqueForever, false}} {
		e := newEngine(t, func(o *simcore.Options) { o.ClientIDs = test.scope })
		request := market(e.trader(), simcore.Buy, "0.01")
		request.ClientID = "once"
		first := e.place(request)
		second, err := e.Place(request)
		if reused := err == nil; reused != test.reused {
			t.Errorf("scope %d: reused = %t, want %t", test.scope, reused, test.reused)
		}
		latest, err := e.Order(request.Account, "BTCUSDT", simcore.OrderRef{ClientID: "once"})
		e.must(err)
		want := first.ID
		if test.reused {
			want = second.ID
		}
		if latest.ID != want {
			t.Errorf("scope %d: order = %d, want %d", test.scope, latest.ID, want)
		}
	}
}

func TestDryRunPlacesNothing(t *testing.T) {
	e := newEngine(t)
	request := limit(e.trader(), simcore.Buy, "0.01", "59000")
	request.DryRun = true
	e.place(request)
	if open := e.OpenOrders(request.Account, ""); len(open) != 0 {
		t.Errorf("%d open orders, want none", len(open))
	}
}

func TestGoodTillDateExpires(t *testing.T) {
	e := newEngine(t)
	request := limit(e.trader(), simcore.Buy, "0.01", "59000")
	request.TimeInForce, request.ExpireAt = simcore.GTD, e.now.Add(time.Hour)
	o := e.place(request)
	e.advance(time.Hour - time.Millisecond)
	simtest.Equal(t, "status before ExpireAt", e.current(o).Status, simcore.StatusNew)
	e.advance(time.Millisecond)
	if got := e.current(o); got.Status != simcore.StatusExpired || got.Reason != simcore.EndDeadline {
		t.Errorf("at ExpireAt %s for %d, want expired for %d", got.Status, got.Reason, simcore.EndDeadline)
	}
}
