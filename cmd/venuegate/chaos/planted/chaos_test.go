//go:build chaos

package planted_test

import (
	"os"
	"testing"
)

func TestEveryPlantedBugIsCaught(t *testing.T) {
	if os.Getenv("CHAOS") == "sample" {
		t.Skip("a sample of them is planted by make test")
	}
	plantAll(t, bugs)
}
