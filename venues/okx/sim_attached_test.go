package okx

import (
	"testing"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// What is attached to an order lives under an id made of the order's, and is
// followed to its trigger.
func TestSimulatedAttachedProtection(t *testing.T) {
	sim, c, account := simulated(t)
	h := new(heard)
	f := account.OpenPrivate(h)
	t.Cleanup(f.Close)
	h.await(t, "private stream", func() bool { return h.connected == 1 })
	last, err := c.lastPrice(t.Context(), c.catalogue.Load().find("BTCUSDT"))
	if err != nil {
		t.Fatal(err)
	}
	at := func(factor string) venues.Optional {
		return venues.Some(venues.FloorTo(last.Mul(venues.MustDecimal(factor)), venues.MustDecimal("0.1")))
	}
	entry := marketOf("vgentry", venues.Buy, "0.05")
	entry.StopLoss, entry.TakeProfit = at("0.95"), at("1.05")
	if _, err := account.Place(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	attached := func(r *venues.ExecutionReport) bool {
		return r.ClientOrderID == "vgentryp" && r.Attachment != nil && r.Attachment.EntryClientID == "vgentry"
	}
	heardOf := func(what string, is func(r *venues.ExecutionReport) bool) {
		h.await(t, what, func() bool {
			for n := range h.reports {
				if attached(&h.reports[n]) && is(&h.reports[n]) {
					return true
				}
			}
			return false
		})
	}
	heardOf("both legs", func(r *venues.ExecutionReport) bool {
		return r.Status == venues.StatusUntriggered && venues.EqualOptional(r.Attachment.StopLoss, entry.StopLoss) &&
			venues.EqualOptional(r.Attachment.TakeProfit, entry.TakeProfit)
	})
	risen := simcore.Decimal{Decimal: at("1.06").Decimal}
	if _, err := sim.Control().Market(simcore.MarketRequest{Symbol: "BTCUSDT", Price: &risen}); err != nil {
		t.Fatal(err)
	}
	heardOf("the trigger", func(r *venues.ExecutionReport) bool {
		return r.Status == venues.StatusOpen && r.Attachment.Fired == venues.ProtectingTakeProfit && venues.EqualOptional(r.TriggerPrice, entry.TakeProfit)
	})
	report, err := account.Order(t.Context(), venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vgentryp", Type: venues.TypeStopMarket})
	if err != nil || report.Status != venues.StatusFilled || !attached(&report) || report.Attachment.Fired != venues.ProtectingTakeProfit {
		t.Fatalf("%+v, %v", report, err)
	}
}
