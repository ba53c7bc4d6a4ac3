package account

import (
	"testing"

	"venuegate/persistence"
	"venuegate/venues"
)

// The journal rows of an order have the channel of its signal and its instrument, those of a leg
// the channel of its entry. A status row has the status as its result.
func TestJournalRowsHaveChannelAndSymbol(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	in := limitOrder("r1")
	in.cmd.ChannelID = "hook_1"
	o := b.place(in)
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	leg := &order{protectedOrder: protectedOrder{OrderRecord: persistence.OrderRecord{Order: venues.Order{
		OrderID: "ord_leg", EntryOrderID: o.OrderID, OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT"},
	}}}}
	if got := b.state.channelOf(leg); got != "hook_1" {
		t.Errorf("channel of the leg = %q, want hook_1", got)
	}
	opened := false
	for _, row := range b.journal {
		if row.Channel != "hook_1" || row.Symbol != "BTCUSDT" {
			t.Errorf("row %s has channel %q and symbol %q, want hook_1 and BTCUSDT", row.Kind, row.Channel, row.Symbol)
		}
		opened = opened || row.Kind == "order.status" && row.Result == "open"
	}
	if !opened {
		t.Errorf("journal = %+v, want a row with result open", b.journal)
	}
}
