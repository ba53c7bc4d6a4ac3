// Package interop trades on the simulated venues with CCXT, a client that others
// wrote for the real ones, as if they were the venues.
//
// A connector and a simulator of one author can be wrong twice and agree. CCXT
// reads and writes the protocols of its own accord: what it cannot do on a
// simulator is a hint that the simulator is not the venue.
//
// # Running
//
// The test stands under the build tag interop; `make interop` runs it. It needs
// node and npm. The test starts the simulators as a process of their own,
// installs what package-lock.json names into node_modules, runs run.js for each
// venue and reports each case as a subtest. To play with one venue by hand:
//
//	go run ./cmd/venuegate sim --quiet-market --out sim.json
//	node run.js bybit FILE      # FILE: {"sim": …of sim.json…, "instruments": []}
//
// # Files
//
//   - run.js plays the cases of one venue and prints a line of JSON for each.
//   - cases holds one file of cases for each concern. A case has an account, a
//     CCXT client and a market of its own at the start price.
//   - ledger.js holds all that CCXT says after the run against the simulator's
//     ledger.
//   - venues holds what differs: addresses, parameters, and notApplicable, the
//     cases that CCXT or the simulator does not have, with the reason.
//   - trader.js, feed.js, control.js and expect.js are what cases are written
//     with.
//
// CCXT is pointed at the simulator by its table of addresses; its source is as
// it was published. It is told to keep numbers as text, so that they are
// compared as decimals.
//
// The instruments that CCXT reads are held against those that this project's
// connectors read from the same simulator.
package interop
