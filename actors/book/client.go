package book

import (
	"context"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"venuegate/actors"
	"venuegate/venues"
)

// Deps are the dependencies of a book.
type Deps struct {
	Instrument venues.Instrument
	// StreamSnapshots is the venue's capability of that name.
	StreamSnapshots bool
	// Resident keeps the book, the trades and the mark price subscribed without
	// subscribers.
	Resident bool
	Feed     Feed
	Reader   Reader
	Encoder  Encoder
	// Pool bounds the REST requests for snapshots and candles.
	Pool *actors.Pool
	// CheckEvery is the minimum time between two comparisons with a REST snapshot; up
	// to half of it is added at random. 0 means CheckEveryDefault, a negative value
	// never. Each comparison costs the request weight of a snapshot.
	CheckEvery time.Duration
}

// CheckEveryDefault is the usual time between comparisons.
const CheckEveryDefault = 10 * time.Minute

// Feed subscribes the book's topics at the venue. Subscribing a topic again restarts
// it. Methods do not block.
type Feed interface {
	Subscribe(channels ...venues.FeedTopic)
	Unsubscribe(channels ...venues.FeedTopic)
}

// Reader reads market data by REST; see venues.MarketData.
type Reader interface {
	Snapshot(ctx context.Context, symbol string) (*venues.BookUpdate, error)
	Candles(ctx context.Context, q venues.CandlesQuery) ([]venues.Candle, error)
}

// Client is the client of a book, for its subscribers and for the feed that fills it.
// It is safe for concurrent use.
type Client struct {
	ref   actors.Ref
	deps  Deps
	inbox inbox
	count counters
	epoch uint64

	// subscriptions belong to the current incarnation of the actor.
	subscriptions *subscriptions

	// Written by the actor, read by any goroutine.
	current    atomic.Pointer[summary]
	receivedAt atomic.Int64                    // Unix nanoseconds, of the newest message about the book
	venueAt    atomic.Int64                    // its venue time
	lifetime   atomic.Pointer[context.Context] // of the incarnation
	scale      atomic.Pointer[venues.Scale]

	watching atomic.Bool
	readAt   atomic.Int64 // Unix nanoseconds, when the quote was last read
}

// New prepares the book of the actor ref; Child starts it.
func New(ref actors.Ref, deps Deps) *Client {
	c := &Client{
		ref: ref, deps: deps,
		epoch:         uint64(time.Now().UnixNano()), // rises from each book to its successor
		subscriptions: newSubscriptions(deps.Instrument.Exchange, deps.Instrument.Symbol),
	}
	c.inbox.ref = ref
	scale := deps.Instrument.Scale()
	c.scale.Store(&scale)
	return c
}

// Child returns the specification of the actor. The book ends when it is no longer
// needed. Its subscribers survive failures.
func (c *Client) Child() actors.Child {
	return actors.Child{
		Name:     Name(c.deps.Instrument.Symbol),
		Producer: func() actors.Behaviour { return &book{client: c} },
		Restart:  actors.Transient,
	}
}

// Name returns the actor name of a symbol's book. Characters that an actor name must
// not have are written as numbers.
func Name(symbol string) string {
	var b strings.Builder
	b.WriteString("book/")
	for _, r := range symbol {
		if r < utf8.RuneSelf && r != '_' {
			b.WriteRune(r)
			continue
		}
		b.WriteByte('_')
		for shift := 20; shift >= 0; shift -= 4 {
			b.WriteByte("0123456789abcdef"[r>>shift&0xf])
		}
	}
	return b.String()
}

// Subscribe subscribes sink to one of the symbol's topics. It returns not_found for a
// topic that a book does not have, or an error of actors; actors.ErrStopped means that
// the book has ended, and another one can be created.
func (c *Client) Subscribe(ctx context.Context, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	if c.subscriptions.find(topic) == nil {
		return nil, venues.Errorf(venues.CodeNotFound, "no topic %s", topic)
	}
	s := &subscription{client: c, topic: topic, sink: sink, index: detached}
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any {
		return &openTopic{Reply: reply, subscription: s}
	})
	if err != nil {
		s.Close() // the subscription may have been added
		return nil, err
	}
	return s, nil
}

// SetScale sets the instrument after a change of its tick size or quantity step. The
// book is rebuilt if its scale has changed.
func (c *Client) SetScale(scale venues.Scale) {
	if before := c.scale.Swap(&scale); *before != scale {
		c.ref.Tell(&changeScale{scale: scale})
	}
}

// Update processes one book message and takes ownership of it.
func (c *Client) Update(u *venues.BookUpdate) { c.inbox.put(venues.FeedBook, event{update: u}) }

// Trade processes one public trade.
func (c *Client) Trade(t venues.Trade) { c.inbox.put(venues.FeedTrades, event{other: t}) }

// Candle processes one state of a candle.
func (c *Client) Candle(candle venues.Candle) {
	c.inbox.put(venues.FeedCandles, event{other: candle})
}

// Mark processes a mark price.
func (c *Client) Mark(m venues.MarkPrice) { c.inbox.put(venues.FeedMark, event{other: m}) }

// Interrupted reports that messages of a topic may have been lost.
func (c *Client) Interrupted(channel venues.FeedTopic, _ error) {
	c.inbox.put(channel.Kind, event{other: interruption{channel}})
}

// Resumed reports that a topic is subscribed again.
func (c *Client) Resumed(channel venues.FeedTopic) {
	c.inbox.put(channel.Kind, event{other: resumption{channel}})
}
