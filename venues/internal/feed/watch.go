package feed

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// Tick looks after the streams: subscriptions without an answer, streams that
// fell silent, could not be decoded or were refused.
func (s *shard) Tick(now time.Time) {
	if c := s.overdue(now); c != nil {
		c.GiveUp(errNoAck)
		return
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	s.resume(s.mend(now))
	silent, mute := s.silent(now)
	if len(silent) > 0 {
		s.options.Log.Warn("venue stream: silent", zap.Int("streams", len(silent)), zap.String("first", silent[0].Symbol))
		s.interrupt(silent, errSilent)
	}
	if mute != nil {
		mute.GiveUp(errSilent)
	}
}

// overdue is the connection if it leaves a subscription without an answer.
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

// mend lets broken streams begin anew and asks again for those that were refused,
// each alone. It returns the channels that speak again at once; the others wait for
// the venue's confirmation.
func (s *shard) mend(now time.Time) (channels []venues.FeedChannel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return nil
	}
	var anew, refused []*Stream
	for _, one := range s.streams {
		switch {
		case one.retryAt.IsZero() || now.Before(one.retryAt):
		case !one.broken:
			refused = append(refused, one)
		case s.options.StreamSnapshots:
			anew = append(anew, one)
		default:
			one.broken, one.interrupted, one.retryAt = false, false, time.Time{}
			channels = append(channels, one.channel)
		}
	}
	s.restart(anew)
	s.subscribe(refused, 1)
	return channels
}

// silent finds the streams that should have spoken, subscribes them again and
// returns their channels. mute is the connection if a second silence concerns most of
// what is watched here: then that itself is to blame. A stream that stays
// silent alone is asked for less and less often.
func (s *shard) silent(now time.Time) (channels []venues.FeedChannel, mute *wsclient.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil || len(s.pending) > 0 {
		return nil, nil
	}
	var again []*Stream
	watched, repeated := 0, 0
	for _, one := range s.streams {
		limit := s.options.silenceMax(one.channel.Kind)
		if limit == 0 || !one.retryAt.IsZero() || !s.protocol.Trading(one.channel.Symbol) {
			continue
		}
		watched++
		if now.Sub(one.life.heardAt) <= patience(limit, one.life.strikes) {
			continue
		}
		if one.life.strikes > 0 {
			repeated++
		}
		one.life.strikes++
		again = append(again, one)
		if !one.interrupted {
			one.interrupted = true
			channels = append(channels, one.channel)
		}
	}
	if 2*repeated > watched {
		return channels, s.conn
	}
	s.restart(again)
	return channels, nil
}
