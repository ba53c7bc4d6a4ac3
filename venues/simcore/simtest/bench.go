package simtest

import (
	"testing"
	"time"

	"venuegate/venues/simcore/simnet"
)

// BenchmarkIdle takes a second's steps of a venue that nobody is connected to, in
// virtual time: three venues must stay far below half a core.
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
