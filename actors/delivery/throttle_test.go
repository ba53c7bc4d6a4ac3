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

// chatLimit is a chat that takes so many messages a minute, and tells the others
// to wait for the next one.
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

// TestBurstOutlastsTheLimitOfAChat: what must wait for the limit spends no
// attempt, and the queue leaves the other end alone meanwhile.
func TestBurstOutlastsTheLimitOfAChat(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
		asked := 0
		r := newReceiver(nil)
		limit := chatLimit(20, &asked)
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
			t.Errorf("%d of %d taken", len(r.taken), len(ids))
		}
		if most := len(ids) + 26*delivery.ConcurrencyMax; asked > most {
			t.Errorf("asked %d times, at most %d", asked, most)
		}
		for _, p := range r.seen() {
			if p.attempt != 1 {
				t.Fatalf("attempt %d", p.attempt)
			}
		}
	})
}

// TestThrottleEndsSomeday: one that is put off for ever is counted in the end.
func TestThrottleEndsSomeday(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
		r := newReceiver(func(context.Context, persistence.Event, int) persistence.Attempt {
			return persistence.Attempt{Code: 429, Err: errors.New("too many messages"), RetryAfterSec: 3600, Throttled: true}
		})
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		id := h.emit(persistence.EventOrderFilled, 1)[0]
		c.Wake(1)
		settle(10 * time.Hour)
		if d := h.deliveries("end_1")[id]; d.Status != persistence.DeliveryPending || d.Attempts != 0 || d.LastError != "too many messages" {
			t.Errorf("%+v", d)
		}
		settle(20 * time.Hour)
		if d := h.deliveries("end_1")[id]; d.Status != persistence.DeliveryUndelivered || d.Attempts != 5 {
			t.Errorf("%+v", d)
		}
		rows := h.rows(id)
		if n := len(rows); n < 6 || rows[0] != "delivery.attempt/throttled" || rows[n-1] != "delivery.undelivered/undelivered" {
			t.Error(rows)
		}
	})
}

// TestThrottledQueueGoesOnAtItsMoment: a rest ends at its moment, for those
// that never were tried as well.
func TestThrottledQueueGoesOnAtItsMoment(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
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
		if got := r.events(); !slices.Equal(got, sorted(slices.Concat(first, first, second))) {
			t.Fatalf("%v", got)
		}
		for _, p := range r.seen()[1:] {
			if after := p.at.Sub(begun); after != 35*time.Second {
				t.Errorf("%s after %v", p.event, after)
			}
		}
	})
}
