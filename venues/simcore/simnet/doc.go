// Package simnet is what the simulated venues share around the exchange of package
// simcore: a venue that is set up, served and closed, an HTTP server with safe
// settings, the control API, scripted faults applied to a request, WebSocket
// sessions with a bounded queue, and recordings played in their own time.
//
// # A venue
//
// The simulator of a venue embeds a [Venue], its options a [Setup], and gives it a
// [Protocol]: the routes that it answers and what it owes its clients at every
// step. What is left in its package is the venue's protocol alone.
//
//	s.Venue, err = simnet.NewVenue(options.Setup, simcore.Options{Instruments: listing, Name: "bybit"})
//	s.Exchange().Subscribe(s.streams.receive)
//	s.Speak(simnet.Protocol{Routes: s.addRoutes, Step: s.step})
//
// A [Server] owns its listeners and its sessions. Close stops everything and
// returns when the last goroutine is gone; an open connection never delays it
// for longer than a write takes.
//
// # Requests
//
// What a venue has admitted is a [Request]: it is executed, refused and answered in
// the venue's words, and [Venue.Answer] does so as the faults of requests want it.
// [Venue.Upgrade] makes a session of one, unless a fault lets the handshake fail.
//
// # Sessions
//
// A session has one reader, the goroutine that called [Sessions.Serve], and one
// writer. Send never blocks: past the byte limit of its queue the session is
// closed, as a venue does with a client that does not read. Faults that match
// the session's path and the message's topic are applied when the message is
// queued, so one fault counts messages and not connections.
//
// A message that asks for something is an [Operation]: faults of requests strike
// it by the session's path and the operation's name, as they strike a REST call
// by its path and method.
//
// # Control
//
// [NewControlApp] takes the calls of scripts. A mistake is answered as the service
// answers its clients, {"error":{code, message, details}}: 400 invalid_request with
// details.fields, or with the exchange's own reason in details; 404 not_found for an
// account that is not there.
package simnet
