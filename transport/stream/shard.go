package stream

import (
	"runtime/debug"
	"sync"

	"go.uber.org/zap"
)

// shard owns a part of the connections. In each round its goroutine takes events from
// the inbox, queues frames, and then makes one write to every socket with a non-empty
// queue. Events that arrive during the writes are coalesced in the next round; an idle
// shard delays nothing.
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
	// dirty lists the sessions to flush.
	dirty []*session
	round roundCounts
	// roundFull is set when the round should end; see roundFramesMax.
	roundFull bool
	// scratch holds the frames of scratchItems, concatenated. Sessions with the same
	// topics share it.
	scratchItems []item
	scratch      []byte
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

// run processes events until stop is called.
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
		sh.process(events)
		for _, t := range lost {
			sh.protect(t.frameLost)
		}
		sh.flush()
	}
}

// stop ends the goroutine. No session may be open.
func (sh *shard) stop() {
	close(sh.stopping)
	<-sh.stopped
}

// process handles events in rounds.
func (sh *shard) process(events []event) {
	for len(events) > 0 {
		n := 0
		for n < min(len(events), roundEventsMax) && !sh.roundFull {
			sh.apply(&events[n])
			n++
		}
		sh.flush()
		events = events[n:]
	}
}

func (sh *shard) apply(e *event) {
	defer sh.recoverPanic()
	if e.topic != nil {
		e.topic.handleFrame(&e.frame)
	} else {
		e.do()
	}
}

// protect calls f and recovers from a panic.
func (sh *shard) protect(f func()) {
	defer sh.recoverPanic()
	f()
}

// recoverPanic recovers from a panic of this package, or of the feed in a Resync. It
// closes all connections of the shard, because some of them may have received a frame
// and others not; the clients reconnect.
func (sh *shard) recoverPanic() {
	cause := recover()
	if cause == nil {
		return
	}
	sh.log.Error("stream shard panicked", zap.Any("cause", cause), zap.ByteString("stack", debug.Stack()))
	for s := range sh.sessions {
		s.startClose(closeInternal, internalReason, discardQueued)
	}
}

// flush writes to every dirty session. Sessions may be added to the list meanwhile.
func (sh *shard) flush() {
	for i := 0; i < len(sh.dirty); i++ {
		sh.protect(sh.dirty[i].flush)
	}
	clear(sh.dirty)
	sh.dirty, sh.roundFull = sh.dirty[:0], false
	clear(sh.scratchItems)
	sh.scratchItems = sh.scratchItems[:0]
	sh.round.addTo(sh.counters)
}

// concatenate returns the frames joined for one write, valid until the next call. The
// result is reused if the previous session had the same frames.
func (sh *shard) concatenate(items []item) []byte {
	if sameItems(items, sh.scratchItems) {
		return sh.scratch
	}
	sh.scratch = sh.scratch[:0]
	for i := range items {
		sh.scratch = appendFrame(sh.scratch, items[i].head, items[i].payload)
	}
	sh.scratchItems = append(sh.scratchItems[:0], items...)
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
