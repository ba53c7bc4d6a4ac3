package restclient_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/internal/restclient"
)

// venueClock is ahead of ours and takes its time on the way.
type venueClock struct {
	ahead time.Duration
	trips []time.Duration // each request's, there and back
	asked int
}

func (v *venueClock) probe(context.Context) (time.Time, error) {
	trip := v.trips[v.asked%len(v.trips)]
	v.asked++
	time.Sleep(trip / 2)
	told := time.Now().Add(v.ahead)
	time.Sleep(trip - trip/2)
	return told, nil
}

func TestClockFindsTheOffset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock restclient.Clock
		if clock.Measured() {
			t.Error("measured before any sample")
		}
		venue := &venueClock{ahead: 3 * time.Second, trips: []time.Duration{100 * time.Millisecond}}
		offset, err := clock.Sync(t.Context(), venue.probe)
		if err != nil || offset != 3*time.Second {
			t.Fatalf("offset %v, %v; want 3s", offset, err)
		}
		if got := time.Until(clock.Now()); got != 3*time.Second {
			t.Errorf("the venue's time is %v ahead, want 3s", got)
		}
	})
}

func TestClockMedianIgnoresAnOutlier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock restclient.Clock
		lopsided := func(context.Context) (time.Time, error) {
			told := time.Now()
			time.Sleep(2 * time.Second) // all of it on the way back
			return told, nil
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

func TestClockResyncForgetsWhatWasWrong(t *testing.T) {
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
			t.Errorf("asked again (%v) although the clock was measured since", err)
		}
	})
}

func TestClockKeepsItsOffsetWhenTheVenueIsSilent(t *testing.T) {
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

// Who waits for the probes of somebody else gives up with its own context.
func TestClockWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock restclient.Clock
		mute := func(ctx context.Context) (time.Time, error) {
			<-ctx.Done()
			return time.Time{}, ctx.Err()
		}
		patient, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() { _, _ = clock.Sync(patient, mute) }()
		synctest.Wait()
		hasty, cancelHasty := context.WithTimeout(t.Context(), time.Second)
		defer cancelHasty()
		began := time.Now()
		if err := clock.Resync(hasty, began, mute); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("gave up after %v with %v, want the context's error after 1s", time.Since(began), err)
		}
		if _, err := clock.Sync(t.Context(), (&venueClock{trips: []time.Duration{0}}).probe); err != nil {
			t.Errorf("after that nobody may probe: %v", err)
		}
	})
}

// TestSignedCallsAreMadeOnceMore: a refused timestamp costs one more call, by the
// clock measured anew; nothing else does.
func TestSignedCallsAreMadeOnceMore(t *testing.T) {
	refusal := errors.New("timestamp refused")
	refused := func(err error) bool { return errors.Is(err, refusal) }
	for name, test := range map[string]struct {
		answers []error
		want    error
		asked   int
	}{
		"as a rule":     {[]error{nil}, nil, 3},
		"refused":       {[]error{refusal, nil}, nil, 6},
		"refused twice": {[]error{refusal, refusal, nil}, refusal, 6},
		"another fault": {[]error{context.Canceled, nil}, context.Canceled, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var clock restclient.Clock
				venue := &venueClock{ahead: time.Second, trips: []time.Duration{time.Millisecond}}
				calls := 0
				err := clock.Signed(t.Context(), venue.probe, refused, func() error {
					calls++
					if clock.Offset() != time.Second {
						t.Errorf("call %d is made by a clock that is off by %v", calls, clock.Offset())
					}
					return test.answers[calls-1]
				})
				if !errors.Is(err, test.want) || venue.asked != test.asked {
					t.Errorf("%v after %d calls, the venue asked %d times for its time", err, calls, venue.asked)
				}
			})
		})
	}
}
