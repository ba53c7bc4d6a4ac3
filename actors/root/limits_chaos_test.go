//go:build chaos

package root_test

import "testing"

func TestClientBelowItsLimitsForTenMinutes(t *testing.T) { useLimits(t, 600) }
