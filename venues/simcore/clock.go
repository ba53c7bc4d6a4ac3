package simcore

import (
	"sync/atomic"
	"time"
)

// Clock is the venue's clock: a base clock, which paces the simulated market,
// and an offset, with which tests make the venue's time wrong. It is safe for
// concurrent use.
type Clock struct {
	base   func() time.Time
	offset atomic.Int64
}

// NewClock returns a clock over base. A nil base means time.Now.
func NewClock(base func() time.Time) *Clock {
	if base == nil {
		base = time.Now
	}
	return &Clock{base: base}
}

// Now returns the venue's time, used for timestamps and deadlines.
func (c *Clock) Now() time.Time { return c.base().Add(c.Offset()) }

// Base returns the time of the base clock.
func (c *Clock) Base() time.Time { return c.base() }

// Offset returns how far the venue's clock is ahead of the base clock.
func (c *Clock) Offset() time.Duration { return time.Duration(c.offset.Load()) }

// SetOffset sets how far the venue's clock is ahead of the base clock.
func (c *Clock) SetOffset(d time.Duration) { c.offset.Store(int64(d)) }
