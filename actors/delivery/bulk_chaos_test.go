//go:build chaos

package delivery_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

// TestTwoHundredThousandDeliveriesOverCrashes is TestNothingIsLostOverCrashes
// under fifty seeds.
func TestTwoHundredThousandDeliveriesOverCrashes(t *testing.T) {
	const runs, events = 50, 1000
	first := rand.Uint64()
	total := 0
	for run := range uint64(runs) {
		synctest.Test(t, func(t *testing.T) { total += overCrashes(t, first+run, events) })
		if t.Failed() {
			return
		}
	}
	t.Logf("%d deliveries, first seed %d", total, first)
}
