package stream

import (
	"sync"

	"go.uber.org/zap"
)

// shard owns a part of the connections: one goroutine takes what comes for
// them, round by round, queues it, and then writes to every socket that has
// something queued, once. While it writes, more arrives and is coalesced in the
// next round; when nothing waits, nothing is delayed.
type shard struct {
	inbox    *inbox
	feed     Feed
	options  *Options
	log      *zap.Logger
	counters *counters

	mu     sync.Mutex
	topics map[topicKey]*topic

	// Owned by the goroutine:
	dirty  []*session
	counts round
	// built is the set of frames that scratch holds, concatenated: sessions
	// with the same channels are written the same bytes.
	built   []item
	scratch []byte
	// deflater is used with Options.Compression.
	deflater deflater

	stopping chan struct{}
	stopped  chan struct{}
}

func newShard(feed Feed, options *Options, log *zap.Logger, counters *counters) *shard {
	return &shard{
		inbox: newInbox(), feed: feed, options: options, log: log, counters: counters,
		topics:   make(map[topicKey]*topic),
		stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
}

// run is the goroutine of the shard.
func (sh *shard) run() {
	defer close(sh.stopped)
	var events []event
	for {
		select {
		case <-sh.inbox.wake:
		case <-sh.stopping:
			return
		}
		clear(events)
		var lost []*topic
		events, lost = sh.inbox.take(events)
		sh.work(events)
		for _, t := range lost {
			t.lose()
		}
		sh.flush()
	}
}

// stop ends the goroutine. No session may be left.
func (sh *shard) stop() {
	close(sh.stopping)
	<-sh.stopped
}

func (sh *shard) work(events []event) {
	for len(events) > 0 {
		n := min(len(events), roundEventsMax)
		for i := range events[:n] {
			if e := &events[i]; e.topic != nil {
				e.topic.pass(&e.frame)
			} else {
				e.do()
			}
		}
		sh.flush()
		events = events[n:]
	}
}

// flush writes to every session that has something queued. Sessions may be
// added to the list meanwhile.
func (sh *shard) flush() {
	for i := 0; i < len(sh.dirty); i++ {
		sh.dirty[i].flush()
	}
	clear(sh.dirty)
	sh.dirty = sh.dirty[:0]
	clear(sh.built)
	sh.built = sh.built[:0]
	sh.counts.tell(sh.counters)
}

// concatenate joins frames for one write. The result is good until the next
// call. What the previous session was written is not built again.
func (sh *shard) concatenate(items []item) []byte {
	if sameItems(items, sh.built) {
		return sh.scratch
	}
	sh.scratch = sh.scratch[:0]
	for i := range items {
		sh.scratch = appendFrame(sh.scratch, items[i].head, items[i].payload)
	}
	sh.built = append(sh.built[:0], items...)
	return sh.scratch
}

func sameItems(a, b []item) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].same(&b[i]) {
			return false
		}
	}
	return true
}
