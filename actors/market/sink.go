package market

import (
	"slices"
	"sync/atomic"

	"venuegate/venues"
)

// sink takes what one feed receives, on the goroutines of its readers. A failed
// incarnation's feed may still speak while it is being closed; its sink is mute.
type sink struct {
	client *Client
	muted  atomic.Bool
}

func (s *sink) route(symbol string) Book {
	if s.muted.Load() {
		return nil
	}
	b := s.client.book(symbol)
	if b == nil {
		s.client.unrouted.Add(1)
	}
	return b
}

// Book implements venues.FeedSink.
func (s *sink) Book(u *venues.BookUpdate) {
	if b := s.route(u.Symbol); b != nil {
		b.Update(u)
	} else {
		u.Release()
	}
}

// Trade implements venues.FeedSink.
func (s *sink) Trade(t venues.Trade) {
	if b := s.route(t.Symbol); b != nil {
		b.Trade(t)
	}
}

// Candle implements venues.FeedSink.
func (s *sink) Candle(c venues.Candle) {
	if b := s.route(c.Symbol); b != nil {
		b.Candle(c)
	}
}

// Mark implements venues.FeedSink.
func (s *sink) Mark(m venues.MarkPrice) {
	if b := s.route(m.Symbol); b != nil {
		b.Mark(m)
	}
}

// Interrupted implements venues.FeedSink.
func (s *sink) Interrupted(channels []venues.FeedChannel, cause error) {
	if s.muted.Load() {
		return
	}
	s.client.interrupt(channels, cause)
	s.client.ref.Tell(&feedInterrupted{sink: s, channels: slices.Clone(channels), cause: cause})
}

// Resumed implements venues.FeedSink.
func (s *sink) Resumed(channels []venues.FeedChannel) {
	if s.muted.Load() {
		return
	}
	for _, channel := range channels {
		if b := s.client.book(channel.Symbol); b != nil {
			b.Resumed(channel)
		}
	}
	s.client.ref.Tell(&feedResumed{sink: s, channels: slices.Clone(channels)})
}

// interrupt tells the books concerned.
func (c *Client) interrupt(channels []venues.FeedChannel, cause error) {
	c.interruptions.Add(uint64(len(channels)))
	for _, channel := range channels {
		if b := c.book(channel.Symbol); b != nil {
			b.Interrupted(channel, cause)
		}
	}
}
