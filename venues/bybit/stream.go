package bybit

import (
	"slices"
	"sync"
	"time"

	"venuegate/venues"
)

// streamsPerConnMax is how many streams one connection carries. The venue allows
// more; a connection that breaks should not take too much with it.
const streamsPerConnMax = 200

// feed spreads channels over connections.
type feed struct {
	c    *Connector
	sink venues.FeedSink

	mu      sync.Mutex
	closed  bool
	shards  []*shard
	homes   map[venues.FeedChannel]*shard
	closing sync.WaitGroup
}

// OpenFeed starts a public feed; connections are made as channels need them.
func (c *Connector) OpenFeed(sink venues.FeedSink) venues.Feed {
	return &feed{c: c, sink: sink, homes: make(map[venues.FeedChannel]*shard)}
}

// Subscribe adds channels; those that are there already stay as they are.
func (f *feed) Subscribe(channels ...venues.FeedChannel) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	batches := make(map[*shard][]*stream)
	for _, channel := range channels {
		if f.homes[channel] != nil {
			continue
		}
		home := f.roomFor()
		venueSymbol := f.c.venueSymbol(channel.Symbol)
		s := &stream{channel: channel, venueSymbol: venueSymbol, topic: topicName(channel, venueSymbol), interrupted: true}
		home.count++
		f.homes[channel] = home
		batches[home] = append(batches[home], s)
	}
	for home, streams := range batches {
		home.add(streams)
	}
}

// roomFor finds a connection with room, or makes one.
func (f *feed) roomFor() *shard {
	for _, s := range f.shards {
		if s.count < streamsPerConnMax {
			return s
		}
	}
	s := newShard(f)
	f.shards = append(f.shards, s)
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
	batches := make(map[*shard][]venues.FeedChannel)
	for _, channel := range channels {
		if home := f.homes[channel]; home != nil {
			delete(f.homes, channel)
			home.count--
			batches[home] = append(batches[home], channel)
		}
	}
	for home, gone := range batches {
		home.remove(gone)
		if home.count == 0 {
			f.shards = slices.DeleteFunc(f.shards, func(s *shard) bool { return s == home })
			f.closing.Go(home.link.Close)
		}
	}
}

// Close ends every connection and waits for their readers.
func (f *feed) Close() {
	f.mu.Lock()
	f.closed = true
	for _, s := range f.shards {
		f.closing.Go(s.link.Close)
	}
	f.shards = nil
	f.mu.Unlock()
	f.closing.Wait()
}

// silenceMax is how long a stream of the kind may bring nothing; 0 means as long
// as it likes: without trades there is nothing to tell.
func (c *Connector) silenceMax(kind venues.FeedKind) time.Duration {
	switch kind {
	case venues.FeedBook:
		return c.options.BookSilenceMax
	case venues.FeedMark:
		return c.options.MarkSilenceMax
	default:
		return 0
	}
}

// trading says whether an instrument is known to trade, so that silence means
// something.
func (c *Connector) trading(symbol string) bool {
	i, ok := c.catalogue.Load().Find(symbol)
	return ok && i.Status == venues.InstrumentTrading
}
