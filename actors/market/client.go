package market

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Deps are the dependencies of a market connection.
type Deps struct {
	Name   string // of the actor, such as "market/1"
	Source Source
	// Report is called by the actor when the health of the connection has changed. It
	// must not block.
	Report func(Health)
}

// Source opens feeds; a venues.Connector is one.
type Source interface {
	OpenFeed(sink venues.FeedSink) venues.Feed
}

// Book receives the messages of a feed about one symbol. The methods are called by the
// readers of the feed, one at a time for each topic, and must not block. Update takes
// ownership of its argument.
type Book interface {
	Update(*venues.BookUpdate)
	Trade(venues.Trade)
	Candle(venues.Candle)
	Mark(venues.MarkPrice)
	Interrupted(topic venues.FeedTopic, cause error)
	Resumed(topic venues.FeedTopic)
}

// Health is the state of the connection.
type Health struct {
	Topics      int // subscribed
	Interrupted int // of them
	// Since and Cause are set while any topic is interrupted.
	Since time.Time
	Cause error
}

// Stats are the counters of the connection, which only grow.
type Stats struct {
	Health
	Interruptions uint64 // of topics
	Unrouted      uint64 // messages about symbols that no book was attached to
}

// Client is the client of a market connection. It is safe for concurrent use.
type Client struct {
	ref  actors.Ref
	deps Deps

	state *state // of the actor, shared by its incarnations

	attaching     sync.Mutex
	books         atomic.Pointer[map[string]Book] // replaced, never changed
	health        atomic.Pointer[Health]
	unrouted      atomic.Uint64
	interruptions atomic.Uint64
}

// New returns the client of a connection that will run at ref; Child starts it.
func New(ref actors.Ref, deps Deps) *Client {
	c := &Client{ref: ref, deps: deps, state: newState()}
	c.books.Store(&map[string]Book{})
	c.health.Store(&Health{})
	return c
}

// closeTimeout bounds the closing of the connections.
const closeTimeout = 10 * time.Second

// Child returns the specification of the actor.
func (c *Client) Child() actors.Child {
	return actors.Child{
		Name:        c.deps.Name,
		Producer:    func() actors.Behaviour { return &market{client: c} },
		StopTimeout: closeTimeout,
	}
}

// Attach routes the messages about symbol to book, replacing any other.
func (c *Client) Attach(symbol string, book Book) {
	c.attaching.Lock()
	defer c.attaching.Unlock()
	books := maps.Clone(*c.books.Load())
	books[symbol] = book
	c.books.Store(&books)
}

// Detach ends the route, unless another book has replaced this one.
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

// Subscribe subscribes to topics. Topics that are already subscribed are subscribed
// again, so that the venue sends a new snapshot where its stream has them.
func (c *Client) Subscribe(topics ...venues.FeedTopic) {
	c.ref.Tell(&subscribeTopics{topics: topics})
}

// Unsubscribe ends the subscription of topics. Messages that are under way may still
// arrive.
func (c *Client) Unsubscribe(topics ...venues.FeedTopic) {
	c.ref.Tell(&unsubscribeTopics{topics: topics})
}

// Stats returns the counters and the health of the connection.
func (c *Client) Stats() Stats {
	return Stats{Health: *c.health.Load(), Interruptions: c.interruptions.Load(), Unrouted: c.unrouted.Load()}
}

func (c *Client) book(symbol string) Book { return (*c.books.Load())[symbol] }
