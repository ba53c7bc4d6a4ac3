package market

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Deps are what a market connection needs of its surroundings.
type Deps struct {
	Name   string // of the actor, such as "market/1"
	Source Source
	// Report is told when the health of the connection has changed. It is
	// called by the actor and must not block.
	Report func(Health)
}

// Source opens feeds; a venues.Connector is one.
type Source interface {
	OpenFeed(sink venues.FeedSink) venues.Feed
}

// Book takes what a feed brings about one symbol. Methods must not block; they
// are called by the feed's readers, one at a time per channel. An Update is
// taken over.
type Book interface {
	Update(*venues.BookUpdate)
	Trade(venues.Trade)
	Candle(venues.Candle)
	Mark(venues.MarkPrice)
	Interrupted(channel venues.FeedChannel, cause error)
	Resumed(channel venues.FeedChannel)
}

// Health of the connection.
type Health struct {
	Channels    int // subscribed
	Interrupted int // of them
	// Since and Cause are set while any channel is interrupted.
	Since time.Time
	Cause error
}

// Stats is what the connection has done. Counts only grow.
type Stats struct {
	Health
	Interruptions uint64 // of channels
	Unrouted      uint64 // messages about symbols that no book was attached to
}

// Client is the way to a market connection. Safe for concurrent use.
type Client struct {
	ref  actors.Ref
	deps Deps

	state *state // the actor's, whichever incarnation

	attaching     sync.Mutex
	books         atomic.Pointer[map[string]Book] // replaced, never changed
	health        atomic.Pointer[Health]
	unrouted      atomic.Uint64
	interruptions atomic.Uint64
}

// New prepares the connection that will live at ref; Child starts it.
func New(ref actors.Ref, deps Deps) *Client {
	c := &Client{ref: ref, deps: deps, state: newState()}
	c.books.Store(&map[string]Book{})
	c.health.Store(&Health{})
	return c
}

// closeTimeout bounds how long the connections may take to end.
const closeTimeout = 10 * time.Second

// Child says how the connection is started.
func (c *Client) Child() actors.Child {
	return actors.Child{
		Name:        c.deps.Name,
		Producer:    func() actors.Behaviour { return &market{client: c} },
		StopTimeout: closeTimeout,
	}
}

// Attach leads what comes about symbol to book, in place of any other.
func (c *Client) Attach(symbol string, book Book) {
	c.attaching.Lock()
	defer c.attaching.Unlock()
	books := maps.Clone(*c.books.Load())
	books[symbol] = book
	c.books.Store(&books)
}

// Detach ends that, unless another book has taken the place.
func (c *Client) Detach(symbol string, book Book) {
	c.attaching.Lock()
	defer c.attaching.Unlock()
	if (*c.books.Load())[symbol] != book {
		return
	}
	books := maps.Clone(*c.books.Load())
	delete(books, symbol)
	c.books.Store(&books)
}

// Subscribe subscribes channels. Those that are subscribed already begin anew,
// so that the venue sends a fresh snapshot where its stream has them.
func (c *Client) Subscribe(channels ...venues.FeedChannel) {
	c.ref.Tell(&subscribeChannels{channels: channels})
}

// Unsubscribe ends the subscription of channels; messages that are under way may
// still arrive.
func (c *Client) Unsubscribe(channels ...venues.FeedChannel) {
	c.ref.Tell(&dropChannels{channels: channels})
}

// Stats is what the connection has done and how it stands.
func (c *Client) Stats() Stats {
	return Stats{Health: *c.health.Load(), Interruptions: c.interruptions.Load(), Unrouted: c.unrouted.Load()}
}

func (c *Client) book(symbol string) Book { return (*c.books.Load())[symbol] }
