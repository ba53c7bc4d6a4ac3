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
	syncing  Semaphore // held while samples are taken
	mu       sync.Mutex
	samples  []clockSample
	offset   time.Duration
	measured time.Time
}

type clockSample struct {
	offset time.Duration
	at     time.Time
}

// Sync takes a few samples with probe, which reads the venue's time, and adopts the
// median. It fails with the error of probe if there is no sample.
func (k *Clock) Sync(ctx context.Context, probe func(context.Context) (time.Time, error)) (time.Duration, error) {
	if err := k.syncing.Acquire(ctx); err != nil {
		return k.Offset(), err
	}
	defer k.syncing.Release()
	return k.sample(ctx, probe)
}

// Resync replaces all samples after the venue rejected a timestamp. since is when the
// rejected request was signed: if the clock has been measured after that, nothing is
// done.
func (k *Clock) Resync(ctx context.Context, since time.Time, probe func(context.Context) (time.Time, error)) error {
	if err := k.syncing.Acquire(ctx); err != nil {
		return err
	}
	defer k.syncing.Release()
	if k.measuredAt().After(since) {
		return nil
	}
	k.mu.Lock()
	k.samples = nil
	k.mu.Unlock()
	_, err := k.sample(ctx, probe)
	return err
}

// Measure measures the clock if it never was, once for all concurrent callers. A failure
// is ignored, because the venue rejects a wrong time anyway.
func (k *Clock) Measure(ctx context.Context, probe func(context.Context) (time.Time, error)) {
	if !k.Measured() {
		_ = k.Resync(ctx, time.Time{}, probe)
	}
}

// CallSigned makes a call whose request carries a timestamp. If the timestamp is
// rejected, which is a definite answer, it measures the clock again and repeats the call
// once.
func (k *Clock) CallSigned(
	ctx context.Context, probe func(context.Context) (time.Time, error), rejected func(error) bool, call func() error,
) error {
	k.Measure(ctx, probe)
	signedAt := time.Now()
	err := call()
	if !rejected(err) || k.Resync(ctx, signedAt, probe) != nil {
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

// Offset returns the offset, venue minus local; zero before the first Sync.
func (k *Clock) Offset() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.offset
}

// Now returns the estimated time of the venue.
func (k *Clock) Now() time.Time { return time.Now().Add(k.Offset()) }

// Measured reports whether the clock was ever measured.
func (k *Clock) Measured() bool { return !k.measuredAt().IsZero() }

func (k *Clock) measuredAt() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.measured
}
