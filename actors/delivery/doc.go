// Package delivery is the actor that delivers a customer's events to one endpoint. Each
// endpoint has a queue of its own, so that a slow or unreachable endpoint delays no
// other.
//
// # Guarantees
//
// Every event that the endpoint accepts is delivered, pending or undelivered, at any
// time and across every crash: it is after the cursor, or it has a Delivery. The
// cursor moves in the commit that creates the deliveries, and no attempt begins before
// that commit is durable. The outcome of an attempt is durable before the next one is
// scheduled. A crash between an attempt and its commit repeats the attempt: delivery is
// at least once, under the same event id.
//
// # Attempts
//
// A delivery is attempted immediately, and again after the delays of the Schedule. A
// delay counts from the end of the failed attempt; the due time is stored and survives
// restarts. A longer Retry-After is honoured up to RetryAfterMax. The last failure
// makes the delivery undelivered: it is kept, and Client.Resend starts it again under
// the same event id. An attempt that is interrupted because the actor stops does not
// count.
//
// An endpoint that reports a rate limit (Attempt.Throttled: chats and spreadsheets have
// one, webhooks do not) is not called for the time it requests. This does not count as
// an attempt until the delivery has been pending for throttledMax.
//
// ConcurrencyMax attempts run at a time, in no guaranteed order: a failing event delays
// none behind it.
//
// # Memory
//
// The windowMax deliveries that are due first are in memory. The others are in the
// store and are read when they become due. New events are read only while few
// deliveries are due; until then the cursor stays behind. After a minute they are read
// in any case: an event that has a Delivery is not lost when events are purged.
//
// # The endpoint's record
//
// An actor serves one version of the record: after a change (pause, resume, filter,
// secret) the customer stops it and starts another one. A new endpoint begins with the
// first event created after it.
//
// The queue of a paused or disabled endpoint creates deliveries and attempts none; they
// are pending until the endpoint is resumed, as long as their events are kept.
// Deliveries whose event has been purged become undelivered, each with its row in the
// journal. The pending deliveries of a removed endpoint become undelivered, and the
// queue ends, if necessary after a restart.
//
// If the other end reports that it no longer exists, the actor stops sending and passes
// the disabled record to Deps.Disable until it is stopped: a customer's records are
// written in one place only.
//
// # A test event
//
// Client.Test sends one alert.fired whose data has "test": true. Spreadsheets and
// files, which accept closed trades only, receive one of quantity zero with the comment
// "test". The event is not in the outbox: it has an id of its own, is attempted once
// regardless of filter and pause, is recorded in the journal, and is neither kept nor
// repeated.
//
// # Files
//
// state.go has the state and decides what is done next; window.go has the deliveries in
// memory; attempt.go, resend.go and expire.go handle their results; journal.go builds
// the rows; schedule.go computes the delays. All of these are pure. effects.go runs the
// effects, load.go reads the store at the start, actor.go dispatches, client.go is the
// client, health.go is what an operator sees.
package delivery
