// Package chaos runs the built service against the simulated venues and injects
// failures: the process is killed at named points, at random times and again and again,
// its disk loses unsynced data, fills up or is corrupted, and the venues respond late,
// wrongly or not at all. It contains only tests, with the build tag chaos; `make chaos`
// runs them.
//
// # Parts
//
//   - A world is one simulator process with a ledger that survives everything, one
//     service on one data directory, and the responses that clients received.
//   - The load is clients with a recorded history: for each request id which client
//     sent what and when, and whether the response was a success, a rejection, or
//     missing. Some clients send signals, signed or of a chart, and repeat them.
//   - A receiver of events outlives every service. It records deliveries and responds
//     well, badly or not at all.
//   - The checker compares five sources afterwards: the history, the store, the
//     ledger of the venues, the event log and the receiver. Per request id the
//     history must be linearizable: at most one order at a time holds the id, and
//     every repeat returns that one. Every event is delivered or undelivered at each
//     endpoint; every acknowledged signal is final, and opened at most one order
//     before it expired.
//
// # Variants
//
// Kill points and planted bugs are edits that package overlay applies to the source
// for one build; the shipped source has neither.
//
// # Sizes
//
// The environment variable CHAOS is sample (minutes, for CI), full (half an
// hour), or night. CHAOS_SEED repeats the choices of a run, but not its scheduling, so
// a seed repeats a run only roughly. CHAOS_REPORT names a file for the final table.
package chaos
