package simtest

import (
	"sync/atomic"
	"time"
)

// Clock is a base clock that a test moves by hand.
type Clock struct{ ns atomic.Int64 }

// NewClock makes a clock that stands still.
func NewClock() *Clock {
	c := &Clock{}
	c.ns.Store(time.Date(2026, time.September, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

// Now is the time, for simnet.Setup.
func (c *Clock) Now() time.Time { return time.Unix(0, c.ns.Load()).UTC() }

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) { c.ns.Add(int64(d)) }
