// Package python has the samples of the client for Python, which README.md describes, and
// tests the client against the built service and its simulated venues.
//
// The test has the build tag interop; `make interop` runs it. It requires Debian's packages of
// the libraries in pyproject.toml.
package python

import _ "embed"

// Samples is the example that uses every operation. The documentation of the service shows
// its regions.
//
//go:embed examples/samples.py
var Samples string
