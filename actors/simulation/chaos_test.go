//go:build chaos

package simulation_test

import (
	"testing"
	"time"
)

// manySeedsDefault is for make chaos; SEEDS asks for another number.
const manySeedsDefault = 10_000

// TestManySeeds plays seeds that no other run has played, and says which.
func TestManySeeds(t *testing.T) {
	first := setting(t, "VENUEGATE_FIRST_SEED", uint64(time.Now().Unix()))
	playRange(t, first, setting(t, "VENUEGATE_SEEDS", manySeedsDefault))
}
