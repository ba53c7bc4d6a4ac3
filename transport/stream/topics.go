package stream

import (
	"fmt"

	"venuegate/venues"
)

// topicKey names a topic of a shard. Customer is empty for market topics, which
// are the same for everyone; a private topic of one customer can never be taken
// for another's, because the customer is part of its name.
type topicKey struct {
	customer string
	name     string
}

// acquire gives the caller a lease on a topic, subscribing upstream if it is
// the first. The caller calls release once for each lease. It runs on the
// goroutines of the sessions and waits for the feed, alone or with others.
func (sh *shard) acquire(customer string, name venues.Topic) (*topic, error) {
	key := topicKey{name: name.String()}
	if name.Private() {
		key.customer = customer
	}
	sh.mu.Lock()
	t, known := sh.topics[key]
	if !known {
		t = &topic{
			shard: sh, key: key, private: name.Private(), snapshots: name.Kind != venues.TopicTrades,
			ready: make(chan struct{}),
		}
		sh.topics[key] = t
	}
	t.leases++
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

// open subscribes upstream. A panic there must not leave the others waiting, nor
// a topic behind that can never be opened again.
func (t *topic) open(name venues.Topic) {
	defer close(t.ready)
	defer func() {
		if cause := recover(); cause != nil {
			t.err = fmt.Errorf("subscribe %s: panic: %v", t.key.name, cause)
		}
	}()
	t.upstream, t.err = t.shard.feed.Subscribe(t.key.customer, name, t)
}

// release gives a lease back; the last one ends the upstream subscription.
func (sh *shard) release(t *topic) {
	sh.mu.Lock()
	t.leases--
	last := t.leases == 0
	if last && sh.topics[t.key] == t {
		delete(sh.topics, t.key)
	}
	sh.mu.Unlock()
	if last && t.upstream != nil {
		t.upstream.Close()
	}
}

// topicCount is how many upstream subscriptions the shard has.
func (sh *shard) topicCount() int {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return len(sh.topics)
}
