package delivery_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// forget removes every event that is older than d, as the retention does.
func (h *house) forget(d time.Duration) {
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

// A paused endpoint takes its events and sends none. What its pause outlasts is
// undelivered, with its row; what is kept goes out when it is resumed.
func TestWhatAPauseOutlastsIsSaid(t *testing.T) {
	for name, change := range map[string]func(*persistence.Endpoint){
		"paused":   func(e *persistence.Endpoint) { e.Paused = true },
		"disabled": func(e *persistence.Endpoint) { e.Disabled = "answered 410 Gone" },
	} {
		inBubble(t, func(t *testing.T, h *house) {
			to := endpoint("end_1")
			change(&to)
			r := newReceiver(accept)
			c := h.start(to, r)
			old := h.emit(persistence.EventOrderFilled, 150)
			c.Wake(1 << 40)
			settle(2 * time.Hour)
			if n := count(h.deliveries("end_1"), persistence.DeliveryPending); n != len(old) {
				t.Errorf("%s: %d wait", name, n)
			}
			young := h.emit(persistence.EventOrderFilled, 3)
			c.Wake(1 << 40)
			settle(time.Second)
			h.forget(time.Hour)
			settle(2 * time.Minute)
			rows := h.deliveries("end_1")
			if lost, kept := count(rows, persistence.DeliveryUndelivered), count(rows, persistence.DeliveryPending); lost != len(old) || kept != len(young) {
				t.Errorf("%s: %d given up, %d wait", name, lost, kept)
			}
			if d := rows[old[0]]; d.LastError != "the event is no longer kept" {
				t.Errorf("%s: %+v", name, d)
			}
			if got := h.rows(old[0]); !slices.Equal(got, []string{"delivery.undelivered/undelivered"}) {
				t.Errorf("%s: %v", name, got)
			}
			again := open(t, h.store)
			defer again.close()
			again.start(endpoint("end_1"), r)
			settle(time.Second)
			if got := r.events(); !slices.Equal(got, sorted(young)) {
				t.Errorf("%s: %d posts after the pause", name, len(got))
			}
		})
	}
}

// What waits for an endpoint that is removed ends with it, also if the service
// ended before; then the queue does.
func TestWhatWaitsForARemovedEndpointEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
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
			t.Errorf("%d of %d ended, %d posts", n, len(ids), len(r.seen()))
		}
		if d := rows[ids[0]]; d.LastError != "the endpoint was removed" || d.Attempts != 1 {
			t.Errorf("%+v", d)
		}
		if got := next.rows(ids[0]); !slices.Equal(got, []string{"delivery.attempt/failed", "delivery.undelivered/undelivered"}) {
			t.Error(got)
		}
		if err := next.clients[0].Resend(t.Context(), ids[0]); err == nil {
			t.Error("the queue of a removed endpoint goes on")
		}
	})
}

// A receiver that hangs keeps no event from being taken: whatever waits, each has
// its delivery a minute later, or as soon as they are read.
func TestASlowReceiverDoesNotHoldEventsBack(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
		c := h.start(endpoint("end_1"), newReceiver(func(ctx context.Context, _ persistence.Event, _ int) persistence.Attempt {
			<-ctx.Done()
			return persistence.Attempt{Err: ctx.Err()}
		}))
		ids := h.emit(persistence.EventOrderFilled, 600)
		c.Wake(1 << 40)
		settle(time.Second)
		if n := len(h.deliveries("end_1")); n > 300 {
			t.Errorf("%d are read ahead", n)
		}
		settle(3 * time.Minute)
		if n := len(h.deliveries("end_1")); n != len(ids) {
			t.Errorf("%d of %d are taken", n, len(ids))
		}
	})
}
