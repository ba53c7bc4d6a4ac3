package simcore_test

import (
	"testing"

	"venuegate/venues/simcore"
)

func TestAmendConditionalKeepsTheOrder(t *testing.T) {
	e := newEngine(t)
	a := e.trader()
	e.place(market(a, simcore.Buy, "0.2"))
	c := e.conditional(stop(a, simcore.Sell, "0.1", "59000"))
	ref := simcore.OrderRef{ID: c.ID}

	_, err := e.AmendConditional(simcore.ConditionalAmendment{Account: a, Order: ref, TriggerPrice: dec("61000")})
	e.rejected(simcore.ReasonWouldTrigger, err)
	_, err = e.AmendConditional(simcore.ConditionalAmendment{Account: a, Order: ref, Qty: dec("0.00001")})
	e.rejected(simcore.ReasonQtyBelowMin, err)
	amended, err := e.AmendConditional(simcore.ConditionalAmendment{Account: a, Order: ref, TriggerPrice: dec("58000"), Qty: dec("0.2")})
	e.must(err)
	if amended.ID != c.ID || amended.Status != simcore.ConditionalWaiting {
		t.Fatalf("amended = %+v, want id %d, waiting", amended, c.ID)
	}

	e.must(e.MovePrice("BTCUSDT", dec("58500")))
	if got := e.status(c); got != simcore.ConditionalWaiting {
		t.Fatalf("status at the old trigger = %s, want waiting", got)
	}
	e.must(e.MovePrice("BTCUSDT", dec("57900")))
	if got := e.status(c); got != simcore.ConditionalFinished {
		t.Fatalf("status at the new trigger = %s, want finished", got)
	}
	rows := e.Ledger().Orders()
	for _, row := range rows {
		if row.Kind == "conditional" && row.Qty != "0.2" {
			t.Errorf("ledger row = %+v, want quantity 0.2", row)
		}
	}
	_, err = e.AmendConditional(simcore.ConditionalAmendment{Account: a, Order: ref, Qty: dec("0.1")})
	e.rejected(simcore.ReasonUnknownOrder, err)
}
