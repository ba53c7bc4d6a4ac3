package okx

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
)

// Tick looks after the streams: subscriptions without an answer, streams that
// fell silent, streams that could not be decoded or were refused.
func (s *shard) Tick(now time.Time) {
	if s.overdue(now) {
		s.link.Reconnect(errNoAck)
		return
	}
	s.mend(now)
	silent, mute := s.silent(now)
	if len(silent) > 0 {
		s.feed.c.options.Log.Warn("venue stream: silent", zap.Int("streams", len(silent)), zap.String("first", silent[0].Symbol))
		s.interrupt(silent, errStreamSilent)
	}
	if mute {
		s.link.Reconnect(errStreamSilent)
	}
}

func (s *shard) overdue(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pending {
		if now.Sub(p.sentAt) > ackTimeout {
			return true
		}
	}
	return false
}

// mend subscribes again what is broken or was refused; the confirmation resumes
// it, and a book then begins with a new snapshot.
func (s *shard) mend(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return
	}
	var again, refused []*stream
	for _, one := range s.streams {
		switch {
		case one.retryAt.IsZero() || now.Before(one.retryAt):
		case one.broken:
			one.broken = false
			again = append(again, one)
		default:
			refused = append(refused, one)
		}
	}
	s.restart(again)
	for _, one := range refused {
		s.subscribe(s.conn, []*stream{one})
	}
}

// silent finds the streams that should have spoken, subscribes them again and
// returns their channels. mute says that a second silence concerns most of what
// is watched here: then the connection itself is to blame. A stream that stays
// silent alone is asked for less and less often.
func (s *shard) silent(now time.Time) (channels []venues.FeedChannel, mute bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil || len(s.pending) > 0 {
		return nil, false
	}
	var again []*stream
	watched, repeated := 0, 0
	for _, one := range s.streams {
		limit := s.feed.c.silenceMax(one.channel.Kind)
		if limit == 0 || !one.retryAt.IsZero() || !s.feed.c.trading(one.channel.Symbol) {
			continue
		}
		watched++
		if now.Sub(one.heardAt) <= limit<<min(one.strikes, strikesMax) {
			continue
		}
		if one.strikes > 0 {
			repeated++
		}
		one.strikes++
		again = append(again, one)
		if !one.interrupted {
			one.interrupted = true
			channels = append(channels, one.channel)
		}
	}
	mute = 2*repeated > watched
	if !mute {
		s.restart(again)
	}
	return channels, mute
}
