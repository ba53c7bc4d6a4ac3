package main

import (
	"runtime/debug"
	"slices"
	"strings"
)

// gcPercent lets the heap grow to three times what lives before it is collected; Go's
// own measure is twice. A collection takes as long as marking what lives, and the
// orders of that time wait for it: they are the slowest of a hundred.
const gcPercent = 200

// tuneCollector leaves alone what an operator has set; GOMEMLIMIT bounds the heap
// whatever it would grow to.
func tuneCollector(environ []string) {
	if !slices.ContainsFunc(environ, func(variable string) bool { return strings.HasPrefix(variable, "GOGC=") }) {
		debug.SetGCPercent(gcPercent)
	}
}
