package okx

import (
	"strings"
	"sync"
	"time"

	"venuegate/venues"
)

// Streams per connection: the venue asks for less than thirty deep books on one;
// of the lighter streams a connection that breaks should not take too many.
const (
	booksPerConnMax   = 25
	streamsPerConnMax = 200
)

// group is what shares connections: a path of the venue, and books apart from
// what is lighter.
type group struct {
	path  string
	books bool
}

func groupOf(kind venues.FeedKind) group {
	return group{path: pathOf(kind), books: kind == venues.FeedBook}
}

func (g group) room() int {
	if g.books {
		return booksPerConnMax
	}
	return streamsPerConnMax
}

// feed spreads channels over connections, each of one group.
type feed struct {
	c    *Connector
	sink venues.FeedSink

	mu      sync.Mutex
	closed  bool
	shards  map[group][]*shard
	homes   map[venues.FeedChannel]*shard
	closing sync.WaitGroup
}

// OpenFeed starts a public feed; connections are made as channels need them.
func (c *Connector) OpenFeed(sink venues.FeedSink) venues.Feed {
	return &feed{
		c: c, sink: sink,
		shards: make(map[group][]*shard),
		homes:  make(map[venues.FeedChannel]*shard),
	}
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
		home := f.roomFor(groupOf(channel.Kind))
		home.count++
		f.homes[channel] = home
		batches[home] = append(batches[home], &stream{
			channel: channel, topic: f.c.topicOf(channel), interrupted: true,
		})
	}
	for home, streams := range batches {
		home.add(streams)
	}
}

// topicOf is the venue's name of a channel: by the catalogue, or by rule where
// that has not been read.
func (c *Connector) topicOf(channel venues.FeedChannel) topic {
	name := topic{Channel: channelName(channel)}
	if k := c.catalogue.Load().find(channel.Symbol); k != nil {
		name.InstID = k.VenueSymbol
		return name
	}
	pair, expiry, dated := strings.Cut(channel.Symbol, "-")
	if !dated {
		expiry = instTypeSwap
	}
	for _, settle := range []string{"USDT", "USDC"} {
		if base, ok := strings.CutSuffix(pair, settle); ok {
			pair = base + "-" + settle
			break
		}
	}
	name.InstID = pair + "-" + expiry
	return name
}

// roomFor finds a connection with room, or makes one.
func (f *feed) roomFor(g group) *shard {
	for _, s := range f.shards[g] {
		if s.count < g.room() {
			return s
		}
	}
	s := newShard(f, g)
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
			f.drop(home)
			f.closing.Go(home.link.Close)
		}
	}
}

func (f *feed) drop(gone *shard) {
	var rest []*shard
	for _, s := range f.shards[gone.group] {
		if s != gone {
			rest = append(rest, s)
		}
	}
	f.shards[gone.group] = rest
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
	k := c.catalogue.Load().find(symbol)
	return k != nil && k.Status == venues.InstrumentTrading
}
