package main

import (
	"runtime/debug"
	"slices"
	"strings"
)

// gcPercent lets the heap grow to three times the live heap before a collection;
// Go's default is twice. Marking the live heap delays the orders of that time,
// which show up in the 99th percentile.
const gcPercent = 200

// tuneCollector sets gcPercent unless the operator has set GOGC. GOMEMLIMIT
// bounds the heap in either case.
func tuneCollector(environ []string) {
	if !slices.ContainsFunc(environ, func(variable string) bool { return strings.HasPrefix(variable, "GOGC=") }) {
		debug.SetGCPercent(gcPercent)
	}
}
