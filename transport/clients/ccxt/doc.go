// Package ccxt tests the exchange class for CCXT, which README.md describes, against the built
// service and its simulated venues.
//
// The test has the build tag interop; `make interop` runs it. It requires node and npm. The
// cases of package venues/simcore/interop run through the class as well.
package ccxt
