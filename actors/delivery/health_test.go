package delivery_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

func TestHealthHasTheOldestDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, storetest.NewMemory())
		refusing := true
		c := h.start(endpoint("end_1"), newReceiver(func(ctx context.Context, e persistence.Event, attempt int) persistence.Attempt {
			if refusing {
				return refuse(ctx, e, attempt)
			}
			return accept(ctx, e, attempt)
		}))
		synctest.Wait()
		if got := h.monitor.Health(); got != (delivery.Health{}) {
			t.Errorf("before an event: health = %+v, want none", got)
		}
		begun := time.Now()
		h.emit(persistence.EventOrderFilled, 2)
		c.Wake(2)
		synctest.Wait()
		if got := h.monitor.Health(); got.Pending != 2 || !got.OldestDue.Equal(begun.Add(10*time.Second)) {
			t.Errorf("after the first attempts: health = %+v, want 2 pending, due 10 s after %s", got, begun)
		}
		refusing = false
		time.Sleep(time.Minute)
		if got := h.monitor.Health(); got != (delivery.Health{}) || h.counts.Delivered() != 2 || h.counts.Undelivered() != 0 {
			t.Errorf("after the second: health = %+v, %d delivered, %d undelivered, want none, 2, 0", got, h.counts.Delivered(), h.counts.Undelivered())
		}
		refusing = true
		h.emit(persistence.EventOrderFilled, 1)
		c.Wake(3)
		time.Sleep(3 * time.Hour)
		if h.counts.Delivered() != 2 || h.counts.Undelivered() != 1 {
			t.Errorf("given up: %d delivered, %d undelivered, want 2, 1", h.counts.Delivered(), h.counts.Undelivered())
		}
		h.emit(persistence.EventOrderFilled, 1)
		c.Wake(4)
		synctest.Wait()
		h.close()
		if got := h.monitor.Health(); got != (delivery.Health{}) {
			t.Errorf("stopped: health = %+v, want none", got)
		}
	})
}
