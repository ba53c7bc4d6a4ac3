package feed

import (
	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// Replay passes messages the way that a connection's messages go, without a
// connection: for recordings, measurements and tests. What a message asks of the
// connection is ignored. It is not safe for concurrent use.
type Replay struct{ shard *shard }

// NewReplay carries the channels as if they were subscribed.
func NewReplay(o Options, channels ...venues.FeedChannel) *Replay {
	s := newShard(&o)
	s.link, s.reading = wsclient.New(wsclient.Options{}), &wsclient.Conn{} // neither ever opened
	for _, channel := range channels {
		one := s.newStream(channel)
		one.interrupted = false
		s.streams[one.topic] = one
	}
	return &Replay{s}
}

// Message passes one message to the sink.
func (r *Replay) Message(message []byte) { r.shard.Message(r.shard.reading, message) }
