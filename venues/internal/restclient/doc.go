// Package restclient executes a venue's REST requests: each at most once, within the
// venue's rate limits, and with a definite statement of its outcome.
//
// # Outcomes
//
// Do returns whatever the venue answered, whatever its status; the connector classifies
// it. Without an answer a request was certainly not sent if its connection could not be
// made, or if too little was written: of order entry no byte, of other requests not the
// whole header (a venue cannot execute half a header). In all other cases it may have been
// executed. Errors of requests that change something are therefore joined with
// venues.ErrNotSent or venues.ErrOutcomeUnknown. NotSent and OutcomeUnknown mark the errors
// of connectors.
//
// Nothing is sent twice: redirects are not followed, there is no Idempotency-Key header
// (net/http would repeat requests because of it), and HTTP/2 with its replays is off.
// net/http may repeat a GET on a connection that turns out to be closed, which changes
// nothing at a venue.
//
// # Two ways
//
// Order entry (place, amend and cancel) goes over the connections of package exchange, which
// costs about half the processor time and finds a connection that the venue has closed before the
// order is written. Everything else goes by net/http. Dialer, TLS configuration, limits and
// errors are the same.
//
// # Rate limits
//
// A Gate admits requests against budgets ("2400 weight in any minute"). The priorities,
// which share a budget, are cancel, protect, order, outcome, read, reconcile and history: a
// lower priority may use only part of the budget and leaves a reserve for the higher ones.
// A request waits for the budget as long as its context allows, after those of its
// priority that arrived earlier. Cancels never wait. A context of venues.WithOutcomeQuery
// raises requests of lower priority to outcome, one of venues.WithCaller to read, so that a
// budget that runs low delays reconciliations before the reads that callers wait for. One of
// venues.WithRoutineRead lowers reads to history. When the venue reports that a limit is
// exceeded, the gate freezes and nothing is sent until the time that the venue states.
// Budgets count the requests of this process and are corrected upwards by the counters
// that the venue reports. The Limiter is the deterministic part of the gate.
//
// # Sharing reads
//
// A Semaphore is held while something is read and kept, so that those who waited find it.
// A SharedRead reads again for each group of concurrent callers that require the present
// state.
//
// # Time
//
// A Clock keeps the offset of the venue's clock as the median of recent samples.
//
// # Secrets
//
// URLs with their queries (signatures, keys) never appear in an error.
package restclient
