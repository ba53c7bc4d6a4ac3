//go:build chaos

package root_test

import "testing"

func TestTestModeSendsNothingTenThousandTimes(t *testing.T) { dryRun(t, 10_000) }
