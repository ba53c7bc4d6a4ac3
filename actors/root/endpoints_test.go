package root_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/venues"
)

// refuser is a receiver that rejects everything.
type refuser struct{}

func (refuser) Send(context.Context, persistence.Endpoint, persistence.Event, int, time.Time) persistence.Attempt {
	return persistence.Attempt{Code: 500, Err: errors.New("answered 500")}
}

// The pending deliveries of a removed endpoint become undelivered, after a restart too.
func TestDeliveriesOfARemovedEndpointAreUndelivered(t *testing.T) {
	d := open(t)
	d.stop()
	d.senders = map[persistence.EndpointKind]delivery.Sender{persistence.EndpointWebhook: refuser{}}
	d.start(t.Context())
	at := venues.At(time.Now())
	to := persistence.Endpoint{ID: "end_1", Customer: "c1", Kind: persistence.EndpointWebhook, CreatedAt: at}
	put := func(id string) {
		t.Helper()
		row := persistence.JournalEntry{ID: id, At: at, Kind: "admin.endpoint", Subject: to.ID}
		if err := d.tree.ConfigurePart(t.Context(), to, row); err != nil {
			t.Fatal(err)
		}
	}
	pending := func() int {
		t.Helper()
		rows, err := d.store.PendingDeliveries(t.Context(), "c1", to.ID, 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	put("jrn_1")
	d.becomes(venues.StatusFilled, "r1", spec(venues.Buy, venues.TypeMarket, "0.01", ""))
	d.until("a delivery waits", func() bool { return pending() > 0 })
	to.RemovedAt = venues.At(time.Now())
	put("jrn_2")
	d.until("nothing waits", func() bool { return pending() == 0 })
	if err := d.tree.Resend(t.Context(), "c1", to.ID, "evt"); venues.CodeOf(err) != venues.CodeNotFound {
		t.Errorf("a removed endpoint resends: %v, want code CodeNotFound", err)
	}
	page, err := d.store.Deliveries(t.Context(), persistence.DeliveryQuery{Customer: "c1", Endpoint: to.ID})
	if err != nil || len(page.Items) == 0 {
		t.Fatal(page.Items, err)
	}
	for _, row := range page.Items {
		if row.Status != persistence.DeliveryUndelivered {
			t.Errorf("%+v, want Status DeliveryUndelivered", row)
		}
	}
	d.stop()
	d.start(t.Context()) // its queue begins and ends again
}
