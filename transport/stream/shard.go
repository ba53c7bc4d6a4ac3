package stream

import (
	"runtime/debug"
	"sync"
	"time"

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
	// taken are the events taken from the inbox, events those of them that are not applied yet.
	// lost are the topics that lost a frame behind them.
	taken, events []event
	lost          []*topic
	// now is when the round began. late are the topics with dropped frames to report.
	now  time.Time
	late []*topic
	// dirty lists the sessions to flush; turn determines the first one, see firstOf.
	dirty []*session
	turn  uint32
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
	for {
		select {
		case <-sh.inbox.wake:
		case <-sh.stopping:
			return
		}
		for sh.doRound() {
		}
	}
}

// doRound applies events until a round is full or the inbox is empty, writes what they queued,
// and reports whether events may be left. The inbox is taken again while the round has
// room: the more frames arrive, the more a write has.
func (sh *shard) doRound() (more bool) {
	sh.now = time.Now()
	for n := 0; n < roundEventsMax && !sh.roundFull; n++ {
		if len(sh.events) == 0 && !sh.takeEvents() {
			sh.reportLate()
			sh.flush()
			return false
		}
		sh.apply(&sh.events[0])
		sh.events = sh.events[1:]
	}
	sh.flush()
	return true
}

// takeEvents takes the events of the inbox, after what those before them have lost, and reports
// whether there are any.
func (sh *shard) takeEvents() bool {
	for _, t := range sh.lost {
		sh.protect(t.frameLost)
	}
	clear(sh.taken)
	sh.now = time.Now()
	sh.taken, sh.lost = sh.inbox.take(sh.taken)
	sh.events = sh.taken
	return len(sh.events) > 0 || len(sh.lost) > 0 && sh.takeEvents()
}

// stop ends the goroutine. No session may be open.
func (sh *shard) stop() {
	close(sh.stopping)
	<-sh.stopped
}

func (sh *shard) apply(e *event) {
	defer sh.recoverPanic()
	switch {
	case e.topic == nil:
		e.do()
	case e.topic.isLate(sh.now.Sub(e.at)):
		e.topic.dropLate(&e.frame)
	default:
		e.topic.handleFrame(&e.frame)
	}
}

// reportLate sends the gaps of topics whose last frames were dropped because they were late.
func (sh *shard) reportLate() {
	for _, t := range sh.late {
		sh.protect(t.sendLateGap)
	}
	clear(sh.late)
	sh.late = sh.late[:0]
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
	listed := len(sh.dirty)
	first := sh.firstOf(listed)
	for i := range listed {
		sh.protect(sh.dirty[(first+i)%listed].flush)
	}
	for i := listed; i < len(sh.dirty); i++ {
		sh.protect(sh.dirty[i].flush)
	}
	clear(sh.dirty)
	sh.dirty, sh.roundFull = sh.dirty[:0], false
	clear(sh.scratchItems)
	sh.scratchItems = sh.scratchItems[:0]
	sh.round.addTo(sh.counters)
}

// firstOf returns which of n sessions is written to first in this round. Sessions are listed in the
// order of their subscriptions; with a first one that moves by the golden section of n, over a
// few rounds none of them is early or late.
func (sh *shard) firstOf(n int) int {
	const goldenSection = 2654435769 // of 1<<32
	sh.turn += goldenSection
	return int(uint64(sh.turn) * uint64(n) >> 32)
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
