package storetest

import (
	"testing"

	"venuegate/persistence"
)

// Open returns an empty store. The suite closes it.
type Open func(t testing.TB) persistence.Store

// Run checks a store against the contract of package persistence.
func Run(t *testing.T, open Open) {
	t.Helper()
	sections := []struct {
		name  string
		cases []conformanceCase
	}{
		{"commits", commitCases},
		{"ownership", ownershipCases},
		{"concurrency", concurrencyCases},
		{"written", writtenCases},
		{"records", recordCases},
		{"orders", orderCases},
		{"fills", fillCases},
		{"log", logCases},
		{"signals", signalCases},
		{"deliveries", deliveryCases},
		{"purge", purgeCases},
		{"archive", archiveCases},
		{"volume", volumeCases},
	}
	for _, section := range sections {
		t.Run(section.name, func(t *testing.T) {
			for _, c := range section.cases {
				t.Run(c.name, func(t *testing.T) { c.check(newHarness(t, open)) })
			}
		})
	}
	t.Run("model", func(t *testing.T) { runModel(t, open) })
}

type conformanceCase struct {
	name  string
	check func(h *harness)
}
