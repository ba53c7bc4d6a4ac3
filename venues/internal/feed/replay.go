package feed

import (
	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// Replay processes messages like those of a connection, without a connection: for
// recordings, measurements and tests. Answers have no effect. It is not safe for
// concurrent use.
type Replay struct{ shard *shard }

// NewReplay returns a Replay on which the topics are subscribed.
func NewReplay(o Options, topics ...venues.FeedTopic) *Replay {
	s := newShard(&o)
	s.link, s.reading = wsclient.New(wsclient.Options{}), &wsclient.Conn{} // neither is ever opened
	for _, topic := range topics {
		stream := s.newStream(topic)
		stream.interrupted = false
		s.streams[stream.name] = stream
	}
	return &Replay{s}
}

// Message passes one message to the sink.
func (r *Replay) Message(message []byte) { r.shard.Message(r.shard.reading, message) }
