// Package rest serves the REST interface over HTTP: it turns requests into commands
// and queries, and returns the records of package api. It holds no state but limits
// and caches, and makes no trading decisions.
//
// # Routes
//
// The function routes lists the whole interface as data: method, path, scope, rate
// class, query parameters. Every request passes one check of scope and rate by that
// table, and New returns an error for a route without a scope that is not declared
// public, so none is exposed by oversight. Other packages mount their routes on the
// same server (stream, hooks, docs) and authenticate their callers themselves.
//
// # A request
//
//	rejectUnknownMethods  methods that are not part of the interface
//	middleware            request id, headers, framing (Transfer-Encoding is rejected), panics
//	useCORS               pages of the origins in Deps.CORSOrigins, under /v1
//	authorize             API key, rate, scope, in this order
//	handler               decodes the request, calls a port, encodes the response
//
// A handler gets its own copy of everything: the buffers of the server are reused for
// the next request as soon as this one is answered. It has no access to the HTTP
// context and returns a response or an error.
//
// Ports (Trader, Accounts, InstrumentSource, Market, Records, Authenticator, Readiness) are
// the interfaces through which handlers reach the rest of the service.
//
// # Reads
//
// The limit of requests per key permits all of a minute's reads at once, and a list costs
// as much as dozens of orders. The type reads therefore limits reads by what they cost,
// for each key and for all: the reads under way, the lists that are made at once, the rows
// of lists per second (rowsOf), of which each key has an equal share, and the bytes of
// lists that are not sent yet, which are reserved before the list is made. Orders pass none
// of these limits. The server closes the body of a list when it is sent, or when the write
// timeout has closed the connection.
//
// # Responses
//
// Every response carries X-Request-Id; an error body repeats it. Errors of handlers,
// of the router and of the HTTP parser all become the error body of package api, in
// Server.fail. Errors that are not caused by the client are logged once, there.
//
// # Outcomes
//
// An order that the venue has acknowledged is 201, one that is pending or whose
// outcome is unknown 202. A repeat of a requestId is 409 with the first order. After
// a timeout the order may exist: the response says so, and the client sends the
// request again with the same requestId.
package rest
