// Package delivery is the actor that carries a customer's events to one endpoint
// (interface, "Events"; decisions 6). Each endpoint has a queue of its own, so a
// slow or dead one delays no other.
//
// # What is promised
//
// Every event that the endpoint takes is delivered, waits, or is undelivered, at
// any moment and over every crash: it lies after the cursor, or has a Delivery.
// The cursor moves in the commit that makes the deliveries, and no attempt begins
// before that is durable. What an attempt came to is durable before the next one
// is planned. A crash between an attempt and its commit repeats the attempt: at
// least once, under the same event id.
//
// # Attempts
//
// A delivery is tried at once, and again after the delays of the Schedule, each
// counted from the end of the failed attempt; the moment is stored, and kept by
// restarts. A Retry-After that asks for more is honoured up to RetryAfterMax. The
// last failure makes it undelivered: it stays, and Client.Resend begins it anew
// under the same event id. An attempt that is cut off because the actor stops is
// not counted.
//
// An endpoint that has a limit which is reached (Attempt.Throttled: chats and
// spreadsheets have one, webhooks do not) is left alone as long as it asks. That
// spends no attempt, until a delivery has waited so for throttledMax.
//
// Attempts run ConcurrencyMax at a time and in no promised order: an event that
// fails delays none behind it.
//
// # Memory
//
// windowMax deliveries, those that are due first, are in memory. The others are
// in the store and are read when their time comes. New events are read only while
// few are waiting to be tried; until then the cursor stays behind. A minute later
// they are read whatever waits: an event that is taken cannot be missed any more.
//
// # The endpoint's record
//
// An actor serves one version of the record: whoever changes it (pause, resume,
// filter, secret) stops the actor and starts it with the new one. A new endpoint
// begins with the first event made after it.
//
// A paused or disabled endpoint takes events and sends none; they wait until it is
// resumed, for as long as events are kept. What outlasts that is undelivered, each
// event with its row, so that nothing is missing without a word.
//
// What waits for an endpoint that is removed is undelivered with it; then the queue
// ends. If the service ends before, the queue does so at the next start.
//
// When the other end says that it is gone, the actor stops sending and hands the
// record, marked, to Deps.Disable, until it is ended: records of a customer are
// written in one place.
//
// # A test event
//
// Client.Test posts one alert.fired whose data has "test": true; spreadsheets and
// files, which take closed trades alone, are sent one of quantity zero with the
// comment "test". It is no event of the outbox: it has an id of its own, is tried
// once whatever the filter and the pause say, is journaled, and is neither kept nor
// repeated.
//
// # Files
//
// state.go holds the state and what is to be done next, window.go the deliveries
// in memory, attempt.go, resend.go and lapse.go their steps, journal.go the rows,
// schedule.go the delays. All of these are pure. effects.go carries out, load.go
// reads the store, actor.go dispatches, client.go is the way in.
package delivery
