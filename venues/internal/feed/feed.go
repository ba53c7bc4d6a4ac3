package feed

import (
	"slices"
	"sync"

	"venuegate/venues"
)

// feed spreads channels over connections.
type feed struct {
	options Options

	mu      sync.Mutex
	closed  bool
	shards  map[Group][]*shard
	streams map[venues.FeedChannel]*Stream
	closing sync.WaitGroup
}

// Open starts a feed; connections are made as channels need them.
func Open(o Options) venues.Feed {
	return &feed{options: o, shards: make(map[Group][]*shard), streams: make(map[venues.FeedChannel]*Stream)}
}

// Subscribe adds channels; those that are there already stay as they are.
func (f *feed) Subscribe(channels ...venues.FeedChannel) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	batches := make(map[*shard][]*Stream)
	for _, channel := range channels {
		if f.streams[channel] != nil {
			continue
		}
		home := f.roomFor(f.options.Protocol.Group(channel))
		one := home.newStream(channel)
		home.count++
		f.streams[channel] = one
		batches[home] = append(batches[home], one)
	}
	for home, streams := range batches {
		home.add(streams)
	}
}

// roomFor finds a connection with room, or makes one.
func (f *feed) roomFor(g Group) *shard {
	for _, s := range f.shards[g] {
		if s.count < g.ChannelsMax {
			return s
		}
	}
	s := newShard(&f.options)
	s.dial(g)
	f.shards[g] = append(f.shards[g], s)
	return s
}

// Unsubscribe takes channels away. A connection that carries nothing any more is
// closed in the background.
func (f *feed) Unsubscribe(channels ...venues.FeedChannel) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	batches := make(map[*shard][]*Stream)
	for _, channel := range channels {
		if one := f.streams[channel]; one != nil {
			delete(f.streams, channel)
			one.home.count--
			batches[one.home] = append(batches[one.home], one)
		}
	}
	for home, gone := range batches {
		home.remove(gone)
		if home.count == 0 {
			f.drop(home)
			f.closing.Go(home.link.Close)
		}
	}
}

func (f *feed) drop(gone *shard) {
	f.shards[gone.group] = slices.DeleteFunc(f.shards[gone.group], func(s *shard) bool { return s == gone })
}

// Close ends every connection and waits for their readers.
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
