package delivery_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// purge removes every event that is older than d, as the retention does.
func (h *process) purge(d time.Duration) {
	h.t.Helper()
	if err := h.store.Purge(context.Background(), persistence.Retention{Events: time.Now().Add(-d)}); err != nil {
		h.t.Fatal(err)
	}
}

func count(rows map[string]persistence.Delivery, status persistence.DeliveryStatus) (n int) {
	for _, d := range rows {
		if d.Status == status {
			n++
		}
	}
	return n
}

// A paused endpoint creates deliveries and attempts none. Those whose event is purged
// become undelivered, with a row; the others are sent when the endpoint is resumed.
func TestPurgedEventsOfAPausedEndpointAreUndelivered(t *testing.T) {
	for name, change := range map[string]func(*persistence.Endpoint){
		"paused":   func(e *persistence.Endpoint) { e.Paused = true },
		"disabled": func(e *persistence.Endpoint) { e.Disabled = "answered 410 Gone" },
	} {
		inBubble(t, func(t *testing.T, h *process) {
			to := endpoint("end_1")
			change(&to)
			r := newReceiver(accept)
			c := h.start(to, r)
			old := h.emit(persistence.EventOrderFilled, 150)
			c.Wake(1 << 40)
			settle(2 * time.Hour)
			if n := count(h.deliveries("end_1"), persistence.DeliveryPending); n != len(old) {
				t.Errorf("%s: pending = %d, want %d", name, n, len(old))
			}
			young := h.emit(persistence.EventOrderFilled, 3)
			c.Wake(1 << 40)
			settle(time.Second)
			h.purge(time.Hour)
			settle(2 * time.Minute)
			rows := h.deliveries("end_1")
			if lost, kept := count(rows, persistence.DeliveryUndelivered), count(rows, persistence.DeliveryPending); lost != len(old) || kept != len(young) {
				t.Errorf("%s: undelivered, pending = %d, %d, want %d, %d", name, lost, kept, len(old), len(young))
			}
			if d := rows[old[0]]; d.LastError != "the event is no longer kept" {
				t.Errorf("%s: %+v, want LastError the event is no longer kept", name, d)
			}
			if got := h.rows(old[0]); !slices.Equal(got, []string{"delivery.undelivered/undelivered"}) {
				t.Errorf("%s: rows = %v, want delivery.undelivered only", name, got)
			}
			again := open(t, h.store)
			defer again.close()
			again.start(endpoint("end_1"), r)
			settle(time.Second)
			if got := r.events(); !slices.Equal(got, sorted(young)) {
				t.Errorf("%s: events after the pause = %v, want %v", name, got, sorted(young))
			}
		})
	}
}

// The pending deliveries of a removed endpoint become undelivered, also after a
// restart; then the queue ends.
func TestDeliveriesOfARemovedEndpointAreUndelivered(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		to := endpoint("end_1")
		c := h.start(to, newReceiver(refuse))
		ids := h.emit(persistence.EventOrderFilled, 150)
		c.Wake(1 << 40)
		settle(time.Second)
		h.close()
		next := open(t, h.store)
		h.system = next.system // closed once
		to.RemovedAt = venues.At(time.Now())
		r := newReceiver(accept)
		next.start(to, r)
		settle(time.Second)
		rows := next.deliveries("end_1")
		if n := count(rows, persistence.DeliveryUndelivered); n != len(ids) || len(r.seen()) != 0 {
			t.Errorf("%d of %d undelivered, %d posts, want all and none", n, len(ids), len(r.seen()))
		}
		if d := rows[ids[0]]; d.LastError != "the endpoint was removed" || d.Attempts != 1 {
			t.Errorf("%+v, want LastError the endpoint was removed, Attempts 1", d)
		}
		if got := next.rows(ids[0]); !slices.Equal(got, []string{"delivery.attempt/failed", "delivery.undelivered/undelivered"}) {
			t.Error(got)
		}
		if err := next.clients[0].Resend(t.Context(), ids[0]); err == nil {
			t.Error("the queue of the removed endpoint runs, want it stopped")
		}
	})
}

// A receiver that hangs does not keep events from becoming deliveries: each is one
// after a minute, or as soon as it is read.
func TestSlowReceiverDoesNotDelayDeliveries(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		c := h.start(endpoint("end_1"), newReceiver(func(ctx context.Context, _ persistence.Event, _ int) persistence.Attempt {
			<-ctx.Done()
			return persistence.Attempt{Err: ctx.Err()}
		}))
		ids := h.emit(persistence.EventOrderFilled, 600)
		c.Wake(1 << 40)
		settle(time.Second)
		if n := len(h.deliveries("end_1")); n > 300 {
			t.Errorf("%d deliveries ahead, want at most 300", n)
		}
		settle(3 * time.Minute)
		if n := len(h.deliveries("end_1")); n != len(ids) {
			t.Errorf("%d of %d deliveries, want all", n, len(ids))
		}
	})
}
