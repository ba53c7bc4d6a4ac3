package simtest

import (
	"sync/atomic"
	"testing"
	"time"

	"venuegate/venues/simcore/simnet"
)

// Clock is a base clock that a test advances.
type Clock struct{ ns atomic.Int64 }

// NewClock returns a clock at a fixed time.
func NewClock() *Clock {
	c := &Clock{}
	c.ns.Store(time.Date(2026, time.September, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

// Now returns the time, for simnet.Setup.
func (c *Clock) Now() time.Time { return time.Unix(0, c.ns.Load()).UTC() }

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) { c.ns.Add(int64(d)) }

// BenchmarkIdle measures the steps of a second of virtual time of a venue without
// connections. Three venues must stay far below half a core.
func BenchmarkIdle[S interface{ Step() }](b *testing.B, create func(simnet.Setup) S) {
	b.Helper()
	now := time.Unix(1_780_000_000, 0)
	sim := create(simnet.Setup{Seed: 1, Now: func() time.Time { return now }})
	b.ReportAllocs()
	for b.Loop() {
		for range time.Second / simnet.PumpInterval {
			now = now.Add(simnet.PumpInterval)
			sim.Step()
		}
	}
}
