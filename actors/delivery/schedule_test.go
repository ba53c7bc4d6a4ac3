package delivery_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// offsets of the attempts from the first: 0, 10 s, 1 min 10 s, 6 min 10 s,
// 36 min 10 s.
var offsets = []time.Duration{0, 10 * time.Second, 70 * time.Second, 370 * time.Second, 2170 * time.Second}

func checkOffsets(t *testing.T, posts []post, begun time.Time) {
	t.Helper()
	var got []time.Duration
	for i, p := range posts {
		got = append(got, p.at.Sub(begun))
		if p.attempt != i+1 || !p.signed.Equal(p.at) {
			t.Errorf("post %d: attempt = %d, signed %v after it began, want %d and 0s", i, p.attempt, p.signed.Sub(p.at), i+1)
		}
	}
	if !slices.Equal(got, offsets) {
		t.Errorf("attempts at %v, want %v", got, offsets)
	}
}

func TestFiveAttemptsToTheSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, storetest.NewMemory())
		defer h.close()
		r := newReceiver(refuse)
		c := h.start(endpoint("end_1"), r)
		synctest.Wait()
		begun := time.Now()
		id := h.emit(persistence.EventOrderFilled, 1)[0]
		c.Wake(1)
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		checkOffsets(t, r.seen(), begun)
		d := h.deliveries("end_1")[id]
		if d.Status != persistence.DeliveryUndelivered || d.Attempts != 5 || d.LastError != "answered 500" {
			t.Errorf("%+v, want Status DeliveryUndelivered, Attempts 5, LastError answered 500", d)
		}
		want := []string{"delivery.attempt/failed", "delivery.attempt/failed", "delivery.attempt/failed", "delivery.attempt/failed", "delivery.attempt/failed", "delivery.undelivered/undelivered"}
		if got := h.rows(id); !slices.Equal(got, want) {
			t.Errorf("journal = %v, want %v", got, want)
		}
	})
}

// TestRestartInEveryGap crashes the process once between any two attempts and restarts
// it before the next attempt is due.
func TestRestartInEveryGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		r := newReceiver(refuse)
		h := open(t, store)
		to := endpoint("end_1")
		c := h.start(to, r)
		synctest.Wait()
		begun := time.Now()
		id := h.emit(persistence.EventOrderFilled, 1)[0]
		c.Wake(1)
		for i := 1; i < len(offsets); i++ {
			time.Sleep(time.Until(begun.Add((offsets[i-1] + offsets[i]) / 2)))
			h.close()
			store = store.Crash(0)
			h = open(t, store)
			h.start(to, r)
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		checkOffsets(t, r.seen(), begun)
		if d := h.deliveries("end_1")[id]; d.Status != persistence.DeliveryUndelivered || d.Attempts != 5 {
			t.Errorf("%+v, want Status DeliveryUndelivered, Attempts 5", d)
		}
		h.close()
	})
}

// An attempt that hangs takes ten seconds, and the delay begins after them.
func TestDelayCountsFromTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, storetest.NewMemory())
		defer h.close()
		r := newReceiver(func(ctx context.Context, _ persistence.Event, _ int) persistence.Attempt {
			<-ctx.Done()
			return persistence.Attempt{Err: errors.New("no answer within 10s")}
		})
		c := h.start(endpoint("end_1"), r)
		synctest.Wait()
		begun := time.Now()
		h.emit(persistence.EventOrderFilled, 1)
		c.Wake(1)
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		for i, p := range r.seen() {
			if want := offsets[i] + time.Duration(i)*10*time.Second; p.at.Sub(begun) != want {
				t.Errorf("attempt %d at %v, want %v", i+1, p.at.Sub(begun), want)
			}
		}
	})
}

func TestAttemptMissedWhileDownIsMadeImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		r := newReceiver(refuse)
		to := endpoint("end_1")
		h := open(t, store)
		c := h.start(to, r)
		synctest.Wait()
		h.emit(persistence.EventOrderFilled, 1)
		c.Wake(1)
		time.Sleep(time.Second)
		h.close()
		time.Sleep(time.Hour)
		h = open(t, store.Crash(0))
		defer h.close()
		up := time.Now()
		h.start(to, r)
		synctest.Wait()
		if posts := r.seen(); len(posts) != 2 || !posts[1].at.Equal(up) || posts[1].attempt != 2 {
			t.Errorf("posts = %+v, want attempt 2 at %v", posts, up)
		}
	})
}

func TestRetryAfterIsHonouredWithinBounds(t *testing.T) {
	for name, c := range map[string]struct {
		wish time.Duration
		want time.Duration
	}{
		"sooner than planned": {time.Second, 10 * time.Second},
		"later":               {time.Minute, time.Minute},
		"too late":            {24 * time.Hour, delivery.RetryAfterMax},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, storetest.NewMemory())
				defer h.close()
				r := newReceiver(func(_ context.Context, _ persistence.Event, attempt int) persistence.Attempt {
					if attempt == 1 {
						return persistence.Attempt{Code: 503, Err: errors.New("answered 503"), RetryAfterSec: int(c.wish / time.Second)}
					}
					return persistence.Attempt{Code: 200}
				})
				client := h.start(endpoint("end_1"), r)
				synctest.Wait()
				h.emit(persistence.EventOrderFilled, 1)
				client.Wake(1)
				time.Sleep(3 * time.Hour)
				synctest.Wait()
				posts := r.seen()
				if len(posts) != 2 || posts[1].at.Sub(posts[0].at) != c.want {
					t.Errorf("posts = %+v, want a second one after %v", posts, c.want)
				}
			})
		})
	}
}

func TestScheduleIsValidated(t *testing.T) {
	if errs := delivery.ScheduleDefault().Errors(); errs != nil {
		t.Error(errs)
	}
	for name, c := range map[string]struct {
		schedule delivery.Schedule
		field    string
	}{
		"no attempt":       {delivery.Schedule{}, "attempts"},
		"too many":         {delivery.Schedule{Attempts: 21, Delays: []time.Duration{1}}, "attempts"},
		"no delay":         {delivery.Schedule{Attempts: 2}, "delays"},
		"a negative delay": {delivery.Schedule{Attempts: 2, Delays: []time.Duration{-1}}, "delays"},
		"an endless delay": {delivery.Schedule{Attempts: 2, Delays: []time.Duration{8 * 24 * time.Hour}}, "delays"},
	} {
		if errs := c.schedule.Errors(); len(errs) != 1 || errs[0].Field != c.field {
			t.Errorf("%s: errors = %v, want one of %s", name, errs, c.field)
		}
	}
}
