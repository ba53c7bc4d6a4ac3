package restclient

import (
	"context"
	"errors"
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

// Sync takes a sample with probe, which reads the venue's time, and adopts the median of
// the newest ones. At first it takes clockProbes. It fails with the error of probe if it
// took none.
func (c *Clock) Sync(ctx context.Context, probe func(context.Context) (time.Time, error)) (time.Duration, error) {
	if err := c.syncing.Acquire(ctx); err != nil {
		return c.Offset(), err
	}
	defer c.syncing.Release()
	return c.sample(ctx, probe)
}

// Resync replaces all samples after the venue rejected a timestamp. since is when the
// rejected request was signed: if the clock has been measured after that, nothing is
// done.
func (c *Clock) Resync(ctx context.Context, since time.Time, probe func(context.Context) (time.Time, error)) error {
	if err := c.syncing.Acquire(ctx); err != nil {
		return err
	}
	defer c.syncing.Release()
	if c.measuredAt().After(since) {
		return nil
	}
	c.mu.Lock()
	c.samples = nil
	c.mu.Unlock()
	_, err := c.sample(ctx, probe)
	return err
}

// Measure measures the clock if it was never measured, once for all concurrent callers. A failure
// is ignored, because the venue rejects a wrong time anyway.
func (c *Clock) Measure(ctx context.Context, probe func(context.Context) (time.Time, error)) {
	if !c.Measured() {
		_ = c.Resync(ctx, time.Time{}, probe)
	}
}

// CallSigned makes a call whose request carries a timestamp. If the timestamp is
// rejected, which is a definite answer, it measures the clock again and repeats the call
// once. If the deadline of the request has passed by then, the venue has rejected it as too
// late.
func (c *Clock) CallSigned(
	ctx context.Context, probe func(context.Context) (time.Time, error), rejected func(error) bool, call func() error,
) error {
	c.Measure(ctx, probe)
	signedAt := time.Now()
	err := call()
	if !rejected(err) || c.Resync(ctx, signedAt, probe) != nil {
		return err
	}
	if again := call(); !errors.Is(again, ErrDeadlinePassed) {
		return again
	}
	return TooLate(err)
}

func (c *Clock) sample(ctx context.Context, probe func(context.Context) (time.Time, error)) (time.Duration, error) {
	var failure error
	taken := 0
	for range c.missing() {
		sent := time.Now()
		server, err := probe(ctx)
		if err != nil {
			failure = err
			break
		}
		took := time.Since(sent)
		c.add(server.Sub(sent.Add(took/2)), sent.Add(took))
		taken++
	}
	if taken == 0 {
		return c.Offset(), failure
	}
	return c.Offset(), nil
}

// missing returns how many samples to take.
func (c *Clock) missing() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(1, clockProbes-len(c.samples))
}

func (c *Clock) add(offset time.Duration, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.samples = append(c.samples, clockSample{offset: offset, at: at})
	c.samples = slices.DeleteFunc(c.samples, func(s clockSample) bool { return at.Sub(s.at) > clockSampleAgeMax })
	if n := len(c.samples) - clockSamplesMax; n > 0 {
		c.samples = slices.Delete(c.samples, 0, n)
	}
	c.offset = medianOffset(c.samples)
	c.measured = at
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
func (c *Clock) Offset() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// Now returns the estimated time of the venue.
func (c *Clock) Now() time.Time { return time.Now().Add(c.Offset()) }

// Measured reports whether the clock was ever measured.
func (c *Clock) Measured() bool { return !c.measuredAt().IsZero() }

func (c *Clock) measuredAt() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.measured
}
