package simcore_test

import (
	"testing"

	"venuegate/venues/simcore"
)

func TestAmendConditional(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	e.place(market(a, simcore.Buy, "0.2"))
	c := e.conditional(stop(a, simcore.Sell, "0.1", "59000"))
	ref := simcore.OrderRef{ID: c.ID}

	_, err := e.AmendConditional(simcore.ConditionalAmendment{Account: a, Order: ref, TriggerPrice: dec("61000")})
	e.refused(simcore.ReasonWouldTrigger, err)
	_, err = e.AmendConditional(simcore.ConditionalAmendment{Account: a, Order: ref, Qty: dec("0.00001")})
	e.refused(simcore.ReasonQtyBelowMin, err)
	amended, err := e.AmendConditional(simcore.ConditionalAmendment{Account: a, Order: ref, TriggerPrice: dec("58000"), Qty: dec("0.2")})
	e.must(err)
	if amended.ID != c.ID || amended.Status != simcore.ConditionalWaiting {
		t.Fatalf("amended: %+v", amended)
	}

	e.must(e.MovePrice("BTCUSDT", dec("58500")))
	if got := e.status(c); got != simcore.ConditionalWaiting {
		t.Fatalf("at the old trigger: %s", got)
	}
	e.must(e.MovePrice("BTCUSDT", dec("57900")))
	if got := e.status(c); got != simcore.ConditionalFinished {
		t.Fatalf("at the new trigger: %s", got)
	}
	rows := e.Ledger().Orders()
	for _, row := range rows {
		if row.Kind == "conditional" && row.Qty != "0.2" {
			t.Errorf("ledger: %+v", row)
		}
	}
	_, err = e.AmendConditional(simcore.ConditionalAmendment{Account: a, Order: ref, Qty: dec("0.1")})
	e.refused(simcore.ReasonUnknownOrder, err)
}
