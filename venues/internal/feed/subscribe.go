package feed

import (
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// add takes streams in and subscribes them if there is a connection.
func (s *shard) add(streams []*Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range streams {
		s.streams[one.topic] = one
	}
	s.subscribe(streams, s.options.TopicsPerRequestMax)
}

func (s *shard) remove(streams []*Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range streams {
		delete(s.streams, one.topic)
	}
	s.unsubscribe(streams)
}

// subscribe asks for streams, so many in a request, and notes what must be
// confirmed; mu is held. Without a connection they wait for the next one.
func (s *shard) subscribe(streams []*Stream, perRequest int) {
	if s.conn == nil {
		return
	}
	for batch := range slices.Chunk(streams, perRequest) {
		for _, one := range batch {
			one.retryAt, one.broken = time.Time{}, false
		}
		id := s.request(Subscribe, batch)
		s.pending[id] = &request{waiting: batch, sentAt: time.Now()}
	}
}

// unsubscribe needs no confirmation; mu is held.
func (s *shard) unsubscribe(streams []*Stream) {
	if s.conn == nil {
		return
	}
	for batch := range slices.Chunk(streams, s.options.TopicsPerRequestMax) {
		s.request(Unsubscribe, batch)
	}
}

// restart subscribes streams anew; mu is held.
func (s *shard) restart(streams []*Stream) {
	for _, one := range streams {
		one.restarted = true
	}
	s.unsubscribe(streams)
	s.subscribe(streams, s.options.TopicsPerRequestMax)
}

// request sends one; mu is held and there is a connection.
func (s *shard) request(verb Verb, streams []*Stream) (id uint64) {
	s.lastID++
	topics := make([]string, len(streams))
	for n, one := range streams {
		topics[n] = one.topic
	}
	s.conn.Send(s.protocol.Request(verb, s.lastID, topics))
	return s.lastID
}

// answer handles what is no data.
func (s *shard) answer(c *wsclient.Conn, message []byte) {
	a, err := s.protocol.Answer(message)
	if err != nil {
		// It may have been data of any stream.
		c.GiveUp(fmt.Errorf("message of an unknown kind: %w", err))
		return
	}
	switch a.Verdict {
	case Nothing:
	case Confirmed:
		s.confirmed(a)
	case Repeated, Refused:
		s.refused(a)
	case Failed:
		c.GiveUp(fmt.Errorf("%w: %s", errRefused, a.Text))
	case Ending:
		s.link.Renew()
	}
}

// confirmed tells the sink which channels are subscribed again.
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
	channels := s.subscribed(streams)
	s.mu.Unlock()
	s.resume(channels)
}

// answered ends the wait for a request and returns those of its streams that are
// still here; mu is held.
func (s *shard) answered(id uint64) []*Stream {
	r := s.pending[id]
	if r == nil {
		return nil
	}
	delete(s.pending, id)
	return slices.DeleteFunc(r.waiting, func(one *Stream) bool { return s.streams[one.topic] != one })
}

// answeredTopic ends the wait for a topic, whichever request asked for it; mu is
// held.
func (s *shard) answeredTopic(topic string) []*Stream {
	for id, r := range s.pending {
		r.waiting = slices.DeleteFunc(r.waiting, func(one *Stream) bool { return one.topic == topic })
		if len(r.waiting) == 0 {
			delete(s.pending, id)
		}
	}
	if one := s.streams[topic]; one != nil {
		return []*Stream{one}
	}
	return nil
}

// subscribed notes that streams are and returns the channels that were not; mu is
// held. What broke since it was asked for stays so: it is asked for once more.
func (s *shard) subscribed(streams []*Stream) (channels []venues.FeedChannel) {
	now := time.Now()
	for _, one := range streams {
		if one.broken {
			continue
		}
		one.life.heardAt, one.retryAt, one.refusals = now, time.Time{}, 0
		if one.interrupted {
			one.interrupted = false
			channels = append(channels, one.channel)
		}
	}
	return channels
}

// refused finds the culprit: what was asked for together is asked for one by one.
func (s *shard) refused(a Answer) {
	if a.Verdict == Refused {
		s.options.Log.Warn("venue stream: refusal", zap.String("answer", a.Text))
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	s.mu.Lock()
	var resumed, interrupted []venues.FeedChannel
	switch streams := s.answered(a.ID); {
	case len(streams) > 1:
		s.subscribe(streams, 1)
	case a.Verdict == Repeated:
		resumed = s.subscribed(streams)
	default:
		interrupted = s.putOff(streams)
	}
	s.mu.Unlock()
	s.resume(resumed)
	s.interrupt(interrupted, fmt.Errorf("%w: %s", errRefused, a.Text))
}

// putOff notes that streams are not to be had now; mu is held.
func (s *shard) putOff(streams []*Stream) (channels []venues.FeedChannel) {
	for _, one := range streams {
		one.interrupted = true
		one.retryAt = time.Now().Add(min(patience(refusedRetry, one.refusals), s.options.RefusedRetryMax))
		one.refusals++
		channels = append(channels, one.channel)
	}
	return channels
}
