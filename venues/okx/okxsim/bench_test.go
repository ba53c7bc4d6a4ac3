package okxsim_test

import (
	"testing"
	"time"

	"venuegate/venues/okx/okxsim"
)

// A second of the market with nobody connected: three venues must stay far
// below half a core.
func BenchmarkIdleSecond(b *testing.B) {
	now := time.Unix(1_780_000_000, 0)
	sim, err := okxsim.New(okxsim.Options{Seed: 1, Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for range 20 {
			now = now.Add(50 * time.Millisecond)
			sim.Step()
		}
	}
}
