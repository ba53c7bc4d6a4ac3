package market

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"venuegate/venues"
)

// state has the subscribed topics and which of them are interrupted. It is shared by
// all incarnations of the actor: the books still need the topics when a feed is lost.
type state struct {
	topics      map[venues.FeedTopic]bool // true while interrupted
	interrupted int
	since       time.Time // start of the oldest interruption
	cause       error     // of the newest interruption
}

func newState() *state { return &state{topics: make(map[venues.FeedTopic]bool)} }

// add adds topics and returns those that were subscribed already.
func (s *state) add(topics []venues.FeedTopic) (again []venues.FeedTopic) {
	for _, c := range topics {
		interrupted, subscribed := s.topics[c]
		if subscribed {
			again = append(again, c)
		}
		s.topics[c] = interrupted
	}
	return again
}

// remove removes topics and returns those that were subscribed.
func (s *state) remove(topics []venues.FeedTopic) (gone []venues.FeedTopic) {
	for _, c := range topics {
		if _, subscribed := s.topics[c]; subscribed {
			s.mark(c, false)
			delete(s.topics, c)
			gone = append(gone, c)
		}
	}
	return gone
}

// interrupt marks topics as interrupted; topics that are not subscribed are ignored.
func (s *state) interrupt(now time.Time, topics []venues.FeedTopic, cause error) {
	if s.interrupted == 0 {
		s.since = now
	}
	s.cause = cause
	for _, c := range topics {
		s.mark(c, true)
	}
}

func (s *state) resume(topics []venues.FeedTopic) {
	for _, c := range topics {
		s.mark(c, false)
	}
}

func (s *state) mark(c venues.FeedTopic, interrupted bool) {
	was, subscribed := s.topics[c]
	if !subscribed || was == interrupted {
		return
	}
	s.topics[c] = interrupted
	if interrupted {
		s.interrupted++
	} else {
		s.interrupted--
	}
}

// all returns the subscribed topics in a fixed order.
func (s *state) all() []venues.FeedTopic {
	return slices.SortedFunc(maps.Keys(s.topics), func(a, b venues.FeedTopic) int {
		return cmp.Or(cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Timeframe, b.Timeframe))
	})
}

func (s *state) health() Health {
	h := Health{Topics: len(s.topics), Interrupted: s.interrupted}
	if s.interrupted > 0 {
		h.Since, h.Cause = s.since, s.cause
	}
	return h
}
