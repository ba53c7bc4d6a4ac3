package feed

import (
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// add adds streams and subscribes them if there is a connection.
func (s *shard) add(streams []*Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stream := range streams {
		s.streams[stream.name] = stream
	}
	s.subscribe(streams, s.options.TopicsPerRequestMax)
}

func (s *shard) remove(streams []*Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stream := range streams {
		delete(s.streams, stream.name)
	}
	s.unsubscribe(streams)
}

// subscribe requests streams in batches and records the pending requests; mu is held.
// Without a connection the streams wait for the next one.
func (s *shard) subscribe(streams []*Stream, perRequest int) {
	if s.conn == nil {
		return
	}
	for batch := range slices.Chunk(streams, perRequest) {
		for _, stream := range batch {
			stream.retryAt, stream.broken = time.Time{}, false
		}
		id := s.request(Subscribe, batch)
		s.pending[id] = &request{waiting: batch, sentAt: time.Now()}
	}
}

// unsubscribe does not wait for confirmations; mu is held.
func (s *shard) unsubscribe(streams []*Stream) {
	if s.conn == nil {
		return
	}
	for batch := range slices.Chunk(streams, s.options.TopicsPerRequestMax) {
		s.request(Unsubscribe, batch)
	}
}

// restart subscribes streams again; mu is held.
func (s *shard) restart(streams []*Stream) {
	for _, stream := range streams {
		stream.restarted = true
	}
	s.unsubscribe(streams)
	s.subscribe(streams, s.options.TopicsPerRequestMax)
}

// request sends a request; mu is held and there is a connection.
func (s *shard) request(verb Verb, streams []*Stream) (id uint64) {
	s.lastID++
	topics := make([]string, len(streams))
	for n, stream := range streams {
		topics[n] = stream.name
	}
	s.conn.Send(s.protocol.Request(verb, s.lastID, topics))
	return s.lastID
}

// answer handles a message that is not data.
func (s *shard) answer(c *wsclient.Conn, message []byte) {
	a, err := s.protocol.Answer(message)
	if err != nil {
		// It may have been data of any stream.
		c.Abort(fmt.Errorf("message of an unknown kind: %w", err))
		return
	}
	switch a.Kind {
	case Ignored:
	case Confirmed:
		s.confirmed(a)
	case AlreadySubscribed, Rejected:
		s.rejected(a)
	case Failed:
		c.Abort(fmt.Errorf("%w: %s", errRejected, a.Text))
	case Ending:
		s.link.Renew()
	}
}

// confirmed reports to the sink which topics are subscribed again.
func (s *shard) confirmed(a Answer) {
	s.deliver.Lock()
	defer s.deliver.Unlock()
	s.mu.Lock()
	var streams []*Stream
	if a.Topic != "" {
		streams = s.answeredTopic(a.Topic)
	} else {
		streams = s.answered(a.ID)
	}
	topics := s.subscribed(streams)
	s.mu.Unlock()
	s.resume(topics)
}

// answered removes a pending request and returns those of its streams that are still
// subscribed here; mu is held.
func (s *shard) answered(id uint64) []*Stream {
	r := s.pending[id]
	if r == nil {
		return nil
	}
	delete(s.pending, id)
	return slices.DeleteFunc(r.waiting, func(stream *Stream) bool { return s.streams[stream.name] != stream })
}

// answeredTopic removes a topic from the pending requests; mu is held.
func (s *shard) answeredTopic(topic string) []*Stream {
	for id, r := range s.pending {
		r.waiting = slices.DeleteFunc(r.waiting, func(stream *Stream) bool { return stream.name == topic })
		if len(r.waiting) == 0 {
			delete(s.pending, id)
		}
	}
	if stream := s.streams[topic]; stream != nil {
		return []*Stream{stream}
	}
	return nil
}

// subscribed marks streams as subscribed and returns the topics that were interrupted; mu
// is held. Streams that broke since the request stay broken and are requested again.
func (s *shard) subscribed(streams []*Stream) (topics []venues.FeedTopic) {
	now := time.Now()
	for _, stream := range streams {
		if stream.broken {
			continue
		}
		stream.activity.receivedAt, stream.retryAt, stream.rejections = now, time.Time{}, 0
		if stream.interrupted {
			stream.interrupted = false
			topics = append(topics, stream.topic)
		}
	}
	return topics
}

// rejected finds the rejected topic: topics requested together are requested again one by
// one.
func (s *shard) rejected(a Answer) {
	if a.Kind == Rejected {
		s.options.Log.Warn("venue stream: subscription rejected", zap.String("answer", a.Text))
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	s.mu.Lock()
	var resumed, interrupted []venues.FeedTopic
	switch streams := s.answered(a.ID); {
	case len(streams) > 1:
		s.subscribe(streams, 1)
	case a.Kind == AlreadySubscribed:
		resumed = s.subscribed(streams)
	default:
		interrupted = s.postpone(streams)
	}
	s.mu.Unlock()
	s.resume(resumed)
	s.interrupt(interrupted, fmt.Errorf("%w: %s", errRejected, a.Text))
}

// postpone schedules another attempt for rejected streams; mu is held.
func (s *shard) postpone(streams []*Stream) (topics []venues.FeedTopic) {
	for _, stream := range streams {
		stream.interrupted = true
		stream.retryAt = time.Now().Add(min(doubled(rejectedRetry, stream.rejections), s.options.RejectedRetryMax))
		stream.rejections++
		topics = append(topics, stream.topic)
	}
	return topics
}
