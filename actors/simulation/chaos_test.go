//go:build chaos

package simulation_test

import (
	"os"
	"testing"
	"time"
)

// manySeedsDefault is the default of make chaos; SEEDS sets another number.
const manySeedsDefault = 10_000

// TestManySeeds plays new seeds and logs them. The sample plays the seeds that follow
// those of make test: CI runs it on every change, so its result must depend on the
// change alone.
func TestManySeeds(t *testing.T) {
	first := uint64(time.Now().Unix())
	if os.Getenv("CHAOS") == "sample" {
		first = seedsDefault + 1
	}
	playRange(t, setting(t, "VENUEGATE_FIRST_SEED", first), setting(t, "VENUEGATE_SEEDS", manySeedsDefault))
}
