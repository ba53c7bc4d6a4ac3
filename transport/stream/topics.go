package stream

import (
	"fmt"

	"venuegate/venues"
)

// topicKey identifies a topic of a shard. customer is empty for market topics, which
// all customers share. For private topics it is part of the key, so that one can never
// be confused with that of another customer.
type topicKey struct {
	customer string
	name     string
}

// acquire returns a topic and adds a reference to it, which the caller must release.
// The first reference subscribes upstream; concurrent callers wait for that. It runs on
// the goroutines of the sessions.
func (sh *shard) acquire(customer string, name venues.Topic) (*topic, error) {
	key := topicKey{name: name.String()}
	if name.Private() {
		key.customer = customer
	}
	sh.mu.Lock()
	t, known := sh.topics[key]
	if !known {
		t = &topic{
			shard: sh, key: key, private: name.Private(), hasSnapshots: name.Kind != venues.TopicTrades,
			ready: make(chan struct{}),
		}
		sh.topics[key] = t
	}
	t.refs++
	sh.mu.Unlock()

	if known {
		<-t.ready
	} else {
		t.open(name)
	}
	if t.err != nil {
		sh.release(t)
		return nil, t.err
	}
	return t, nil
}

// open subscribes upstream. It turns a panic of the feed into an error, so that waiting
// callers return and the topic can be opened again.
func (t *topic) open(name venues.Topic) {
	defer close(t.ready)
	defer func() {
		if cause := recover(); cause != nil {
			t.err = fmt.Errorf("subscribe %s: panic: %v", t.key.name, cause)
		}
	}()
	t.upstream, t.err = t.shard.feed.Subscribe(t.key.customer, name, t)
}

// release removes a reference. The last one ends the upstream subscription.
func (sh *shard) release(t *topic) {
	sh.mu.Lock()
	t.refs--
	last := t.refs == 0
	if last && sh.topics[t.key] == t {
		delete(sh.topics, t.key)
	}
	sh.mu.Unlock()
	if last && t.upstream != nil {
		t.upstream.Close()
	}
}

// topicCount returns the number of upstream subscriptions.
func (sh *shard) topicCount() int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return len(sh.topics)
}
