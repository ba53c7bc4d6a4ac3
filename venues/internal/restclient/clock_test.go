package restclient_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/internal/restclient"
)

// venueClock is a clock ahead of ours, behind a delay.
type venueClock struct {
	ahead time.Duration
	trips []time.Duration // of each request, there and back
	asked int
}

func (v *venueClock) probe(context.Context) (time.Time, error) {
	trip := v.trips[v.asked%len(v.trips)]
	v.asked++
	time.Sleep(trip / 2)
	at := time.Now().Add(v.ahead)
	time.Sleep(trip - trip/2)
	return at, nil
}

func TestClockFindsTheOffset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock restclient.Clock
		if clock.Measured() {
			t.Error("Measured = true before any sample")
		}
		venue := &venueClock{ahead: 3 * time.Second, trips: []time.Duration{100 * time.Millisecond}}
		offset, err := clock.Sync(t.Context(), venue.probe)
		if err != nil || offset != 3*time.Second {
			t.Fatalf("offset %v, %v; want 3s", offset, err)
		}
		if got := time.Until(clock.Now()); got != 3*time.Second {
			t.Errorf("Now is %v ahead, want 3s", got)
		}
	})
}

func TestClockMedianIgnoresAnOutlier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock restclient.Clock
		lopsided := func(context.Context) (time.Time, error) {
			at := time.Now()
			time.Sleep(2 * time.Second) // all of it on the way back
			return at, nil
		}
		quick := &venueClock{trips: []time.Duration{10 * time.Millisecond}}
		calls := 0
		offset, err := clock.Sync(t.Context(), func(ctx context.Context) (time.Time, error) {
			if calls++; calls == 2 {
				return lopsided(ctx)
			}
			return quick.probe(ctx)
		})
		if err != nil || offset != 0 {
			t.Errorf("offset %v, %v; want 0", offset, err)
		}
	})
}

func TestClockResyncDropsOldSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock restclient.Clock
		venue := &venueClock{trips: []time.Duration{10 * time.Millisecond}}
		for range 3 {
			if _, err := clock.Sync(t.Context(), venue.probe); err != nil {
				t.Fatal(err)
			}
		}
		venue.ahead = -time.Minute // the clock was set back
		time.Sleep(time.Second)
		if err := clock.Resync(t.Context(), time.Now(), venue.probe); err != nil {
			t.Fatal(err)
		}
		if got := clock.Offset(); got != -time.Minute {
			t.Errorf("offset %v, want -1m", got)
		}
		asked := venue.asked
		if err := clock.Resync(t.Context(), time.Now().Add(-time.Second), venue.probe); err != nil || venue.asked != asked {
			t.Errorf("Resync measured again (error %v) although the clock was measured since", err)
		}
	})
}

func TestClockKeepsItsOffsetWhenTheProbeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock restclient.Clock
		venue := &venueClock{ahead: time.Second, trips: []time.Duration{0}}
		if _, err := clock.Sync(t.Context(), venue.probe); err != nil {
			t.Fatal(err)
		}
		down := errors.New("down")
		offset, err := clock.Sync(t.Context(), func(context.Context) (time.Time, error) { return time.Time{}, down })
		if !errors.Is(err, down) || offset != time.Second {
			t.Errorf("offset %v, error %v; want 1s and the failure", offset, err)
		}
	})
}

// A caller that waits for the samples of another one gives up with its own context.
func TestClockWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock restclient.Clock
		stalled := func(ctx context.Context) (time.Time, error) {
			<-ctx.Done()
			return time.Time{}, ctx.Err()
		}
		patient, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() { _, _ = clock.Sync(patient, stalled) }()
		synctest.Wait()
		hasty, cancelHasty := context.WithTimeout(t.Context(), time.Second)
		defer cancelHasty()
		began := time.Now()
		if _, err := clock.Sync(hasty, stalled); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("sync gave up with %v, want the context's error", err)
		}
		if err := clock.Resync(hasty, began, stalled); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("gave up after %v with %v, want the context's error after 1s", time.Since(began), err)
		}
		if _, err := clock.Sync(t.Context(), (&venueClock{trips: []time.Duration{0}}).probe); err != nil {
			t.Errorf("sync after that: error %v, want none", err)
		}
	})
}

// A rejected timestamp repeats the call once, by the clock measured again. Nothing else
// does.
func TestRejectedTimestampRepeatsTheCallOnce(t *testing.T) {
	rejection := errors.New("timestamp rejected")
	isRejection := func(err error) bool { return errors.Is(err, rejection) }
	for name, test := range map[string]struct {
		answers []error
		want    error
		calls   int
	}{
		"as a rule":      {[]error{nil}, nil, 3},
		"rejected":       {[]error{rejection, nil}, nil, 6},
		"rejected twice": {[]error{rejection, rejection, nil}, rejection, 6},
		"another error":  {[]error{context.Canceled, nil}, context.Canceled, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var clock restclient.Clock
				venue := &venueClock{ahead: time.Second, trips: []time.Duration{time.Millisecond}}
				calls := 0
				err := clock.CallSigned(t.Context(), venue.probe, isRejection, func() error {
					calls++
					if clock.Offset() != time.Second {
						t.Errorf("call %d with a clock that is off by %v, want 0", calls, clock.Offset())
					}
					return test.answers[calls-1]
				})
				if !errors.Is(err, test.want) || venue.asked != test.calls {
					t.Errorf("error %v after %d calls and %d probes, want error %v after %d probes", err, calls, venue.asked, test.want, test.calls)
				}
			})
		})
	}
}

// Samples count for a quarter of an hour: after it, one of a clock that was set counts alone.
func TestClockForgetsOldSamples(t *testing.T) {
	const age = 15 * time.Minute
	for after, want := range map[time.Duration]time.Duration{age: 3 * time.Second, age + 1: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var clock restclient.Clock
			venue := &venueClock{ahead: 3 * time.Second, trips: []time.Duration{0}}
			if _, err := clock.Sync(t.Context(), venue.probe); err != nil {
				t.Fatal(err)
			}
			time.Sleep(after)
			venue.ahead = time.Second
			if offset, err := clock.Sync(t.Context(), venue.probe); err != nil || offset != want {
				t.Errorf("offset %s after %s, %v; want %s", offset, after, err, want)
			}
		})
	}
}
