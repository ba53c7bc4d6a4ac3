package stream

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/transport/api"
)

// Stats are the gauges and counters of a hub. Counters only increase.
type Stats struct {
	// Connections is the number of open connections; Unauthenticated of them have not
	// authenticated.
	Connections     int
	Unauthenticated int
	// Subscriptions counts the subscriptions of clients, Topics those upstream.
	Subscriptions int
	Topics        int
	// QueuedBytes is the size of all queues.
	QueuedBytes int64

	// Opened and Refused count admitted and rejected connections.
	Opened  uint64
	Refused uint64
	// Deliveries counts frames written to sockets, Writes the writes, SlowWrites those
	// that a socket did not accept immediately.
	Deliveries uint64
	Writes     uint64
	SlowWrites uint64
	// WrittenBytes is the size of all writes.
	WrittenBytes uint64
	// Conflations counts how often a topic of a slow client was conflated, Dropped the
	// frames that were dropped for it.
	Conflations uint64
	Dropped     uint64
	// Resyncs counts snapshots requested from the feed.
	Resyncs uint64
	// Overruns counts how often a frame of a topic did not fit into an inbox.
	Overruns uint64
	// Late counts frames that were dropped because they had waited for a shard for too long.
	Late uint64
	// Closes counts closed connections by close code. 1006 stands for connections
	// without a close frame, 0 for codes that neither RFC 6455 nor the service defines:
	// clients may send any code.
	Closes map[int]uint64
}

// KeyStats are the open connections of one API key, or of one session of the console.
type KeyStats struct {
	Customer string
	KeyID    string

	Connections   int
	Subscriptions int
	QueuedBytes   int64
	// MostQueuedBytes is the size of the longest queue of one of the connections.
	MostQueuedBytes int64
	// OldestOpenedAt is when the oldest of the connections was opened.
	OldestOpenedAt time.Time
}

// Keys returns the open connections by key, in the order of customers and keys.
func (h *Hub) Keys() []KeyStats {
	byKey := map[string]KeyStats{}
	for s, identity := range h.admission.authenticated() {
		k, known := byKey[identity.KeyID]
		if !known {
			k = KeyStats{Customer: identity.Customer, KeyID: identity.KeyID, OldestOpenedAt: s.opened}
		}
		queued := s.reportedBytes.Load()
		k.Connections++
		k.Subscriptions += int(s.subscribed.Load())
		k.QueuedBytes += queued
		k.MostQueuedBytes = max(k.MostQueuedBytes, queued)
		if s.opened.Before(k.OldestOpenedAt) {
			k.OldestOpenedAt = s.opened
		}
		byKey[identity.KeyID] = k
	}
	return slices.SortedFunc(maps.Values(byKey), func(a, b KeyStats) int {
		return cmp.Or(cmp.Compare(a.Customer, b.Customer), cmp.Compare(a.KeyID, b.KeyID))
	})
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
	late         atomic.Uint64

	mu     sync.Mutex
	closes map[int]uint64
}

// expectedCloses returns zero counts of the codes with which the service closes
// connections, of the usual ones of clients, and of the others.
func expectedCloses() map[int]uint64 {
	counts := map[int]uint64{closeNone: 0, websocket.CloseNormalClosure: 0, websocket.CloseGoingAway: 0, websocket.CloseAbnormalClosure: 0}
	for _, code := range api.StreamCodes() {
		counts[int(code)] = 0
	}
	return counts
}

func (c *counters) closed(code int) {
	if !hasOwnCount(code) {
		code = closeNone
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closes[code]++
}

// hasOwnCount reports whether a close code is counted separately.
func hasOwnCount(code int) bool {
	return code >= websocket.CloseNormalClosure && code <= websocket.CloseTLSHandshake || slices.Contains(api.StreamCodes(), api.StreamCode(code))
}

// roundCounts are the counts of one shard in the current round. Its goroutine adds to
// these plain numbers for each delivery, and to the shared counters once per round.
type roundCounts struct {
	deliveries   uint64
	writes       uint64
	slowWrites   uint64
	writtenBytes uint64
	conflations  uint64
	dropped      uint64
	resyncs      uint64
	overruns     uint64
	late         uint64
}

// addTo adds the counts to the shared counters and resets them.
func (r *roundCounts) addTo(c *counters) {
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
	add(&c.late, r.late)
	*r = roundCounts{}
}

// Stats returns the current values. They are read one after the other, so sums of them
// may be inconsistent.
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
		Late:          c.late.Load(),
	}
	for _, sh := range h.shards {
		s.Topics += sh.topicCount()
	}
	c.mu.Lock()
	s.Closes = maps.Clone(c.closes)
	c.mu.Unlock()
	h.admission.addTo(&s)
	return s
}
