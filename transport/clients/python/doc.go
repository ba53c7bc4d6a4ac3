// Package python tests the client for Python, which README.md describes, against the built
// service and its simulated venues.
//
// The test has the build tag interop; `make interop` runs it. It requires Debian's packages of
// the libraries in pyproject.toml.
package python
