package stream_test

import (
	"testing"

	"venuegate/transport/reusetest"
	"venuegate/transport/stream"
	"venuegate/venues"
)

// Nothing that a session hands on points into a message: its buffer serves the
// next one of any connection.
func TestKeptMemoryIsNotTheMessages(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		var kept reusetest.Kept
		s.keys.seen = func(token string) { kept.Keep("token", token) }
		s.feed.refuse = func(topic venues.Topic) error {
			kept.Keep("topic", topic)
			return nil
		}
		for mark := range reusetest.Marks() {
			c := s.login(mark)
			c.subscribe("trades:binance:" + mark)
			c.close()
		}
		kept.Check(t, "token", "topic")
	})
}
