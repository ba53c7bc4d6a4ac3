//go:build chaos

package signing_test

import "testing"

func TestMillionForgeriesAreRejected(t *testing.T) { rejectForgeries(t, 1_000_000) }
