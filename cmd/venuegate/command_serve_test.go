package main

import (
	"runtime/debug"
	"testing"
)

func TestGOGCOverridesTheDefault(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for _, c := range []struct {
		environ []string
		want    int
	}{
		{[]string{"HOME=/", "GOGC=50"}, 77},
		{[]string{"GOGC=off"}, 77},
		{[]string{"GOMEMLIMIT=1GiB", "XGOGC=1"}, gcPercent},
		{nil, gcPercent},
	} {
		debug.SetGCPercent(77)
		tuneCollector(c.environ)
		if got := debug.SetGCPercent(77); got != c.want {
			t.Errorf("%q: GC percent = %d, want %d", c.environ, got, c.want)
		}
	}
}
