//go:build chaos

package main

import "testing"

// TestTestModeWritesNothingTenThousandTimes is TestTestModeWritesNothing with ten
// thousand signals.
func TestTestModeWritesNothingTenThousandTimes(t *testing.T) { writeNothing(t, 10_000) }
