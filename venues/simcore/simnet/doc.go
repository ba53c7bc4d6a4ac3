// Package simnet is the network edge that the simulated venues share: an HTTP
// server with safe settings, the control API, scripted faults applied to a
// request, and WebSocket sessions with a bounded queue.
//
// A [Server] owns its listeners and its sessions. Close stops everything and
// returns when the last goroutine is gone; an open connection never delays it
// for longer than a write takes.
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
package simnet
