//go:build chaos

package chaos

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

// size is how much one run does.
type size struct {
	// killsPerPoint of each kill point, killsAnytime at no point in particular.
	killsPerPoint, killsAnytime int
	// repeatedKills is how long a service is killed again and again.
	repeatedKills time.Duration
	// simulatorKills of the venues under a running service.
	simulatorKills int
	// faultPhase is how long each kind of fault stands.
	faultPhase time.Duration
	// powerCuts of one service; controlCuts until the control run has lost
	// something.
	powerCuts, controlCuts int
	// staleStops leave signals lying until they have expired.
	staleStops int
	// cutsPerPoint are power cuts at each kill point of cutPoints.
	cutsPerPoint int
	// damages is how many damaged copies of a data directory are started.
	damages int
	// planted is how many rounds a planted bug has to show itself.
	planted int
}

var sizes = map[string]size{
	"sample": {killsPerPoint: 3, killsAnytime: 12, repeatedKills: time.Minute, simulatorKills: 2, faultPhase: 2 * time.Second, powerCuts: 2, controlCuts: 6, staleStops: 1, cutsPerPoint: 1, damages: 16, planted: 3},
	"full":   {killsPerPoint: 25, killsAnytime: 120, repeatedKills: 3 * time.Minute, simulatorKills: 10, faultPhase: 15 * time.Second, powerCuts: 8, controlCuts: 12, staleStops: 4, cutsPerPoint: 3, damages: 90, planted: 8},
	"night":  {killsPerPoint: 500, killsAnytime: 2000, repeatedKills: 30 * time.Minute, simulatorKills: 100, faultPhase: 5 * time.Minute, powerCuts: 200, controlCuts: 12, staleStops: 40, cutsPerPoint: 25, damages: 1000, planted: 8},
}

const sizeDefault = "full"

// chosen is the size of this run, and the seed of its choices.
func chosen() (name string, s size, seed uint64, err error) {
	name = os.Getenv("CHAOS")
	if name == "" {
		name = sizeDefault
	}
	s, known := sizes[name]
	if !known {
		return "", size{}, 0, fmt.Errorf("CHAOS is %q; it may be sample, full or night", name)
	}
	seed = rand.Uint64()
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return "", size{}, 0, fmt.Errorf("CHAOS_SEED: %w", err)
		}
	}
	return name, s, seed, nil
}
