package account

import (
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// openReport returns the report of the open orders.
func (b *fixture) openReport() (got venues.OpenOrdersReport) {
	b.t.Helper()
	for _, e := range b.step(func(stepContext) {
		b.state.getOpenReport(getOpenReport{actors.ReplyFunc(func(venues.OpenOrdersReport, error) {})})
	}) {
		if r, is := e.(replyOpenReport); is {
			if r.err != nil {
				b.t.Fatal(r.err)
			}
			got = r.value
		}
	}
	return got
}

func TestOpenReportNamesUnknownOrders(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.accept(b.place(limitOrder("r1")))
	unknown := b.place(limitOrder("r2"))
	b.answerPlace(unknown, errTimeout)
	since := b.now
	b.now = b.now.Add(time.Minute)
	got := b.openReport()
	if got.Open != 2 || got.Unknown != 1 || len(got.Oldest) != 1 || got.Oldest[0].OrderID != unknown.OrderID || !got.Oldest[0].Since.Equal(since) ||
		got.Oldest[0].Symbol != "BTCUSDT" || !got.Oldest[0].Qty.IsPositive() {
		t.Errorf("report = %+v, want 2 open orders, and %s unknown since %s", got, unknown.OrderID, since)
	}
	b.report(unknown.reportWith(venues.StatusRejected, "0"))
	if got := b.openReport(); got.Open != 1 || got.Unknown != 0 || len(got.Oldest) != 0 {
		t.Errorf("report = %+v, want one open order", got)
	}
}
