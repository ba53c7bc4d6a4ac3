package stream

import (
	"time"

	"venuegate/transport/api"
	"venuegate/venues"
)

// topic is one upstream subscription of a shard, shared by those of its sessions that
// subscribe to it. Private topics exist once per customer.
type topic struct {
	shard   *shard
	key     topicKey
	private bool
	// hasSnapshots is false only for trades, which have no state to start from.
	hasSnapshots bool

	// ready is closed when Subscribe has returned; upstream and err are set before and
	// never change.
	ready    chan struct{}
	upstream venues.Subscription
	err      error
	// refs is the number of sessions that use the topic, guarded by shard.mu.
	refs int

	// Owned by the goroutine of the shard:
	cursor      cursor
	subscribers []*subscriber
	// newest is the newest frame if that is a snapshot: a new subscriber can start with
	// it.
	newest *item
	// resyncPending is set while a Resync is in progress.
	resyncPending bool
	// late counts the trades that were dropped because they were late and are not reported
	// yet; lateUnknown is set if there were more whose number is unknown.
	late        uint64
	lateUnknown bool
}

// Deliver receives a frame from the owner of the topic (venues.FrameSink).
func (t *topic) Deliver(f venues.Frame) { t.shard.inbox.deliver(t, f) }

// subscriber is the subscription of one session to a topic. It is owned by the shard.
type subscriber struct {
	session *session
	topic   *topic
	index   int // in topic.subscribers
	state   subscriberState
	// hasData is set once the client has received data, stale once it has received a
	// stale message for it.
	hasData, stale bool
	// missed counts the trades dropped since the last one that was sent;
	// missedUnknown is set if there were more whose number is unknown.
	missed        uint64
	missedUnknown bool
}

type subscriberState uint8

const (
	// awaitingSnapshot: the next snapshot will be sent.
	awaitingSnapshot subscriberState = iota
	// live: received everything up to the cursor of the topic.
	live
	// lagging: frames were dropped; a snapshot or gap replaces them when the socket has
	// drained.
	lagging
)

// add makes a session a subscriber.
func (t *topic) add(s *session) *subscriber {
	sub := &subscriber{session: s, topic: t, index: len(t.subscribers)}
	t.subscribers = append(t.subscribers, sub)
	t.start(sub)
	return sub
}

// remove removes a subscriber.
func (t *topic) remove(sub *subscriber) {
	last := len(t.subscribers) - 1
	moved := t.subscribers[last]
	t.subscribers[sub.index], moved.index = moved, sub.index
	t.subscribers[last] = nil
	t.subscribers = t.subscribers[:last]
}

// start brings a subscriber to the current state of the topic.
func (t *topic) start(sub *subscriber) {
	switch {
	case !t.hasSnapshots:
		sub.state = live
	case t.newest != nil:
		sub.state = awaitingSnapshot
		t.send(sub, *t.newest)
	default:
		sub.state = awaitingSnapshot
		if t.cursor.started { // else the first frame arrives anyway
			t.requestResync()
		}
	}
}

// requestResync requests a snapshot from the owner, unless one is pending. It serves
// all subscribers that await one.
func (t *topic) requestResync() {
	if !t.resyncPending {
		t.resyncPending = true
		t.shard.round.resyncs++
		t.upstream.Resync()
	}
}

// handleFrame sends a frame to the subscribers.
func (t *topic) handleFrame(f *venues.Frame) {
	t.sendLateGap()
	order, missed := t.advance(f)
	switch {
	case order == duplicate:
		return
	case order == afterGap && t.hasSnapshots:
		t.newest = nil
		t.awaitSnapshots()
		return
	case order == afterGap:
		t.sendGap(t.cursor.seq-1, missed)
	}
	it := item{topic: t, payload: f.Bytes, head: headText}
	t.newest = nil
	if f.Snapshot {
		t.newest, t.resyncPending = &item{topic: t, payload: f.Bytes, head: headText}, false
	}
	t.fanOut(it, f.Snapshot, order == resentSnapshot)
}

// advance moves the cursor to a frame.
func (t *topic) advance(f *venues.Frame) (order frameOrder, missed uint64) {
	if t.hasSnapshots {
		return t.cursor.advance(f, afterGap)
	}
	return t.cursor.advance(f, inOrder)
}

// fanOut sends a frame to its subscribers: a resent snapshot to those that await one,
// any other snapshot to those and to the live ones, other frames to the live ones.
func (t *topic) fanOut(it item, snapshot, resent bool) {
	var deflated *item
	for _, sub := range t.subscribers {
		if sub.state == live && !resent || sub.state == awaitingSnapshot && snapshot {
			if !sub.session.deflate {
				t.send(sub, it)
				continue
			}
			if deflated == nil {
				deflated = t.shard.deflate(it)
			}
			t.send(sub, *deflated)
			continue
		}
		if !resent {
			t.withhold(sub, it)
		}
	}
}

// send queues a frame for one subscriber. If it does not fit, the subscriber of a
// market topic lags, and the connection of a private one is closed.
func (t *topic) send(sub *subscriber, it item) {
	s := sub.session
	switch {
	case !s.full(&it):
		sub.state, sub.hasData, sub.stale = live, true, false
		s.push(it)
	case t.private:
		s.closeSlow()
	default:
		t.startLagging(sub)
	}
}

// startLagging conflates a topic for a slow client: its queued frames are dropped, and
// a snapshot replaces them later. Queued trades, which a snapshot cannot replace, stay
// queued, and further ones are counted.
func (t *topic) startLagging(sub *subscriber) {
	dropped := 1
	if t.hasSnapshots {
		dropped += sub.session.queue.drop(t)
	} else {
		sub.missed++
	}
	sub.state = lagging
	sub.session.lagging = append(sub.session.lagging, sub)
	t.shard.round.conflations++
	t.shard.round.dropped += uint64(dropped)
}

// withhold counts a frame that is not sent to a subscriber. A stale message is sent
// nevertheless if the client has data, because the snapshot may take a while.
func (t *topic) withhold(sub *subscriber, it item) {
	if sub.state == lagging {
		t.shard.round.dropped++
		sub.missed++
	}
	if sub.hasData && !sub.stale && api.StreamMessageType(it.payload, t.key.name) == venues.MessageStale {
		sub.stale = true
		sub.session.push(it)
	}
}

// catchUp resumes a lagging subscriber whose socket has drained.
func (t *topic) catchUp(sub *subscriber) {
	if t.hasSnapshots {
		t.start(sub)
		return
	}
	missed := sub.missed
	if sub.missedUnknown {
		missed = 0
	}
	it := t.newGap(t.cursor.seq, missed)
	if sub.session.full(&it) { // other topics have filled it again
		sub.session.lagging = append(sub.session.lagging, sub)
		return
	}
	sub.state, sub.missed, sub.missedUnknown = live, 0, false
	sub.session.push(it)
}

// awaitSnapshots makes all live subscribers await a snapshot and requests one.
func (t *topic) awaitSnapshots() {
	for _, sub := range t.subscribers {
		if sub.state == live {
			sub.state = awaitingSnapshot
		}
	}
	if len(t.subscribers) > 0 {
		t.requestResync()
	}
}

// sendGap sends the live subscribers of trades a gap with a sequence number, and adds it to the
// count of the others. missed is 0 if the number is unknown.
func (t *topic) sendGap(seq, missed uint64) {
	it := t.newGap(seq, missed)
	for _, sub := range t.subscribers {
		if sub.state == live && !sub.session.full(&it) {
			sub.session.push(it)
			continue
		}
		if sub.state == live {
			t.startLagging(sub)
			sub.missed-- // startLagging counted a trade, but this is a gap
		}
		sub.missed += missed
		sub.missedUnknown = sub.missedUnknown || missed == 0
	}
}

func (t *topic) newGap(seq, missed uint64) item {
	return item{
		topic: t, head: headText,
		payload: api.StreamEncoder{}.AppendGap(nil, t.key.name, seq, missed, time.Now()),
	}
}

// frameLost is called when a frame of the topic did not fit into the inbox. Private
// topics never drop frames, so their connections are closed. Trades get a gap with the
// next one.
func (t *topic) frameLost() {
	t.shard.round.overruns++
	switch {
	case t.private:
		for _, sub := range t.subscribers {
			sub.session.closeSlow()
		}
	case t.hasSnapshots:
		t.newest, t.resyncPending = nil, false // the lost frame may be the pending snapshot
		t.awaitSnapshots()
	}
}
