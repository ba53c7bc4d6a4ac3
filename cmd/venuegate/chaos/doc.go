// Package chaos runs the built service against the simulated venues and breaks
// it: the process is killed at named points and at any moment, its disk loses
// what was not synced, fills up or rots, and the venues answer late, wrongly or
// not at all. It holds tests only, under the build tag chaos; `make chaos` runs
// them.
//
// # Parts
//
//   - A world is one simulator process with a ledger that survives everything,
//     one service on one data directory, and what clients have been told.
//   - The load is clients with a recorded history: of each request id, who asked
//     what and when, and whether the answer was ok, a refusal, or unknown. Some of
//     them send signals, signed or a chart's, and the same bytes again.
//   - A receiver of events outlives every service. It notes what is posted, and
//     answers well, badly or not at all.
//   - The checker compares five sources afterwards: the history, the store, the
//     ledger of the venues, the event log and the receiver. Per request id the
//     history must be linearizable: at most one order at a time holds the id, and
//     every repeat sees that one. Every event is delivered or undelivered at each
//     endpoint; every signal that was acknowledged has an end, and opened one
//     order at most, in time.
//
// # Variants
//
// Kill points and planted bugs are lines that package overlay puts into the
// source for one build; the shipped source has neither.
//
// # Sizes
//
// The environment variable CHAOS is sample (minutes, for CI), full (half an
// hour), or night. CHAOS_SEED repeats the choices of a run; scheduling is the
// machine's, so a seed repeats a run roughly, not exactly. CHAOS_REPORT names a
// file for the table that the run ends with.
package chaos
