package stream

import (
	"time"

	"venuegate/transport/api"
	"venuegate/venues"
)

// topic is one upstream subscription of a shard, shared by the shard's sessions
// on it. Private topics exist once per customer.
type topic struct {
	shard   *shard
	key     topicKey
	private bool
	// snapshots is false for trades alone, which have no state to start from.
	snapshots bool

	// ready is closed when Subscribe has returned; upstream and err are set
	// before that and never change.
	ready    chan struct{}
	upstream venues.Subscription
	err      error
	// leases is how many sessions hold the topic. It is guarded by shard.mu.
	leases int

	// Owned by the goroutine of the shard:
	cursor      cursor
	subscribers []*subscriber
	// newest is the newest frame if that is a snapshot: whoever comes now can
	// begin with it.
	newest *item
	// asked says that a Resync is under way.
	asked bool
}

// Deliver takes a frame from the owner of the topic (venues.FrameSink).
func (t *topic) Deliver(f venues.Frame) { t.shard.inbox.deliver(t, f) }

// subscriber is a session on a topic. It is owned by the shard.
type subscriber struct {
	session *session
	topic   *topic
	index   int // in topic.subscribers
	state   subscriberState
	// told says that the client has been given data; stale, that it has been
	// told not to trust it any more.
	told, stale bool
	// missed counts trades that were dropped since the client was last sent
	// any; countless, that there were others.
	missed    uint64
	countless bool
}

type subscriberState uint8

const (
	// awaiting the next snapshot.
	awaiting subscriberState = iota
	// live: has everything up to the topic's cursor.
	live
	// lagging: frames were dropped; what replaces them is asked for when the
	// socket has drained.
	lagging
)

// add makes a session a subscriber.
func (t *topic) add(s *session) *subscriber {
	sub := &subscriber{session: s, topic: t, index: len(t.subscribers)}
	t.subscribers = append(t.subscribers, sub)
	t.start(sub)
	return sub
}

// remove ends it.
func (t *topic) remove(sub *subscriber) {
	last := len(t.subscribers) - 1
	moved := t.subscribers[last]
	t.subscribers[sub.index], moved.index = moved, sub.index
	t.subscribers[last] = nil
	t.subscribers = t.subscribers[:last]
}

// start brings a subscriber to the topic's state.
func (t *topic) start(sub *subscriber) {
	switch {
	case !t.snapshots:
		sub.state = live
	case t.newest != nil:
		sub.state = awaiting
		t.send(sub, *t.newest)
	default:
		sub.state = awaiting
		if t.cursor.started { // the first frame comes by itself
			t.ask()
		}
	}
}

// ask gets a snapshot from the owner; one serves everyone who awaits it.
func (t *topic) ask() {
	if !t.asked {
		t.asked = true
		t.shard.counts.resyncs++
		t.upstream.Resync()
	}
}

// pass hands a frame on.
func (t *topic) pass(f *venues.Frame) {
	first := jumps
	if !t.snapshots {
		first = follows
	}
	verdict, missed := t.cursor.advance(f, first)
	switch {
	case verdict == repeats:
		return
	case verdict == jumps && t.snapshots:
		t.newest = nil
		t.interrupt()
		return
	case verdict == jumps:
		t.gap(missed)
	}
	it := item{topic: t, payload: f.Bytes, head: headText}
	t.newest = nil
	if f.Snapshot {
		t.newest, t.asked = &item{topic: t, payload: f.Bytes, head: headText}, false
	}
	t.fanOut(it, f.Snapshot, verdict == resends)
}

// fanOut sends a frame to whoever it is for: a snapshot that was asked for to
// those who await it, another one to them and to the live ones, the rest to the
// live ones.
func (t *topic) fanOut(it item, snapshot, resent bool) {
	var deflated *item
	for _, sub := range t.subscribers {
		if sub.state == live && !resent || sub.state == awaiting && snapshot {
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

// send queues a frame for one subscriber. Where there is no place for it, a
// market channel lags; a private one costs the connection.
func (t *topic) send(sub *subscriber, it item) {
	s := sub.session
	switch {
	case !s.full(&it):
		sub.state, sub.told, sub.stale = live, true, false
		s.push(it)
	case t.private:
		s.condemn()
	default:
		t.lag(sub)
	}
}

// lag conflates a subscriber whose reader is too slow: what is queued of the
// channel gives way to one snapshot later on. Of trades, which nothing can
// replace, what is queued stays, and the rest is counted.
func (t *topic) lag(sub *subscriber) {
	dropped := 1
	if t.snapshots {
		dropped += sub.session.queue.drop(t)
	} else {
		sub.missed++
	}
	sub.state = lagging
	sub.session.lagging = append(sub.session.lagging, sub)
	t.shard.counts.conflations++
	t.shard.counts.dropped += uint64(dropped)
}

// withhold accounts for a frame that a subscriber is not sent. One who has a
// book must hear at once that it is stale, however long the snapshot may take.
func (t *topic) withhold(sub *subscriber, it item) {
	if sub.state == lagging {
		t.shard.counts.dropped++
		sub.missed++
	}
	if sub.told && !sub.stale && api.StreamMessageType(it.payload, t.key.name) == venues.MessageStale {
		sub.stale = true
		sub.session.push(it)
	}
}

// catchUp gives a subscriber whose socket has drained what it missed.
func (t *topic) catchUp(sub *subscriber) {
	if t.snapshots {
		t.start(sub)
		return
	}
	missed := sub.missed
	if sub.countless {
		missed = 0
	}
	it := t.gapItem(t.cursor.seq, missed)
	if sub.session.full(&it) { // filled up again by the other channels
		sub.session.lagging = append(sub.session.lagging, sub)
		return
	}
	sub.state, sub.missed, sub.countless = live, 0, false
	sub.session.push(it)
}

// interrupt starts everyone again from a snapshot.
func (t *topic) interrupt() {
	for _, sub := range t.subscribers {
		if sub.state == live {
			sub.state = awaiting
		}
	}
	if len(t.subscribers) > 0 {
		t.ask()
	}
}

// gap tells the live subscribers of trades that some are missing before the
// newest one.
func (t *topic) gap(missed uint64) {
	it := t.gapItem(t.cursor.seq-1, missed)
	for _, sub := range t.subscribers {
		if sub.state == live && !sub.session.full(&it) {
			sub.session.push(it)
			continue
		}
		if sub.state == live {
			t.lag(sub)
			sub.missed-- // a gap is no trade
		}
		sub.missed += missed
		sub.countless = sub.countless || missed == 0
	}
}

func (t *topic) gapItem(seq, missed uint64) item {
	return item{
		topic: t, head: headText,
		payload: api.StreamEncoder{}.AppendGap(nil, t.key.name, seq, missed, time.Now()),
	}
}

// lose is called when a frame of the topic found no place in the inbox. Private
// channels never drop, so their readers must read their state anew. Trades show
// their gap when the next one comes.
func (t *topic) lose() {
	t.shard.counts.overruns++
	switch {
	case t.private:
		for _, sub := range t.subscribers {
			sub.session.condemn()
		}
	case t.snapshots:
		t.newest, t.asked = nil, false // what was asked for may be what was lost
		t.interrupt()
	}
}
