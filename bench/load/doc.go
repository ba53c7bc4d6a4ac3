// Package load measures a running service, on this machine or another one, as its clients see
// it.
//
// # Open loop
//
// A scenario has a rate: request n is due at the start plus n divided by the rate, whatever
// became of those before it. Its latency counts from that time, so that a service that
// stops for a second is charged with every request that was due in it and not only with those
// that it happened to hold (the measurement has no coordinated omission). A request that no
// client could send within backlogMax is counted as not sent.
//
// # What is measured
//
// Requests begin to count after the warm-up. Latencies are kept in HDR histograms from 1 µs to
// a minute with three significant digits, one for each kind of request and each of Rounds equal
// parts of the duration: Compare needs the spread between the parts. Errors are counted by
// status and code and have no latency. Where the process of the service is on this machine its
// processor time and its memory are read too.
//
// # Scenarios
//
//   - orders, amend, cancel, mixed: orders that never match, 3 % below the best bid
//   - reads: the lists and records that a client reads
//   - hooks: signed signals to a channel
//   - events: orders whose events come back to a receiver
//   - stream: subscribers; a sample of them checks the sequence numbers and rebuilds books
//   - reconnect: subscribers that all connect again while others keep reading
//   - slow-readers: subscribers beside others that read slowly or not at all
//
// A Result has the flags, the machine and the histograms. Compare and Report read it.
package load
