package delivery_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"venuegate/actors/delivery"
	"venuegate/persistence"
)

// chatLimit is a chat that accepts a number of messages a minute, and throttles the
// others until the next minute.
func chatLimit(perMinute int, seen *int) func(context.Context, persistence.Event, int) persistence.Attempt {
	var minute time.Time
	taken := 0
	return func(ctx context.Context, e persistence.Event, n int) persistence.Attempt {
		*seen++
		if now := time.Now().Truncate(time.Minute); !now.Equal(minute) {
			minute, taken = now, 0
		}
		if taken == perMinute {
			wait := time.Until(minute.Add(time.Minute)).Truncate(time.Second)/time.Second + 1
			return persistence.Attempt{Code: 429, Err: errors.New("too many messages"), RetryAfterSec: int(wait), Throttled: true}
		}
		taken++
		return accept(ctx, e, n)
	}
}

// Throttled deliveries use up no attempt, and the queue does not call the endpoint
// meanwhile.
func TestThrottledBurstIsDelivered(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		sent := 0
		r := newReceiver(nil)
		limit := chatLimit(20, &sent)
		r.answer = func(ctx context.Context, e persistence.Event, n int) persistence.Attempt {
			h.mu.Lock()
			defer h.mu.Unlock()
			return limit(ctx, e, n)
		}
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		ids := h.emit(persistence.EventOrderFilled, 500)
		c.Wake(1 << 40)
		settle(30 * time.Minute)
		if len(r.taken) != len(ids) {
			t.Errorf("%d of %d events received, want all", len(r.taken), len(ids))
		}
		if most := len(ids) + 26*delivery.ConcurrencyMax; sent > most {
			t.Errorf("attempts = %d, want at most %d", sent, most)
		}
		for _, p := range r.seen() {
			if p.attempt != 1 {
				t.Fatalf("attempt %d, want attempt 1", p.attempt)
			}
		}
	})
}

// A delivery that is throttled for too long uses up its attempts.
func TestThrottledDeliveryIsGivenUpEventually(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		r := newReceiver(func(context.Context, persistence.Event, int) persistence.Attempt {
			return persistence.Attempt{Code: 429, Err: errors.New("too many messages"), RetryAfterSec: 3600, Throttled: true}
		})
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		id := h.emit(persistence.EventOrderFilled, 1)[0]
		c.Wake(1)
		settle(10 * time.Hour)
		if d := h.deliveries("end_1")[id]; d.Status != persistence.DeliveryPending || d.Attempts != 0 || d.LastError != "too many messages" {
			t.Errorf("%+v, want Status DeliveryPending, Attempts 0, LastError too many messages", d)
		}
		settle(20 * time.Hour)
		if d := h.deliveries("end_1")[id]; d.Status != persistence.DeliveryUndelivered || d.Attempts != 5 {
			t.Errorf("%+v, want Status DeliveryUndelivered, Attempts 5", d)
		}
		rows := h.rows(id)
		if n := len(rows); n < 6 || rows[0] != "delivery.attempt/throttled" || rows[n-1] != "delivery.undelivered/undelivered" {
			t.Error(rows)
		}
	})
}

// A throttled queue resumes exactly when the limit ends, with deliveries that were never
// attempted too.
func TestThrottledQueueResumesOnTime(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		throttled := true
		r := newReceiver(nil)
		r.answer = func(ctx context.Context, e persistence.Event, n int) persistence.Attempt {
			h.mu.Lock()
			defer h.mu.Unlock()
			if throttled {
				throttled = false
				return persistence.Attempt{Code: 429, Err: errors.New("too many messages"), RetryAfterSec: 35, Throttled: true}
			}
			return accept(ctx, e, n)
		}
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		begun := time.Now()
		first := h.emit(persistence.EventOrderFilled, 1)
		c.Wake(1)
		settle(time.Second)
		second := h.emit(persistence.EventOrderFilled, 1)
		c.Wake(1 << 40)
		settle(time.Minute)
		if got, want := r.events(), sorted(slices.Concat(first, first, second)); !slices.Equal(got, want) {
			t.Fatalf("events = %v, want %v", got, want)
		}
		for _, p := range r.seen()[1:] {
			if after := p.at.Sub(begun); after != 35*time.Second {
				t.Errorf("%s after %v, want 35s", p.event, after)
			}
		}
	})
}
