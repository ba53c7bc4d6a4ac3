// Package interop trades on the simulated venues with CCXT, a client library that was
// written for the real ones, and with CCXT's class of the service, transport/clients/ccxt,
// through the service on the same simulators.
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
// To run the class, FILE also has "exchange", and "service" with baseUrl, adminUrl and
// adminToken of the service's demo.json, and CCXT is set to the module that the class extends:
//
//	CCXT=$PWD/../../../transport/clients/ccxt/node_modules/ccxt/js/ccxt.js node run.js venuegate FILE
//
// # Files
//
//   - run.js runs the cases of one venue and prints a line of JSON for each.
//   - cases has one file of cases for each concern. Each case has its own account,
//     CCXT client and market at the start price; for the class an account may be one that
//     another case has left flat.
//   - ledger.js compares everything that CCXT reports after the run with the
//     simulator's ledger; for the class after each case, because the account is then used
//     again or disconnected.
//   - venues has what differs between venues: addresses, parameters, and
//     notApplicable, the cases that CCXT or the simulator does not support, with the
//     reason.
//   - customers.js creates the customers of the service for the class.
//   - trader.js, feed.js, control.js, expect.js and ccxt.js are the helpers of the cases.
//
// CCXT's classes of the venues are unmodified and connect to the simulator by their table
// of addresses. They are configured to keep numbers as text, so that they are compared as
// decimals.
//
// The instruments that CCXT reads are compared with those that this project's
// connectors read from the same simulator.
package interop
