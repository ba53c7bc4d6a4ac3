package market

import (
	"slices"
	"sync/atomic"

	"venuegate/venues"
)

// sink routes the messages of one feed, on the goroutines of its readers. The feed of a
// failed incarnation may still deliver while it is being closed; its sink drops that.
type sink struct {
	client *Client
	closed atomic.Bool
}

func (s *sink) route(symbol string) Book {
	if s.closed.Load() {
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
func (s *sink) Interrupted(topics []venues.FeedTopic, cause error) {
	if s.closed.Load() {
		return
	}
	s.client.interrupt(topics, cause)
	s.client.ref.Tell(&feedInterrupted{sink: s, topics: slices.Clone(topics), cause: cause})
}

// Resumed implements venues.FeedSink.
func (s *sink) Resumed(topics []venues.FeedTopic) {
	if s.closed.Load() {
		return
	}
	for _, topic := range topics {
		if b := s.client.book(topic.Symbol); b != nil {
			b.Resumed(topic)
		}
	}
	s.client.ref.Tell(&feedResumed{sink: s, topics: slices.Clone(topics)})
}

// interrupt notifies the books of the topics.
func (c *Client) interrupt(topics []venues.FeedTopic, cause error) {
	c.interruptions.Add(uint64(len(topics)))
	for _, topic := range topics {
		if b := c.book(topic.Symbol); b != nil {
			b.Interrupted(topic, cause)
		}
	}
}
