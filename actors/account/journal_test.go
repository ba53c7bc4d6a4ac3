package account

import (
	"testing"

	"venuegate/persistence"
	"venuegate/venues"
)

// The rows of an order can be searched by the channel of its signal and by its
// instrument, those of a leg by the channel of its entry, and a status row by the status.
func TestRowsAreFiledByChannelAndSymbol(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	in := limitOrder("r1")
	in.cmd.ChannelID = "hook_1"
	o := b.place(in)
	b.step(func(step stepContext) {
		b.state.placed(step, placeDone{orderID: o.OrderID, report: o.reportWith(venues.StatusOpen, "0")})
	})
	leg := &order{protectedOrder: protectedOrder{OrderRecord: persistence.OrderRecord{EntryOrderID: o.OrderID, Order: venues.Order{
		OrderID: "ord_leg", OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT"},
	}}}}
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
		t.Errorf("no row has the status open: %+v", b.journal)
	}
}
