package market

import (
	"cmp"
	"slices"
	"time"

	"venuegate/venues"
)

// state keeps which channels are subscribed and which of them are interrupted.
// It outlives the incarnations of the actor: what the books need does not change
// when a feed is lost.
type state struct {
	channels    map[venues.FeedChannel]bool // true while interrupted
	interrupted int
	since       time.Time // when the oldest interruption of now began
	cause       error     // of the newest interruption
}

func newState() *state { return &state{channels: make(map[venues.FeedChannel]bool)} }

// add notes channels as subscribed and returns those that were already, which
// begin anew.
func (s *state) add(channels []venues.FeedChannel) (again []venues.FeedChannel) {
	for _, c := range channels {
		interrupted, subscribed := s.channels[c]
		if subscribed {
			again = append(again, c)
		}
		s.channels[c] = interrupted
	}
	return again
}

// remove forgets channels and returns those that were subscribed.
func (s *state) remove(channels []venues.FeedChannel) (gone []venues.FeedChannel) {
	for _, c := range channels {
		if _, subscribed := s.channels[c]; subscribed {
			s.mark(c, false)
			delete(s.channels, c)
			gone = append(gone, c)
		}
	}
	return gone
}

// interrupt marks channels; those that are not subscribed any more do not count.
func (s *state) interrupt(now time.Time, channels []venues.FeedChannel, cause error) {
	if s.interrupted == 0 {
		s.since = now
	}
	s.cause = cause
	for _, c := range channels {
		s.mark(c, true)
	}
}

func (s *state) resume(channels []venues.FeedChannel) {
	for _, c := range channels {
		s.mark(c, false)
	}
}

func (s *state) mark(c venues.FeedChannel, interrupted bool) {
	was, subscribed := s.channels[c]
	if !subscribed || was == interrupted {
		return
	}
	s.channels[c] = interrupted
	if interrupted {
		s.interrupted++
	} else {
		s.interrupted--
	}
}

// all lists the subscribed channels in a fixed order.
func (s *state) all() []venues.FeedChannel {
	list := make([]venues.FeedChannel, 0, len(s.channels))
	for c := range s.channels {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b venues.FeedChannel) int {
		return cmp.Or(cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Timeframe, b.Timeframe))
	})
	return list
}

func (s *state) health() Health {
	h := Health{Channels: len(s.channels), Interrupted: s.interrupted}
	if s.interrupted > 0 {
		h.Since, h.Cause = s.since, s.cause
	}
	return h
}
