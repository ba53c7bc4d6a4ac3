// Mutate changes random places of the core packages, one at a time, and runs the tests
// with each change. A change that survives them shows what they do not check.
//
//	make mutate                          100 changes, the same ones each time
//	make mutate MUTANTS=400 SEED=7       more of them, and others
//	go run ./cmd/venuegate/chaos/mutate -mutants 30 actors/book
//	go run ./cmd/venuegate/chaos/mutate -own -mutants 30 actors/account/risk
//
// The tests of the changed package run first, then those of the packages that import it
// unless -own is set, the shortest first, all with -short and without the race detector. Tests
// of more than a minute run for their own package only. The report counts what own tests have
// noticed apart from what others have: a package should not depend on the tests of others.
// Arguments are packages, files or lines, such as actors/book/check.go:101. Changes that do not
// compile are not counted; one whose tests do not end counts as noticed. The source itself
// is not changed: package overlay replaces the file for the build.
//
// Gremlins, the maintained tool for Go, does not fit: it is meant for small modules, and
// leaves out of its score the changes that run into a time limit, which derives from the
// run that measures the coverage.
//
// # Survivors
//
// A survivor is printed with its line before and after the change. If a client, an operator
// or another package can observe the difference, a test is missing: write it, and see it
// fail with the change. If nobody can, for instance because a later check has the same
// result, add the printed line to equivalents.txt below a comment with the reason: it is
// left out from then on. If the line has no purpose, remove it.
package main
