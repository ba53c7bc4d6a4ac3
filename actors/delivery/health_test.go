package delivery_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/actors"
	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

func TestUndeliveredEventIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.WarnLevel)
		h := open(t, storetest.NewMemory())
		h.close()
		h.system = actors.New(zap.New(core))
		h.pool = h.system.NewPool("store", 8, 1024)
		c := h.start(endpoint("end_1"), newReceiver(refuse))
		defer h.close()
		synctest.Wait()
		id := h.emit(persistence.EventOrderFilled, 1)[0]
		c.Wake(1)
		time.Sleep(24 * time.Hour)
		entries := logs.FilterMessage("event undelivered").All()
		if len(entries) != 1 {
			t.Fatalf("logged %d times, want once: %v", len(entries), logs.All())
		}
		fields := entries[0].ContextMap()
		if fields["event_id"] != id || fields["endpoint_id"] != "end_1" || fields["customer"] != customer ||
			fields["type"] != "order.filled" || fields["attempts"] != int64(5) || fields["error"] != "answered 500" {
			t.Errorf("fields = %v, want those of the delivery", fields)
		}
	})
}

func TestHealthHasTheOldestDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, storetest.NewMemory())
		var refusing atomic.Bool
		refusing.Store(true)
		c := h.start(endpoint("end_1"), newReceiver(func(ctx context.Context, e persistence.Event, attempt int) persistence.Attempt {
			if refusing.Load() {
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
		refusing.Store(false)
		time.Sleep(time.Minute)
		if got := h.monitor.Health(); got != (delivery.Health{}) || h.counts.Delivered() != 2 || h.counts.Undelivered() != 0 {
			t.Errorf("after the second: health = %+v, %d delivered, %d undelivered, want none, 2, 0", got, h.counts.Delivered(), h.counts.Undelivered())
		}
		refusing.Store(true)
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

// slowStore is a store whose events take a second to read.
type slowStore struct{ persistence.Store }

func (s slowStore) EventsSince(ctx context.Context, customer string, seq uint64, limit int) ([]persistence.Event, error) {
	time.Sleep(time.Second)
	return s.Store.EventsSince(ctx, customer, seq, limit)
}

// A queue that has stopped has nothing pending for the operator, also if it still waited for a
// read of the store.
func TestStoppedQueueHasNoHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, slowStore{storetest.NewMemory()})
		c := h.start(endpoint("end_1"), newReceiver(refuse))
		settle(time.Minute)
		h.emit(persistence.EventOrderFilled, 1)
		c.Wake(1)
		settle(3 * time.Second)
		if got := h.monitor.Health(); got.Pending != 1 {
			t.Errorf("after the first attempt: health = %+v, want 1 pending", got)
		}
		c.Wake(2)
		synctest.Wait()
		h.close()
		if got := h.monitor.Health(); got != (delivery.Health{}) {
			t.Errorf("stopped: health = %+v, want none", got)
		}
	})
}
