// Package admin is the administration of an installation: customers, their API
// keys, their accounts at venues, the channels that take their signals, the
// endpoints that get their events, their alerts, and the listener on which
// operators, the command line and the metrics collector reach the process.
//
// # Registry
//
// Registry makes, changes and ends the records. Every change
// leaves a row in the installation's journal that says what was done to whom,
// without secrets, in the same commit where the record is the installation's
// own. Accounts, hooks, endpoints and alerts belong to their customer, so the
// customer's owner records them, with a row of the customer's journal.
// Changes are made one at a time; reads need no turn. What is running follows
// what is recorded (see Directory).
//
// Nothing is deleted: a customer is disabled, a key revoked, an account emptied
// of its credentials. Orders and fills refer to them for longer than they live.
//
// # Chain
//
// The rows of the installation's journal are a chain: each carries the hash of
// the one before and its own,
//
//	digest = SHA-256 of the row's parts, each behind its length as a uvarint:
//	         id, sequence, moment in Unix milliseconds, kind, subject, channel,
//	         symbol, result and the names and values of the fields
//	hash   = SHA-256 of the previous hash and the digest
//
// and the newest hash is kept apart, in the same commit. Verify finds a row that
// was changed, removed, inserted or moved, the newest among them. Rows without
// hashes, of before there was a chain, are bound by the first one that has some.
// The chain shows what was altered by accident or piecemeal; whoever can write
// all of the store can make another, which only a hash noted elsewhere shows.
//
// # Server
//
// The listener is loopback alone, and is held to that by the configuration.
//
//	GET  /healthz                       the process lives
//	GET  /readyz                        it serves; else 503 and why not
//	GET  /metrics                       Prometheus text, the names in cmd/venuegate/metrics.go
//	     /debug/pprof/...               profiles          (token)
//	POST GET /admin/v1/customers        make, list        (token)
//	GET PATCH DELETE .../{id}           read, change, disable
//	POST GET /admin/v1/keys             make, list (?customer=)
//	GET PATCH DELETE .../{id}           read, change, revoke
//	POST GET /admin/v1/accounts         connect, list (?customer=)
//	GET PATCH DELETE .../{id}           read, set limits or change credentials, disconnect
//	POST .../{id}/halt                  cancel every order, take none that increases
//	POST .../{id}/resume                end a halt
//	POST .../{id}/unlock                end the lock of a daily loss
//	POST .../{id}/check                 examine the account at its venue
//	POST GET /admin/v1/hooks            make, list (?customer=)
//	GET PATCH DELETE .../{id}           read, change, remove
//	POST .../{id}/rotate                a new secret {overlapSec}, or a new token
//	POST .../{id}/test                  carry out a signal given as body
//	POST GET /admin/v1/endpoints        make, list (?customer=)
//	GET PATCH DELETE .../{id}           read, change, remove
//	POST .../{id}/rotate                a new secret {switchAt, secret}
//	POST .../{id}/test                  send a test event
//	POST .../{id}/resend                {eventId} or {all: true}
//	GET  .../{id}/deliveries            ?status= eventId= limit= cursor=
//	GET  .../{id}/files                 of kind file: what there is
//	GET  .../{id}/files/{name}          one of them
//	POST GET /admin/v1/alerts           make, list (?customer=)
//	GET PATCH DELETE .../{id}           read, change, remove
//	GET  /admin/v1/journal              ?customer= channel= symbol= kind= result= subject=
//	                                    from= to= limit= cursor=
//	GET  /admin/v1/journal/export       the same filters, format=jsonl|csv
//	GET  /admin/v1/journal/verify       the chain of the installation's journal
//	POST /admin/v1/rotate-key           seal every secret under a new key
//	GET  /admin/v1/backup               all that is durable   (token)
//
// Calls with (token) need the administration token as a bearer token. Bodies and
// answers are JSON in camelCase; a body with an unknown member is refused, since
// an administrator's typing error must not be ignored. Errors have the envelope
// of the public interface. A secret appears in the answer of the call that made
// it and nowhere else.
//
// An account's id is its customer and its exchange, joined by a colon: a
// customer has at most one account at each.
package admin
