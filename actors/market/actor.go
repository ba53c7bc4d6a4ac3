// Package market is the actor that owns one set of public connections to a venue, a
// venues.Feed. It keeps the list of subscribed topics and routes the messages of the
// feed to the books.
//
// Messages do not pass through the actor. The readers of the feed look up the book in
// an immutable table and call it on their own goroutine: no copy, no queue. The actor
// handles what is rare: subscriptions, interruptions, and, after a failure, a new feed
// on which everything is subscribed again.
//
// An interruption is reported to the book of each topic concerned, in order with the
// messages of that topic.
package market

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/venues"
)

// errRestarted is the cause of an interruption by a failure of the actor.
var errRestarted = errors.New("market connection restarted")

// market is one incarnation of the actor, with a feed of its own.
type market struct {
	client *Client
	sink   *sink
	feed   venues.Feed
}

// Started opens a feed and subscribes to the topics of the previous incarnation. The
// loop closes the feed at the end of the incarnation; an orderly stop waits until it is
// closed.
func (m *market) Started(ctx *actors.Context) {
	c := m.client
	m.sink = &sink{client: c}
	m.feed = c.deps.Source.OpenFeed(m.sink)
	sink, feed := m.sink, m.feed
	ctx.Loop(func(life context.Context) any {
		<-life.Done()
		sink.closed.Store(true)
		feed.Close()
		return nil
	})
	if topics := c.state.all(); len(topics) > 0 {
		c.interrupt(topics, errRestarted)
		m.feed.Subscribe(topics...)
	}
}

// Receive handles one message.
func (m *market) Receive(ctx *actors.Context, msg any) {
	s := m.client.state
	switch msg := msg.(type) {
	case *subscribeTopics:
		m.unsubscribe(s.add(msg.topics))
		m.feed.Subscribe(msg.topics...)
	case *unsubscribeTopics:
		m.unsubscribe(s.remove(msg.topics))
	case *feedInterrupted:
		if msg.sink == m.sink {
			ctx.Logger().Warn("market data interrupted", zap.Int("channels", len(msg.topics)), zap.Error(msg.cause))
			s.interrupt(time.Now(), msg.topics, msg.cause)
		}
	case *feedResumed:
		if msg.sink == m.sink {
			s.resume(msg.topics)
		}
	default:
		ctx.Unhandled(msg)
		return
	}
	m.report()
}

func (m *market) unsubscribe(topics []venues.FeedTopic) {
	if len(topics) > 0 {
		m.feed.Unsubscribe(topics...)
	}
}

// report publishes the health of the connection if it has changed.
func (m *market) report() {
	c := m.client
	next, before := c.state.health(), c.health.Load()
	if before.Topics == next.Topics && before.Interrupted == next.Interrupted && before.Since.Equal(next.Since) {
		return
	}
	c.health.Store(&next)
	if c.deps.Report != nil {
		c.deps.Report(next)
	}
}
