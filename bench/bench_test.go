package bench

import (
	"context"
	"strings"
	"testing"
)

// TestBookScenarioAgreesWithItsProbe: both must end with the same book, or the
// ratio compares different work.
func TestBookScenarioAgreesWithItsProbe(t *testing.T) {
	var out strings.Builder
	if err := Run(context.Background(), &out, []string{"book"}, Options{Rounds: 1}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "allocations") {
		t.Fatal(out.String())
	}
	t.Log(out.String())
}
