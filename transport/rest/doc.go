// Package rest is the REST edge: it turns HTTP requests into commands and reads,
// and answers with the records of package api. It holds no state but limits and
// caches, and decides nothing about trading.
//
// # Routes
//
// Routes is the whole interface as data: method, path, scope, rate class. One
// middleware enforces scope and rate from that table, so a route without a scope
// cannot exist by oversight: New refuses it. Whoever mounts more routes on the
// same server (stream, hooks, console) states that they check their callers
// themselves.
//
// # A request
//
//	screen      methods that are not part of HTTP as we speak it
//	edge        request id, headers, framing (Transfer-Encoding is refused), panics
//	admit       API key, rate, scope, in this order
//	handler     decode, command or read, answer
//
// What a handler is given is its own: everything is copied out of the server's
// buffers, which serve the next request as soon as this one is answered. A
// handler gets no HTTP context and gives back a value.
//
// # Answers
//
// Every answer carries X-Request-Id; an error body repeats it. Whatever goes
// wrong, in a handler, in the router or in the HTTP parser, ends in the error
// body of package api. Failures that are not the client's are logged once, here.
//
// # Outcomes
//
// An order that the venue has acknowledged is 201, one that is pending or whose
// outcome is unknown 202. A repeat of a requestId is 409 with the first order.
// After a time-out the order may exist: the answer says so, and the client asks
// again under the same requestId.
package rest
