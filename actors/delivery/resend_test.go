package delivery_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

func TestResend(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		var healthy atomic.Bool
		r := newReceiver(func(ctx context.Context, e persistence.Event, n int) persistence.Attempt {
			if healthy.Load() {
				return accept(ctx, e, n)
			}
			return refuse(ctx, e, n)
		})
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		ids := h.emit(persistence.EventOrderFilled, 400)
		c.Wake(600)
		if err := c.Resend(t.Context(), "evt_unknown"); venues.CodeOf(err) != venues.CodeNotFound {
			t.Errorf("unknown: %v, want code CodeNotFound", err)
		}
		settle(3 * time.Hour)
		posts := len(r.seen())
		if posts != 2000 {
			t.Fatalf("%d posts, want 2000", posts)
		}
		healthy.Store(true)
		if err := c.Resend(t.Context(), ids[7]); err != nil {
			t.Fatal(err)
		}
		settle(time.Second)
		if last := r.seen()[posts]; last.event != ids[7] || last.attempt != 1 {
			t.Errorf("last post = %+v, want attempt 1 of %s", last, ids[7])
		}
		if got := h.rows(ids[7]); !slices.Equal(got[5:], []string{"delivery.undelivered/undelivered", "delivery.resent/pending", "delivery.delivered/delivered"}) {
			t.Error(got)
		}
		if err := c.Resend(t.Context(), ids[7]); err != nil { // once more, though it was delivered
			t.Fatal(err)
		}
		if n, err := c.ResendUndelivered(t.Context(), time.Time{}); n != 399 || err != nil {
			t.Fatalf("%d, %v, want 399", n, err)
		}
		settle(time.Minute)
		if len(r.taken) != 400 || r.taken[ids[7]] != 2 {
			t.Errorf("%d taken, one %d times, want 400 and 2", len(r.taken), r.taken[ids[7]])
		}
		if n, err := c.ResendUndelivered(t.Context(), time.Time{}); n != 0 || err != nil {
			t.Errorf("%d, %v, want 0", n, err)
		}
	})
}

func TestUndeliveredAreResentSinceATime(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		var healthy atomic.Bool
		c := h.start(endpoint("end_1"), newReceiver(func(ctx context.Context, e persistence.Event, attempt int) persistence.Attempt {
			time.Sleep(1200 * time.Millisecond)
			if healthy.Load() {
				return accept(ctx, e, attempt)
			}
			return refuse(ctx, e, attempt)
		}))
		early := h.emit(persistence.EventOrderFilled, 3)
		c.Wake(3)
		settle(3 * time.Hour)
		since := time.Now()
		late := h.emit(persistence.EventOrderFilled, 2)
		c.Wake(5)
		settle(3 * time.Hour)
		d := h.deliveries("end_1")[late[0]]
		if d.Status != persistence.DeliveryUndelivered || d.LastCode != 500 || d.LastMS != 1200 {
			t.Errorf("delivery = %+v, want undelivered after status 500 in 1200 ms", d)
		}
		healthy.Store(true)
		if n, err := c.ResendUndelivered(t.Context(), since); n != 2 || err != nil {
			t.Fatalf("resent since %v = %d, %v, want 2", since, n, err)
		}
		if d = h.deliveries("end_1")[late[0]]; d.LastCode != 0 || d.LastMS != 0 {
			t.Errorf("resent delivery = %+v, want no status and no duration", d)
		}
		settle(time.Minute)
		for _, id := range early {
			if d = h.deliveries("end_1")[id]; d.Status != persistence.DeliveryUndelivered {
				t.Errorf("delivery queued earlier = %+v, want undelivered", d)
			}
		}
		if d = h.deliveries("end_1")[late[1]]; d.LastCode != 200 || d.LastError != "" {
			t.Errorf("delivery = %+v, want status 200 without error", d)
		}
	})
}

// The fifth attempt hangs when the resend is requested; the delivery must be restarted
// when that attempt has failed.
func TestResendDuringAnAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		r := newReceiver(func(ctx context.Context, e persistence.Event, n int) persistence.Attempt {
			if n == 5 {
				<-ctx.Done()
			}
			return refuse(ctx, e, n)
		})
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		id := h.emit(persistence.EventOrderFilled, 1)[0]
		c.Wake(1)
		settle(offsets[4] + 5*time.Second)
		if err := c.Resend(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		settle(time.Second)
		posts := r.seen()
		if len(posts) != 6 || posts[5].attempt != 1 || posts[5].at.Sub(posts[4].at) != 10*time.Second {
			t.Errorf("posts = %+v, want a sixth one, attempt 1, after 10 s", posts)
		}
		// A pending one is attempted immediately.
		if err := c.Resend(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		settle(0)
		if n := len(r.seen()); n != 7 {
			t.Errorf("%d posts, want 7", n)
		}
	})
}
