package market

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/venues"
)

// errRestarted is the cause of an interruption by our own failure.
var errRestarted = errors.New("market connection restarted")

// market is one incarnation of the actor, with a feed of its own.
type market struct {
	client *Client
	sink   *sink
	feed   venues.Feed
}

// Started opens a feed and subscribes what an earlier incarnation had. The loop
// closes it with the incarnation's end; an orderly stop waits until it is silent.
func (m *market) Started(ctx *actors.Context) {
	c := m.client
	m.sink = &sink{client: c}
	m.feed = c.deps.Source.OpenFeed(m.sink)
	sink, feed := m.sink, m.feed
	ctx.Loop(func(life context.Context) any {
		<-life.Done()
		sink.muted.Store(true)
		feed.Close()
		return nil
	})
	if channels := c.state.all(); len(channels) > 0 {
		c.interrupt(channels, errRestarted)
		m.feed.Subscribe(channels...)
	}
}

// Receive only dispatches.
func (m *market) Receive(ctx *actors.Context, msg any) {
	s := m.client.state
	switch msg := msg.(type) {
	case *subscribeChannels:
		m.unsubscribe(s.add(msg.channels))
		m.feed.Subscribe(msg.channels...)
	case *dropChannels:
		m.unsubscribe(s.remove(msg.channels))
	case *feedInterrupted:
		if msg.sink == m.sink {
			ctx.Logger().Warn("market data interrupted", zap.Int("channels", len(msg.channels)), zap.Error(msg.cause))
			s.interrupt(time.Now(), msg.channels, msg.cause)
		}
	case *feedResumed:
		if msg.sink == m.sink {
			s.resume(msg.channels)
		}
	default:
		ctx.Unhandled(msg)
		return
	}
	m.report()
}

func (m *market) unsubscribe(channels []venues.FeedChannel) {
	if len(channels) > 0 {
		m.feed.Unsubscribe(channels...)
	}
}

// report tells of changed health.
func (m *market) report() {
	c := m.client
	next, before := c.state.health(), c.health.Load()
	if before.Channels == next.Channels && before.Interrupted == next.Interrupted && before.Since.Equal(next.Since) {
		return
	}
	c.health.Store(&next)
	if c.deps.Report != nil {
		c.deps.Report(next)
	}
}
