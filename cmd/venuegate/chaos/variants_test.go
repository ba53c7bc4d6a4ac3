//go:build chaos

package chaos

import (
	"testing"

	"venuegate/cmd/venuegate/chaos/overlay"
)

// TestVariantsFit lists all edits of variants that no longer match the source.
func TestVariantsFit(t *testing.T) {
	variants := map[string]overlay.Variant{"kill points": withKillPoints(), "venues": patientVenues, "unsynced": unsynced}
	for _, bug := range plantedBugs {
		variants[bug.name] = bug.variant
	}
	for name, v := range variants {
		if _, err := v.Write(root, t.TempDir()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
