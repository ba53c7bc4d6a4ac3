//go:build chaos

package planted_test

import "testing"

func TestEveryPlantedBugIsCaught(t *testing.T) { plantAll(t, bugs) }
