package account

import (
	"testing"

	"venuegate/persistence"
	"venuegate/venues"
)

// The rows of an order are found by the channel that it comes of and by its
// instrument, those of a leg by its entry's, and a status by its name.
func TestRowsAreFiledByChannelAndSymbol(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	in := limitOrder("r1")
	in.cmd.ChannelID = "hook_1"
	o := b.place(in)
	b.step(func(m moment) {
		b.state.placed(m, placeDone{orderID: o.OrderID, report: o.says(venues.StatusOpen, "0")})
	})
	leg := &order{OrderRecord: persistence.OrderRecord{EntryOrderID: o.OrderID, Order: venues.Order{
		OrderID: "ord_leg", OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT"},
	}}}
	if got := b.state.channelOf(leg); got != "hook_1" {
		t.Errorf("the leg's channel is %q", got)
	}
	opened := false
	for _, row := range b.journal {
		if row.Channel != "hook_1" || row.Symbol != "BTCUSDT" {
			t.Errorf("%s is filed under channel %q and symbol %q", row.Kind, row.Channel, row.Symbol)
		}
		opened = opened || row.Kind == "order.status" && row.Result == "open"
	}
	if !opened {
		t.Errorf("no row says that the order is open: %+v", b.journal)
	}
}
