// Package typescript has the samples of the TypeScript client, and the test that builds the
// client and runs its tests against the built service.
//
// The test has the build tag interop; `make interop` runs it. It requires node and npm.
// README.md describes the client and how to run its tests by hand.
package typescript

import _ "embed"

// Samples is the example that uses every operation. The documentation of the service shows
// its regions.
//
//go:embed examples/samples.ts
var Samples string
