package account_test

import (
	"strings"
	"testing"
	"time"

	"venuegate/actors/actortest"
)

// The fills of an order that is reported as filled are read from the venue, unless the private
// stream reports them in time.
func TestFillsAreReadIfTheStreamDoesNotReportThem(t *testing.T) {
	for streamed, want := range map[bool]int{false: 1, true: 0} {
		actortest.Run(t, func(kit *actortest.Kit) {
			h := openStreamed(kit, newVenue())
			order, err := h.place("r1", "59000")
			if err != nil {
				t.Fatal(err)
			}
			clientID := strings.TrimPrefix(order.VenueOrderID, "v")
			h.venue.fill(clientID)
			report, fill := h.venue.orders[clientID], h.venue.executions[0]
			before := h.venue.fillReadsReceived()
			h.stream.Report(report)
			if streamed {
				report.Fill = &fill
				h.stream.Report(report)
			}
			kit.Advance(time.Second)
			if reads := h.venue.fillReadsReceived() - before; reads != want {
				t.Errorf("fill reported %t: %d readings of fills, want %d", streamed, reads, want)
			}
			record, err := h.store.Order(t.Context(), "c1", order.OrderID)
			if err != nil || record.FilledQty.String() != "1" {
				t.Errorf("fill reported %t: order has filled %s, %v, want 1", streamed, record.FilledQty, err)
			}
		})
	}
}
