//go:build chaos

package simulation_test

import (
	"os"
	"testing"
	"time"
)

// manySeedsDefault is for make chaos; SEEDS asks for another number.
const manySeedsDefault = 10_000

// TestManySeeds plays seeds that no other run has played, and says which. The sample
// plays those that follow the seeds of make test: it is run on every change, and
// must not end otherwise for another reason than the change.
func TestManySeeds(t *testing.T) {
	first := uint64(time.Now().Unix())
	if os.Getenv("CHAOS") == "sample" {
		first = seedsDefault + 1
	}
	playRange(t, setting(t, "VENUEGATE_FIRST_SEED", first), setting(t, "VENUEGATE_SEEDS", manySeedsDefault))
}
