package simnet

import "time"

// Topics records the subscribers of each topic that has any. The lock of its owner
// guards it.
type Topics[S comparable] map[string]map[S]bool

// Add adds a subscriber to a topic and reports whether it is the first.
func (t Topics[S]) Add(topic string, subscriber S) (first bool) {
	if first = !t.Has(topic); first {
		t[topic] = map[S]bool{}
	}
	t[topic][subscriber] = true
	return first
}

// Remove removes a subscriber from a topic and reports whether the topic has none
// left.
func (t Topics[S]) Remove(topic string, subscriber S) (last bool) {
	delete(t[topic], subscriber)
	if last = !t.Has(topic); last {
		delete(t, topic)
	}
	return last
}

// RemoveAll removes a subscriber from all topics.
func (t Topics[S]) RemoveAll(subscriber S) {
	for topic := range t {
		t.Remove(topic, subscriber)
	}
}

// Has reports whether a topic has subscribers.
func (t Topics[S]) Has(topic string) bool { return len(t[topic]) > 0 }

// Schedule records when messages of a given interval were last due. The zero value
// is ready: all intervals are due immediately. The lock of its owner guards it.
type Schedule struct{ last map[time.Duration]time.Time }

// Due reports whether an interval has passed at a time of the base clock, and if so
// starts the next one. Steps come a little early or late, so half a step of
// [PumpInterval] is tolerated.
func (s *Schedule) Due(interval time.Duration, base time.Time) bool {
	if base.Sub(s.last[interval]) < interval-PumpInterval/2 {
		return false
	}
	if s.last == nil {
		s.last = map[time.Duration]time.Time{}
	}
	s.last[interval] = base
	return true
}

// MakeDue makes an interval due at the next step.
func (s *Schedule) MakeDue(interval time.Duration) { delete(s.last, interval) }
