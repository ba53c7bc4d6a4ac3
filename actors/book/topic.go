package book

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"

	"venuegate/venues"
)

// subscribersMax bounds the subscriptions of one book, over all its topics.
const subscribersMax = 1 << 16

// topic is one stream topic: its subscribers, and the sequence number of its newest
// frame.
type topic struct {
	name string
	seq  uint64 // of the newest frame
	subs []*subscription
	// begun: a snapshot was published, and everything since.
	begun bool
	// snapshot is the newest frame that was made for a single subscriber; it is reused
	// while its Seq is that of the topic.
	snapshot venues.Frame
}

func (t *topic) add(s *subscription) {
	s.index = len(t.subs)
	t.subs = append(t.subs, s)
}

func (t *topic) remove(s *subscription) {
	last := len(t.subs) - 1
	t.subs[s.index] = t.subs[last]
	t.subs[s.index].index = s.index
	t.subs[last] = nil
	t.subs = t.subs[:last]
	s.index = detached
}

// pause ends the publication until the next snapshot.
func (t *topic) pause() {
	t.begun = false
	t.snapshot = venues.Frame{}
}

// depthTopic shows the best levels of the book.
type depthTopic struct {
	topic
	view view
}

func (t *depthTopic) pause() {
	t.topic.pause()
	t.view.clear()
}

// candleTopic shows the candle of one timeframe.
type candleTopic struct {
	topic
	timeframe venues.Timeframe
	current   venues.Candle
	known     bool // current is the newest candle of the venue
	// streamed: the stream has published current since its last interruption, so that
	// the same candle over REST is older.
	streamed bool
	// interrupted: the stream has lost messages and they were not fetched yet.
	interrupted bool
	generation  uint64 // of the pending fetch
	attempt     int
}

// subscriptions has the topics of a book. It outlives the incarnations of the actor, so
// that subscribers are not lost with a failure. It is used only on the actor's goroutine.
type subscriptions struct {
	depths      []*depthTopic
	trades      topic
	candles     []*candleTopic
	subscribers int
	watches     watches
}

func newSubscriptions(venue venues.Venue, symbol string) *subscriptions {
	name := func(t venues.Topic) string {
		t.Venue, t.Symbol = venue, symbol
		return t.String()
	}
	b := &subscriptions{trades: topic{name: name(venues.Topic{Kind: venues.TopicTrades})}}
	for _, depth := range venues.BookDepths() {
		b.depths = append(b.depths, &depthTopic{
			topic: topic{name: name(venues.Topic{Kind: venues.TopicBook, Depth: depth})},
			view:  newView(depth),
		})
	}
	for _, timeframe := range timeframes() {
		b.candles = append(b.candles, &candleTopic{
			topic:     topic{name: name(venues.Topic{Kind: venues.TopicKline, Timeframe: timeframe})},
			timeframe: timeframe,
		})
	}
	return b
}

// timeframes returns the timeframes of the API, shortest first.
func timeframes() []venues.Timeframe {
	lengths := venues.Timeframes()
	return slices.SortedFunc(maps.Keys(lengths), func(a, b venues.Timeframe) int { return cmp.Compare(lengths[a], lengths[b]) })
}

// find returns the topic t, or nil.
func (b *subscriptions) find(t venues.Topic) *topic {
	switch t.Kind {
	case venues.TopicTrades:
		return &b.trades
	case venues.TopicBook:
		if d := b.depth(t.Depth); d != nil {
			return &d.topic
		}
	case venues.TopicKline:
		if c := b.candle(t.Timeframe); c != nil {
			return &c.topic
		}
	case venues.TopicOrders, venues.TopicPositions, venues.TopicAccount:
	}
	return nil
}

func (b *subscriptions) depth(depth int) *depthTopic {
	for _, d := range b.depths {
		if d.view.depth == depth {
			return d
		}
	}
	return nil
}

func (b *subscriptions) candle(timeframe venues.Timeframe) *candleTopic {
	for _, c := range b.candles {
		if c.timeframe == timeframe {
			return c
		}
	}
	return nil
}

// bookWanted reports whether any depth has subscribers.
func (b *subscriptions) bookWanted() bool {
	return slices.ContainsFunc(b.depths, func(d *depthTopic) bool { return len(d.subs) > 0 })
}

// detached is the index of a subscription that was not added.
const detached = -1

// subscription is a sink's subscription of a topic. All fields but the flags belong to
// the actor.
type subscription struct {
	client *Client
	topic  venues.Topic
	sink   venues.FrameSink
	index  int

	closed    atomic.Bool
	resyncing atomic.Bool // requested and not sent yet
}

// Resync implements venues.Subscription.
func (s *subscription) Resync() {
	if !s.closed.Load() && s.resyncing.CompareAndSwap(false, true) {
		s.client.ref.Tell(&resyncTopic{subscription: s})
	}
}

// Close implements venues.Subscription.
func (s *subscription) Close() {
	if s.closed.CompareAndSwap(false, true) {
		s.client.ref.Tell(&closeTopic{subscription: s})
	}
}

func (s *subscription) deliver(f venues.Frame) {
	if !s.closed.Load() {
		s.sink.Deliver(f)
	}
}
