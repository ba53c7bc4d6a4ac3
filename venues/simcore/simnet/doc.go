// Package simnet contains what the simulated venues share around the exchange of
// package simcore: a venue that is set up, served and closed, an HTTP server with
// limits, the control API, injected faults of requests, WebSocket sessions with a
// bounded queue, subscriptions, rate limits, listing tables and recordings.
//
// # A venue
//
// The simulator of a venue embeds a [Venue], its options a [Setup], and gives it a
// [Protocol]: its routes and what is due to its clients at every step. Its package
// contains only the venue's protocol.
//
//	s.Venue, err = simnet.NewVenue(options.Setup, simcore.Options{Instruments: listing, Name: "bybit"})
//	s.Exchange().Subscribe(s.streams.receive)
//	s.SetProtocol(simnet.Protocol{Routes: s.addRoutes, Step: s.step})
//
// A [Pace] gives it more instruments than its listing, more trades, and books that change
// more often, so that a client, not the simulator, is the limit of a measurement.
//
// With [Setup.StateDir] a venue continues after a restart: [Venue.KeepState] restores and
// keeps the state of the exchange and what the simulator adds as a [simcore.StatePart]. Calls
// of [Venue.After] that are pending at a kill are lost, as are rate limits and sessions.
//
// A [Server] owns its listeners and its sessions. Close stops everything and
// returns when the last goroutine has ended; an open connection delays it no longer
// than a write takes.
//
// # Requests
//
// An admitted call is a [Request], which the venue executes, rejects and answers in
// its own format. [Venue.Answer] applies the injected faults of requests to it.
// [Venue.Upgrade] upgrades a request to a session, unless a fault makes the handshake
// fail. A [Limiter] counts requests against rate limits.
//
// # Sessions
//
// A session has one reader, the goroutine that called [Sessions.Serve], and one
// writer. Send never blocks: past the byte limit of its queue the session is
// closed, as a venue does with a client that does not read. Faults that match
// the session's path and the message's topic are applied when the message is
// queued, so one fault counts messages and not connections. [Topics] records the
// subscribers of each topic, a [Schedule] the intervals of periodic messages.
//
// A request that comes as a message is an [Operation]: faults of requests match it
// by the session's path and the operation's name, as they match a REST call by its
// path and method.
//
// # Control
//
// [NewControlApp] serves the calls of scripts. Errors have the envelope of the
// service, {"error":{code, message, details}}: 400 invalid_request with
// details.fields, or with the exchange's own reason in details; 404 not_found for an
// unknown account.
package simnet
