// Package stream is the WebSocket edge, GET /v1/stream. transport/api/asyncapi.yaml
// is what clients see of it; this page is how it is built.
//
// # Parts
//
//	Hub      admission, shards, recheck of keys, shutdown
//	session  one connection: the handler's goroutine reads it, a shard writes it
//	shard    one goroutine that owns the writing of its connections
//	topic    one upstream subscription of a shard, shared by its sessions
//	cursor   the position in a topic: what follows, what is a hole
//	queue    what waits for one socket
//	socket   writing without waiting
//
// A frame is encoded once by the owner of the topic and never copied until it is
// written: queues hold references. A shard takes what has come in, until some
// session has 32 frames to write, hands the frames to the queues of its sessions,
// and then makes one write to every socket that has something queued. Sessions with the same frames
// are written the same bytes, joined once. While it writes, more comes in, which
// is how frames coalesce under load; no timer is involved, so a frame that comes
// alone goes out at once.
//
// # Writing
//
// A write goes straight to the descriptor and never waits. What the kernel does
// not take is handed, with the socket, to a goroutine that exists for this one
// write; the session queues until it is done. So a stalled socket costs its
// shard nothing but a failed system call, and a healthy one needs no goroutine.
// Connections without a descriptor (TLS) are written in that goroutine always.
//
// # Sequence
//
// The numbers in the frames are the owner's, the same for every client. A topic
// keeps one cursor for all its subscribers, because those that are live have by
// definition been given everything up to it. One that comes, or comes back,
// awaits a snapshot: the newest frame if that is one, else the answer to a
// Resync, which all that await share and the live ones are spared. A hole that
// the feed shows makes everyone await; a hole is never passed on.
//
// # Slow readers
//
// Queues are bounded in bytes, market data apart from the rest. Where a market
// frame finds no place, the frames of its channel are dropped, the subscriber
// lags, and when the socket has drained it awaits a snapshot like one that comes.
// If its book becomes stale meanwhile it is told so. Trades have no snapshot:
// the reader gets a gap message in their place, which says how many are missing
// and keeps the numbers whole. Where a frame of a private channel finds no place
// the connection is closed with 4009, and so it is when a write stalls for 10 s.
//
// # Ownership
//
// fasthttp pools connections and uses them for the next client as soon as the
// handler returns. The handler therefore returns only when the shard has let go
// of the session (session.detach) and a background write, cut short, has ended
// (socket.cut). Private topics are keyed by customer and name together.
//
// # Compression
//
// permessage-deflate is negotiated if Options.Compression is set, without context
// takeover on both sides. So a compressed frame depends on nothing but itself and
// is, like a plain one, made once a shard and topic, for those that want it.
package stream
