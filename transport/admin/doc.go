// Package admin is the administration listener: HTTP calls on the registry for
// operators and the command line, health checks, metrics, profiles and backups.
//
// The listener is bound to loopback addresses only; the configuration checks that. A page
// in a browser of the same machine could still send requests to it. So every call, those
// without a token included, is rejected if its Host is neither a loopback address nor
// localhost (421), or if it comes from a page of another site (403).
//
// openapi.yaml is the document of the calls; it is served without a token, like health. A test
// holds it, the routes and the types of the bodies together, and every response of the other
// tests is validated against it.
//
// Health and metrics are served even while as many connections as allowed make other
// calls; see room.
//
//	GET  /healthz                       200 while the process runs
//	GET  /readyz                        200 if a venue can be traded on, else 503
//	GET  /metrics                       Prometheus text, the names in cmd/venuegate/metrics.go
//	GET  /openapi.yaml                  the document of these calls
//	     /debug/pprof/...               profiles          (token)
//	POST GET /admin/v1/keys             create, list (?customer=)  (token)
//	GET PATCH DELETE .../{id}           read, change, revoke
//	POST GET /admin/v1/users            create, list (?customer=)
//	GET PATCH DELETE .../{id}           read, change, disable
//	POST .../{id}/invite                another link {validSec}
//	POST GET /admin/v1/accounts         connect, list (?customer=)
//	GET PATCH DELETE .../{id}           read, set limits or change credentials, disconnect
//	POST .../{id}/halt                  cancel every order, reject increasing ones
//	POST .../{id}/resume                end a halt
//	POST .../{id}/unlock                end the lock of a daily loss
//	GET .../{id}/risk                   the loss of the day by its parts, the progress of a halt
//	POST .../{id}/check                 examine the account at its venue
//	POST /admin/v1/accounts/examine     the same for credentials, of which nothing is kept
//	POST /admin/v1/halt                 halt all accounts of a customer
//	POST GET /admin/v1/hooks            create, list (?customer=)
//	GET PATCH DELETE .../{id}           read, change, remove
//	POST .../{id}/rotate                a new secret {overlapSec}, or a new token
//	POST .../{id}/test                  what the signal in the body would do; does nothing
//	POST .../{id}/fire                  execute the signal in the body
//	POST GET /admin/v1/endpoints        create, list (?customer=)
//	GET PATCH DELETE .../{id}           read, change, remove
//	POST .../{id}/rotate                a new secret {switchAt, secret}
//	POST .../{id}/test                  send a test event
//	POST .../{id}/resend                {eventId}, {eventIds}, {undeliveredSince} or {all: true}
//	GET  .../{id}/stats                 its deliveries of the last 24 hours in numbers
//	GET  .../{id}/deliveries            ?status= eventId= type= code= from= to= limit= cursor=
//	GET  .../{id}/deliveries/{event}    one of them, with the body that is sent
//	GET  .../{event}/attempts           its attempts and responses, ?limit= cursor=
//	GET  /admin/v1/deliveries           of all endpoints, ?customer= endpoint= and the filters above
//	GET  .../{id}/files                 the files of an endpoint of kind file
//	GET  .../{id}/files/{name}          one of them
//	POST GET /admin/v1/alerts           create, list (?customer=)
//	GET PATCH DELETE .../{id}           read, change, remove
//	GET  /admin/v1/signals              ?customer= channel= status= reason= symbol= text=
//	                                    from= to= limit= cursor=
//	GET  .../{id}                       a signal and all that it has caused
//	POST .../{id}/test                  what it would do now; does nothing
//	GET  /admin/v1/journal              ?customer= channel= symbol= kind= result= subject=
//	                                    from= to= limit= cursor=
//	GET  /admin/v1/journal/export       the same filters, format=jsonl|csv
//	GET  /admin/v1/trades[/export]      closed positions, ?customer= exchange= symbol= from= to=
//	     /admin/v1/customers, actors,   the installation; see package operations
//	     incidents, venues, books,
//	     streams, store, config,
//	     journal/verify, rotate-key
//	GET  /admin/v1/latency[/{id}]       where the newest orders spent their time, ?customer=
//	GET  /admin/v1/backup               all durable data  (token)
//
// Calls marked (token), and every call below /admin/v1, require the administration
// token as a bearer token (Authorization: Bearer TOKEN). Package recordapi has the calls on
// records, and the form of bodies and errors. A secret is only in the response to the call
// that created it.
//
// The id of an account is its customer and its exchange, joined by a colon: a
// customer has at most one account at each exchange.
package admin
