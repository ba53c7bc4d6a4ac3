package restclient

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	clockSamplesMax   = 9
	clockProbes       = 3
	clockSampleAgeMax = 15 * time.Minute
)

// Clock keeps the offset of a venue's clock, venue minus local, as the median of
// the newest samples. It is safe for concurrent use.
type Clock struct {
	syncing  Turn // held while probes are under way
	mu       sync.Mutex
	samples  []clockSample
	offset   time.Duration
	measured time.Time
}

type clockSample struct {
	offset time.Duration
	at     time.Time
}

// Sync takes a few samples with probe, which asks the venue for its time, and
// adopts the median. It fails with probe's error if no sample was had.
func (k *Clock) Sync(ctx context.Context, probe func(context.Context) (time.Time, error)) (time.Duration, error) {
	if err := k.syncing.Take(ctx); err != nil {
		return k.Offset(), err
	}
	defer k.syncing.Give()
	return k.sample(ctx, probe)
}

// Resync replaces all samples, after the venue refused one of our timestamps.
// since is when the refused request was signed: if the clock has been measured
// later than that, the new offset serves as it is.
func (k *Clock) Resync(ctx context.Context, since time.Time, probe func(context.Context) (time.Time, error)) error {
	if err := k.syncing.Take(ctx); err != nil {
		return err
	}
	defer k.syncing.Give()
	if k.measuredAt().After(since) {
		return nil
	}
	k.mu.Lock()
	k.samples = nil
	k.mu.Unlock()
	_, err := k.sample(ctx, probe)
	return err
}

// Measure is Sync for whoever comes before the clock was ever compared, once for all
// of them. A failure shows soon enough: the venue will refuse a wrong time.
func (k *Clock) Measure(ctx context.Context, probe func(context.Context) (time.Time, error)) {
	if !k.Measured() {
		_ = k.Resync(ctx, time.Time{}, probe)
	}
}

// Signed makes a call whose request bears the time. That a timestamp is refused, as
// refused says of an error, is definite, so the call is made once more by the clock
// as it is then.
func (k *Clock) Signed(
	ctx context.Context, probe func(context.Context) (time.Time, error), refused func(error) bool, call func() error,
) error {
	k.Measure(ctx, probe)
	signedAt := time.Now()
	err := call()
	if !refused(err) || k.Resync(ctx, signedAt, probe) != nil {
		return err
	}
	return call()
}

func (k *Clock) sample(ctx context.Context, probe func(context.Context) (time.Time, error)) (time.Duration, error) {
	var failure error
	taken := 0
	for range clockProbes {
		sent := time.Now()
		server, err := probe(ctx)
		if err != nil {
			failure = err
			break
		}
		took := time.Since(sent)
		k.add(server.Sub(sent.Add(took/2)), sent.Add(took))
		taken++
	}
	if taken == 0 {
		return k.Offset(), failure
	}
	return k.Offset(), nil
}

func (k *Clock) add(offset time.Duration, at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.samples = append(k.samples, clockSample{offset: offset, at: at})
	k.samples = slices.DeleteFunc(k.samples, func(s clockSample) bool { return at.Sub(s.at) > clockSampleAgeMax })
	if n := len(k.samples) - clockSamplesMax; n > 0 {
		k.samples = slices.Delete(k.samples, 0, n)
	}
	k.offset = medianOffset(k.samples)
	k.measured = at
}

func medianOffset(samples []clockSample) time.Duration {
	offsets := make([]time.Duration, len(samples))
	for i, s := range samples {
		offsets[i] = s.offset
	}
	slices.Sort(offsets)
	middle := len(offsets) / 2
	if len(offsets)%2 == 1 {
		return offsets[middle]
	}
	return (offsets[middle-1] + offsets[middle]) / 2
}

// Offset is venue minus local; zero before the first Sync.
func (k *Clock) Offset() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.offset
}

// Now is the venue's time as far as known.
func (k *Clock) Now() time.Time { return time.Now().Add(k.Offset()) }

// Measured says whether the clock was ever compared.
func (k *Clock) Measured() bool { return !k.measuredAt().IsZero() }

func (k *Clock) measuredAt() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.measured
}
