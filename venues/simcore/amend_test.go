package simcore_test

import (
	"testing"

	"venuegate/venues/simcore"
)

// A dry run returns the error that the amendment would, and changes nothing.
func TestAmendDryRunChangesNothing(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	o := e.place(limit(a, simcore.Buy, "0.1", "59000"))
	request := simcore.AmendRequest{Account: a, Symbol: "BTCUSDT", Order: simcore.OrderRef{ID: o.ID}, Price: dec("59100"), DryRun: true}
	before := len(e.events)
	_, err := e.Amend(request)
	e.must(err)
	e.equal("price", e.current(o).Price(), "59000")
	request.Price = dec("59000.05")
	_, err = e.Amend(request)
	e.rejected(simcore.ReasonPriceOffTick, err)

	c := e.conditional(stop(a, simcore.Buy, "0.1", "61000"))
	dryRun := simcore.ConditionalAmendment{Account: a, Order: simcore.OrderRef{ID: c.ID}, Rising: true, TriggerPrice: dec("62000"), DryRun: true}
	placed := len(e.events)
	_, err = e.AmendConditional(dryRun)
	e.must(err)
	dryRun.TriggerPrice = dec("59000")
	_, err = e.AmendConditional(dryRun)
	e.rejected(simcore.ReasonWouldTrigger, err)
	found, err := e.Conditional(a, simcore.OrderRef{ID: c.ID})
	e.must(err)
	e.equal("trigger", found.Request.TriggerPrice, "61000")
	if extra := len(e.events) - placed; extra != 0 || placed-before != 1 {
		t.Errorf("%d events before the dry run and %d after, want 1 and 0", placed-before, extra)
	}
}

// An amendment to the filled quantity cancels the order, or is rejected with
// AmendAboveFilled.
func TestAmendToFilledQuantity(t *testing.T) {
	for _, rejects := range []bool{false, true} {
		e := newEngine(t, func(o *simcore.Options) { o.AmendAboveFilled = rejects }).empty()
		a, b := e.trader(), e.trader()
		o := e.place(limit(a, simcore.Buy, "0.1", "60000"))
		e.place(limit(b, simcore.Sell, "0.06", "60000"))
		_, err := e.Amend(simcore.AmendRequest{Account: a, Symbol: "BTCUSDT", Order: simcore.OrderRef{ID: o.ID}, Qty: dec("0.06")})
		now := e.current(o)
		if rejects {
			e.rejected(simcore.ReasonQtyFilled, err)
			e.equal("quantity", now.Qty(), "0.1")
		} else {
			e.must(err)
		}
		if now.Status.Open() != rejects {
			t.Errorf("AmendAboveFilled %t: status = %s, want open %t", rejects, now.Status, rejects)
		}
	}
}
