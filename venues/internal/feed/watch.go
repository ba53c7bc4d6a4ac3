package feed

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// Tick checks the streams: subscriptions without an answer, streams that are silent,
// could not be decoded or were rejected.
func (s *shard) Tick(now time.Time) {
	if c := s.overdue(now); c != nil {
		c.Abort(errNoAck)
		return
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	s.resume(s.restoreBroken(now))
	silent, stalled := s.findSilent(now)
	if len(silent) > 0 {
		s.options.Log.Warn("venue stream: no messages", zap.Int("streams", len(silent)), zap.String("first", silent[0].Symbol))
		s.interrupt(silent, errSilent)
	}
	if stalled != nil {
		stalled.Abort(errSilent)
	}
}

// overdue returns the connection if a subscription on it has had no answer for too long.
func (s *shard) overdue(now time.Time) *wsclient.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.pending {
		if now.Sub(r.sentAt) > ackTimeout {
			return s.conn
		}
	}
	return nil
}

// restoreBroken restarts broken streams and requests rejected ones again, each alone. It
// returns the topics that are resumed immediately; the others wait for the venue's
// confirmation.
func (s *shard) restoreBroken(now time.Time) (topics []venues.FeedTopic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return nil
	}
	var broken, rejected []*Stream
	for _, stream := range s.streams {
		switch {
		case stream.retryAt.IsZero() || now.Before(stream.retryAt):
		case !stream.broken:
			rejected = append(rejected, stream)
		case s.options.StreamSnapshots:
			broken = append(broken, stream)
		default:
			stream.broken, stream.interrupted, stream.retryAt = false, false, time.Time{}
			topics = append(topics, stream.topic)
		}
	}
	s.restart(broken)
	s.subscribe(rejected, 1)
	return topics
}

// findSilent finds the streams that have been silent for too long, subscribes them again
// and returns their topics. stalled is the connection if most of its monitored streams
// are silent for a second time: the cause is then the connection itself. A stream that is
// silent alone is requested less and less often.
func (s *shard) findSilent(now time.Time) (topics []venues.FeedTopic, stalled *wsclient.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil || len(s.pending) > 0 {
		return nil, nil
	}
	var again []*Stream
	watched, repeated := 0, 0
	for _, stream := range s.streams {
		limit := s.options.silenceMax(stream.topic.Kind)
		if limit == 0 || !stream.retryAt.IsZero() || !s.protocol.Trading(stream.topic.Symbol) {
			continue
		}
		watched++
		if now.Sub(stream.activity.receivedAt) <= doubled(limit, stream.activity.misses) {
			continue
		}
		if stream.activity.misses > 0 {
			repeated++
		}
		stream.activity.misses++
		again = append(again, stream)
		if !stream.interrupted {
			stream.interrupted = true
			topics = append(topics, stream.topic)
		}
	}
	if 2*repeated > watched {
		return topics, s.conn
	}
	s.restart(again)
	return topics, nil
}
