package simnet

// Listeners are who listens to which topic. Its owner's lock guards it.
type Listeners[L comparable] map[string]map[L]bool

// Add says whether nobody listened to the topic before.
func (l Listeners[L]) Add(topic string, who L) (first bool) {
	if first = len(l[topic]) == 0; first {
		l[topic] = map[L]bool{}
	}
	l[topic][who] = true
	return first
}

// Remove says whether nobody listens to the topic any more.
func (l Listeners[L]) Remove(topic string, who L) (last bool) {
	delete(l[topic], who)
	if last = len(l[topic]) == 0; last {
		delete(l, topic)
	}
	return last
}
