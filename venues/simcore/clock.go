package simcore

import (
	"sync/atomic"
	"time"
)

// Clock is the venue's clock: a base clock, which paces the simulated market,
// and an offset, which tests shift to make the venue's time wrong.
type Clock struct {
	base   func() time.Time
	offset atomic.Int64
}

// NewClock makes a clock over base; nil means time.Now.
func NewClock(base func() time.Time) *Clock {
	if base == nil {
		base = time.Now
	}
	return &Clock{base: base}
}

// Now is the time that the venue stamps and checks with.
func (c *Clock) Now() time.Time { return c.base().Add(c.Offset()) }

// Base is the unshifted time.
func (c *Clock) Base() time.Time { return c.base() }

// Offset is how far the venue's clock is ahead of the base clock.
func (c *Clock) Offset() time.Duration { return time.Duration(c.offset.Load()) }

// SetOffset shifts the venue's clock.
func (c *Clock) SetOffset(d time.Duration) { c.offset.Store(int64(d)) }
