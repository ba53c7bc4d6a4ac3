package simcore_test

import (
	"testing"

	"venuegate/venues/simcore"
)

// A rehearsal answers what the amendment would, and changes nothing.
func TestAmendDryRun(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	o := e.place(limit(a, simcore.Buy, "0.1", "59000"))
	request := simcore.AmendRequest{Account: a, Symbol: "BTCUSDT", Order: simcore.OrderRef{ID: o.ID}, Price: dec("59100"), DryRun: true}
	told := len(e.events)
	_, err := e.Amend(request)
	e.must(err)
	e.equal("price", e.again(o).Price(), "59000")
	request.Price = dec("59000.05")
	_, err = e.Amend(request)
	e.refused(simcore.ReasonPriceOffTick, err)

	c := e.conditional(stop(a, simcore.Buy, "0.1", "61000"))
	rehearsal := simcore.ConditionalAmendment{Account: a, Order: simcore.OrderRef{ID: c.ID}, Rising: true, TriggerPrice: dec("62000"), DryRun: true}
	placed := len(e.events)
	_, err = e.AmendConditional(rehearsal)
	e.must(err)
	rehearsal.TriggerPrice = dec("59000")
	_, err = e.AmendConditional(rehearsal)
	e.refused(simcore.ReasonWouldTrigger, err)
	found, err := e.Conditional(a, simcore.OrderRef{ID: c.ID})
	e.must(err)
	e.equal("trigger", found.Request.TriggerPrice, "61000")
	if extra := len(e.events) - placed; extra != 0 || placed-told != 1 {
		t.Errorf("%d events, then %d", placed-told, extra)
	}
}

// An amendment to what is filled already cancels, or is refused where the venue
// refuses it.
func TestAmendToWhatIsFilled(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		e := newEngine(t, func(o *simcore.Options) { o.AmendAboveFilled = refuses }).empty()
		a, b := e.trader(), e.trader()
		o := e.place(limit(a, simcore.Buy, "0.1", "60000"))
		e.place(limit(b, simcore.Sell, "0.06", "60000"))
		_, err := e.Amend(simcore.AmendRequest{Account: a, Symbol: "BTCUSDT", Order: simcore.OrderRef{ID: o.ID}, Qty: dec("0.06")})
		now := e.again(o)
		if refuses {
			e.refused(simcore.ReasonQtyFilled, err)
			e.equal("quantity", now.Qty(), "0.1")
		} else {
			e.must(err)
		}
		if now.Status.Open() != refuses {
			t.Errorf("refuses %v: %s", refuses, now.Status)
		}
	}
}
