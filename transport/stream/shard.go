package stream

import (
	"runtime/debug"
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
	sessions map[*session]struct{}
	// dirty lists the sessions that have something to write.
	dirty  []*session
	counts round
	// ripe says that the round should end; see roundFramesMax.
	ripe bool
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
		sessions: make(map[*session]struct{}),
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
			sh.guard(t.lose)
		}
		sh.flush()
	}
}

// stop ends the goroutine. No session may be left.
func (sh *shard) stop() {
	close(sh.stopping)
	<-sh.stopped
}

// work takes events, round by round.
func (sh *shard) work(events []event) {
	for len(events) > 0 {
		n := 0
		for n < min(len(events), roundEventsMax) && !sh.ripe {
			sh.apply(&events[n])
			n++
		}
		sh.flush()
		events = events[n:]
	}
}

func (sh *shard) apply(e *event) {
	defer sh.recovered()
	if e.topic != nil {
		e.topic.pass(&e.frame)
	} else {
		e.do()
	}
}

func (sh *shard) guard(f func()) {
	defer sh.recovered()
	f()
}

// recovered turns a panic, be it of this package or of the feed that it asked
// for a snapshot, into the end of this shard's connections: some of them may
// have got a frame and some not. Their clients come again; the process lives.
func (sh *shard) recovered() {
	cause := recover()
	if cause == nil {
		return
	}
	sh.log.Error("stream shard panicked", zap.Any("cause", cause), zap.ByteString("stack", debug.Stack()))
	for s := range sh.sessions {
		s.end(closeInternal, internalReason, discardQueued)
	}
}

// flush writes to every session that has something queued. Sessions may be
// added to the list meanwhile.
func (sh *shard) flush() {
	for i := 0; i < len(sh.dirty); i++ {
		sh.guard(sh.dirty[i].flush)
	}
	clear(sh.dirty)
	sh.dirty, sh.ripe = sh.dirty[:0], false
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
