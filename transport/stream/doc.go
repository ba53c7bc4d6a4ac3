// Package stream serves the WebSocket, GET /v1/stream. transport/api/asyncapi.yaml
// describes it for clients; this page describes how it is built.
//
// # Parts
//
//	Hub        admission, shards, recheck of keys, shutdown
//	admission  limits on open connections, per process, address and key
//	session    one connection: the goroutine of its handler reads it, a shard writes it
//	shard      one goroutine that owns the writing side of its connections
//	topic      one upstream subscription of a shard, shared by its sessions
//	cursor     the position in a topic: detects gaps and duplicates
//	queue      frames that wait for one socket
//	socket     non-blocking writes
//
// A frame is encoded once, by the owner of the topic, and not copied until it is
// written: queues hold references. A shard takes the frames that have arrived, until
// none are left or some session has 128 frames to write, adds them to the queues of its
// sessions, and then makes one write to every socket with a non-empty queue. Sessions with
// the same frames share one buffer with the frames joined. While the shard writes, more
// frames arrive, so frames coalesce under load; there is no timer, and a single frame is
// written immediately. The first session that is written to is another one in each round.
//
// While more arrives than a shard can write, market data that has waited for longer than
// Options.AgeMax is dropped, and clients get a gap or a snapshot instead; see late.go.
//
// # Writing
//
// A write goes directly to the file descriptor and never blocks. What the kernel does
// not accept is handed, with the socket, to a goroutine that exists for this one
// write; the session queues frames until it is done. A stalled socket therefore costs
// its shard one failed system call, and a healthy one needs no goroutine. Connections
// without a descriptor (TLS) are always written in such a goroutine.
//
// # Sequence
//
// The sequence numbers in the frames are those of the owner, the same for every
// client. A topic keeps one cursor for all its subscribers, because live subscribers
// have received everything up to it. A new or lagging subscriber awaits a snapshot:
// the newest frame if that is one, else the response to a Resync, which is sent to
// all awaiting subscribers and to no live one. After a gap in the feed all subscribers
// await a snapshot; a gap is never passed on.
//
// # Slow clients
//
// Queues are bounded in bytes, market data separately from the rest. When a market
// frame does not fit, the queued frames of its topic are dropped and the subscriber
// lags; once the socket has drained, it awaits a snapshot like a new subscriber. If
// its book becomes stale meanwhile, it receives the stale message. Trades have no
// snapshot: the client receives a gap message, which states how many trades are
// missing and keeps the sequence continuous. When a frame of a private topic does not
// fit, or when a write stalls for 10 s, the connection is closed with 4009.
//
// # Ownership
//
// fasthttp pools connections and reuses them for the next client as soon as the
// handler returns. The handler therefore returns only after the shard has released
// the session (session.detach) and a background write has been interrupted and has
// ended (socket.stopWriting). Private topics are keyed by customer and name.
//
// # Compression
//
// permessage-deflate is negotiated if Options.Compression is set, without context
// takeover on either side. A compressed frame thus depends on no other frame and is
// made once per shard and topic, like an uncompressed one.
package stream
