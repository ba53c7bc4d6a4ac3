//go:build chaos

package chaos

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

const (
	// shortLife is how long a service runs that is killed again and again. It is shorter than
	// the search for an order that was never placed.
	shortLife = 2300 * time.Millisecond
	// knownMax is the time within which 99 of 100 unknown outcomes are known.
	knownMax = 45 * time.Second
)

// TestRepeatedKills kills the service again and again while venues lose orders and answers. The
// searches for orders of unknown outcome end nevertheless.
func TestRepeatedKills(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := newWorld(t, shipped, t.TempDir()+"/data")
	for _, venue := range venues.All() {
		for _, do := range []simcore.FaultAction{simcore.FaultTimeoutBefore, simcore.FaultTimeoutAfter} {
			w.sim.fault(venue, simcore.FaultRequest{
				Match: tradeRequests(venue), Do: do, Args: simcore.FaultArgs{DelayMs: 1500 * millisecond},
				Seed: w.random.Uint64(), Probability: &simcore.Decimal{Decimal: decimal.New(5, -2)},
			})
		}
	}
	w.service.kill()
	for begun := time.Now(); time.Since(begun) < sized.repeatedKills; {
		launched := time.Now()
		w.mustStart()
		w.liveFor(max(0, shortLife-time.Since(launched)))
		total.inject("kill after a short life", 1)
	}
	w.mustStart()
	w.endFaults("order or answer lost")
	took := judgeWorld(t, w)
	if len(took) == 0 {
		t.Fatal("no outcome was unknown")
	}
	if p99 := percentile(took, 99); p99 > knownMax {
		t.Errorf("outcomes were known after %s, want 99 of 100 within %s", spread(took), knownMax)
	}
}
