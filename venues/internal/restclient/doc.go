// Package restclient executes a venue's REST requests: each at most once, within
// the venue's allowances, and with an honest account of its outcome.
//
// # Outcomes
//
// Do answers with whatever the venue said, whatever its status; judging that is
// the connector's business. Without an answer it tells apart what is proved from
// what is not. A request is proved not sent when its connection could not be
// made, or when the connection was closed before the last byte of its header was
// handed over (a venue cannot execute half a header); everything else may have
// been executed. Errors of requests that change something are therefore joined
// with venues.ErrNotSent or venues.ErrOutcomeUnknown. A connection that a venue
// closed while it was idle is found out only after writing, so that case counts
// as unknown. NotSent and OutcomeUnknown say the same of what a connector finds out
// itself.
//
// Nothing is sent twice: no redirect is followed, no Idempotency-Key header
// exists (net/http would send again because of it), HTTP/2 and its replays are
// off. net/http itself may repeat a GET on a connection that turned out to be
// dead, which changes nothing at a venue.
//
// # Allowances
//
// A Gate admits requests against budgets ("2400 weight in any minute"). Lanes
// share a budget by priority: cancel, protect, order, resolve, reconcile, history.
// A lower lane stops early and leaves a reserve to those above it. A request
// waits for room as long as its context allows, behind those of its lane that
// came before; cancels never wait. A context of venues.Resolving lifts requests of
// the lower lanes to resolve. When the venue says
// that a limit is broken the gate freezes and nothing at all leaves until the
// time it named. Budgets count our own requests and are corrected upwards by the
// counters that the venue reports. The Ledger is the pure machine behind the gate.
//
// # What serves many
//
// A Turn is held while something is read that is kept afterwards: whoever waited for
// it finds it there. A Shared is read anew for each group of askers, who need to know
// how things are now.
//
// # Time
//
// A Clock keeps the offset of the venue's clock as the median of recent samples.
//
// # Secrets
//
// URLs with their queries (signatures, keys) never appear in an error.
package restclient
