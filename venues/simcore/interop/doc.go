// Package interop trades on the simulated venues with CCXT, a client library that was
// written for the real ones.
//
// A connector and a simulator by one author can share an error and agree. CCXT
// implements the protocols independently: what it cannot do on a simulator suggests
// that the simulator differs from the venue.
//
// # Running
//
// The test has the build tag interop; `make interop` runs it. It requires node and
// npm. The test starts the simulators as a separate process, installs the packages of
// package-lock.json into node_modules, runs run.js for each venue and reports each
// case as a subtest. To run one venue by hand:
//
//	go run ./cmd/venuegate sim --quiet-market --out sim.json
//	node run.js bybit FILE      # FILE: {"sim": …of sim.json…, "instruments": []}
//
// # Files
//
//   - run.js runs the cases of one venue and prints a line of JSON for each.
//   - cases has one file of cases for each concern. Each case has its own account,
//     CCXT client and market at the start price.
//   - ledger.js compares everything that CCXT reports after the run with the
//     simulator's ledger.
//   - venues has what differs between venues: addresses, parameters, and
//     notApplicable, the cases that CCXT or the simulator does not support, with the
//     reason.
//   - trader.js, feed.js, control.js and expect.js are the helpers of the cases.
//
// CCXT is unmodified and connects to the simulator by its table of addresses. It is
// configured to keep numbers as text, so that they are compared as decimals.
//
// The instruments that CCXT reads are compared with those that this project's
// connectors read from the same simulator.
package interop
