package stream

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fasthttp/websocket"

	"venuegate/transport/api"
)

// Stats is what a hub has done so far and how it stands. Counters only rise.
type Stats struct {
	// Connections are open now, Unauthenticated of them have not authenticated.
	Connections     int
	Unauthenticated int
	// Subscriptions counts channels of clients, Topics upstream subscriptions.
	Subscriptions int
	Topics        int
	// QueuedBytes wait for slow readers.
	QueuedBytes int64

	// Opened and Refused count upgrades.
	Opened  uint64
	Refused uint64
	// Deliveries counts frames given to sockets, Writes the writes that took
	// them, SlowWrites those that a socket did not take at once.
	Deliveries uint64
	Writes     uint64
	SlowWrites uint64
	// WrittenBytes is the size of all of them.
	WrittenBytes uint64
	// Conflations counts how often a channel of a slow reader was started anew,
	// Dropped the frames that it was spared.
	Conflations uint64
	Dropped     uint64
	// Resyncs counts snapshots asked of the feed.
	Resyncs uint64
	// Overruns counts how often a topic outran a shard.
	Overruns uint64
	// Closes counts ended connections by close code. 1006 stands for those that
	// ended without one, 0 for codes that are neither the standard's nor ours:
	// clients choose any they like.
	Closes map[int]uint64
}

// counters are shared by the shards and the sessions of a hub.
type counters struct {
	subscriptions atomic.Int64
	queuedBytes   atomic.Int64

	deliveries   atomic.Uint64
	writes       atomic.Uint64
	slowWrites   atomic.Uint64
	writtenBytes atomic.Uint64
	conflations  atomic.Uint64
	dropped      atomic.Uint64
	resyncs      atomic.Uint64
	overruns     atomic.Uint64

	mu     sync.Mutex
	closes map[int]uint64
}

func (c *counters) closed(code int) {
	if !countedByItself(code) {
		code = closeNone
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closes[code]++
}

func countedByItself(code int) bool {
	return code >= websocket.CloseNormalClosure && code <= websocket.CloseTLSHandshake || slices.Contains(api.StreamCodes(), api.StreamCode(code))
}

// round is what one shard has counted since it last told: its goroutine adds
// to plain numbers, once per delivery, and to the shared ones once per round.
type round struct {
	deliveries   uint64
	writes       uint64
	slowWrites   uint64
	writtenBytes uint64
	conflations  uint64
	dropped      uint64
	resyncs      uint64
	overruns     uint64
}

func (r *round) tell(c *counters) {
	add := func(total *atomic.Uint64, n uint64) {
		if n > 0 {
			total.Add(n)
		}
	}
	add(&c.deliveries, r.deliveries)
	add(&c.writes, r.writes)
	add(&c.slowWrites, r.slowWrites)
	add(&c.writtenBytes, r.writtenBytes)
	add(&c.conflations, r.conflations)
	add(&c.dropped, r.dropped)
	add(&c.resyncs, r.resyncs)
	add(&c.overruns, r.overruns)
	*r = round{}
}

// Stats reads the counters. They are taken one after the other, so sums of them
// may be off by what happens meanwhile.
func (h *Hub) Stats() Stats {
	c := &h.counters
	s := Stats{
		Subscriptions: int(c.subscriptions.Load()),
		QueuedBytes:   c.queuedBytes.Load(),
		Deliveries:    c.deliveries.Load(),
		Writes:        c.writes.Load(),
		SlowWrites:    c.slowWrites.Load(),
		WrittenBytes:  c.writtenBytes.Load(),
		Conflations:   c.conflations.Load(),
		Dropped:       c.dropped.Load(),
		Resyncs:       c.resyncs.Load(),
		Overruns:      c.overruns.Load(),
	}
	for _, sh := range h.shards {
		s.Topics += sh.topicCount()
	}
	c.mu.Lock()
	s.Closes = maps.Clone(c.closes)
	c.mu.Unlock()
	h.door.describe(&s)
	return s
}
