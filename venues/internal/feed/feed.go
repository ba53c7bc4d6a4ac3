package feed

import (
	"slices"
	"sync"

	"venuegate/venues"
)

// feed distributes topics over connections.
type feed struct {
	options Options

	mu      sync.Mutex
	closed  bool
	shards  map[Group][]*shard
	streams map[venues.FeedTopic]*Stream
	closing sync.WaitGroup
}

// Open starts a feed. Connections are made as topics require them.
func Open(o Options) venues.Feed {
	return &feed{options: o, shards: make(map[Group][]*shard), streams: make(map[venues.FeedTopic]*Stream)}
}

// Subscribe adds topics. Topics that are already subscribed do not change.
func (f *feed) Subscribe(topics ...venues.FeedTopic) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	batches := make(map[*shard][]*Stream)
	for _, topic := range topics {
		if f.streams[topic] != nil {
			continue
		}
		s := f.shardFor(f.options.Protocol.Group(topic))
		stream := s.newStream(topic)
		s.count++
		f.streams[topic] = stream
		batches[s] = append(batches[s], stream)
	}
	for s, streams := range batches {
		s.add(streams)
	}
}

// shardFor returns a connection with space for another topic, and makes one if there is
// none.
func (f *feed) shardFor(g Group) *shard {
	for _, s := range f.shards[g] {
		if s.count < g.TopicsMax {
			return s
		}
	}
	s := newShard(&f.options)
	s.dial(g)
	f.shards[g] = append(f.shards[g], s)
	return s
}

// Unsubscribe removes topics. A connection without topics is closed in the background.
func (f *feed) Unsubscribe(topics ...venues.FeedTopic) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	batches := make(map[*shard][]*Stream)
	for _, topic := range topics {
		if stream := f.streams[topic]; stream != nil {
			delete(f.streams, topic)
			stream.shard.count--
			batches[stream.shard] = append(batches[stream.shard], stream)
		}
	}
	for s, gone := range batches {
		s.remove(gone)
		if s.count == 0 {
			f.drop(s)
			f.closing.Go(s.link.Close)
		}
	}
}

func (f *feed) drop(gone *shard) {
	f.shards[gone.group] = slices.DeleteFunc(f.shards[gone.group], func(s *shard) bool { return s == gone })
}

// Close closes every connection and waits for their readers.
func (f *feed) Close() {
	f.mu.Lock()
	f.closed = true
	for _, shards := range f.shards {
		for _, s := range shards {
			f.closing.Go(s.link.Close)
		}
	}
	f.shards = nil
	f.mu.Unlock()
	f.closing.Wait()
}
