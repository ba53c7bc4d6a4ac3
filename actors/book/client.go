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

// Deps are what a book needs of its surroundings.
type Deps struct {
	Instrument venues.Instrument
	// StreamSnapshots is the venue's capability of that name.
	StreamSnapshots bool
	// Resident keeps the book, the trades and the mark price subscribed whether
	// or not anybody listens.
	Resident bool
	Feed     Feed
	Reader   Reader
	Encoder  Encoder
	// Pool bounds the REST requests for snapshots and candles.
	Pool *actors.Pool
	// CheckEvery is the time between two comparisons with a REST snapshot, to
	// which half of it is added at random. 0 means CheckEveryDefault, below 0
	// never. Each comparison costs the venue's request weight of a snapshot.
	CheckEvery time.Duration
}

// CheckEveryDefault is the usual time between comparisons.
const CheckEveryDefault = 10 * time.Minute

// Feed subscribes the book's channels at the venue. To subscribe a channel that
// is subscribed already begins it anew. Methods do not block.
type Feed interface {
	Subscribe(channels ...venues.FeedChannel)
	Unsubscribe(channels ...venues.FeedChannel)
}

// Reader reads market data by REST; see venues.MarketData.
type Reader interface {
	Snapshot(ctx context.Context, symbol string) (*venues.BookUpdate, error)
	Candles(ctx context.Context, symbol string, timeframe venues.Timeframe, limit int) ([]venues.Candle, error)
}

// Client is the way to a book, for its subscribers and for the feed that fills
// it. All methods are safe for concurrent use.
type Client struct {
	ref   actors.Ref
	deps  Deps
	inlet inlet
	count counters
	epoch uint64

	// board belongs to the actor, whichever incarnation.
	board *board

	// What the actor lets everybody read.
	facts    atomic.Pointer[facts]
	version  atomic.Uint64 // changes with every step of the book
	view     atomic.Pointer[versionedView]
	heardAt  atomic.Int64                    // Unix nanoseconds, of the newest message about the book
	venueAt  atomic.Int64                    // the venue's clock in it
	lifetime atomic.Pointer[context.Context] // of the incarnation
	scale    atomic.Pointer[venues.Scale]

	watching atomic.Bool
	readAt   atomic.Int64 // Unix nanoseconds, when the quote was last read
}

// New prepares the book that will live at ref; Child starts it.
func New(ref actors.Ref, deps Deps) *Client {
	c := &Client{
		ref: ref, deps: deps,
		epoch: uint64(time.Now().UnixNano()), // rises from each book to its successor
		board: newBoard(deps.Instrument.Exchange, deps.Instrument.Symbol),
	}
	c.inlet.ref = ref
	scale := deps.Instrument.Scale()
	c.scale.Store(&scale)
	return c
}

// Child says how the book is started. It ends by itself when nobody needs it.
// Its subscribers outlive failures.
func (c *Client) Child() actors.Child {
	return actors.Child{
		Name:     Name(c.deps.Instrument.Symbol),
		Producer: func() actors.Behaviour { return &book{client: c} },
		Restart:  actors.Transient,
	}
}

// Name is the name of the actor that keeps a symbol's book. Letters that an
// actor's name may not have are written by number.
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

// Subscribe gives sink a place on one of the symbol's topics. The error is
// not_found for a topic that a book does not have, or an error of actors;
// actors.ErrStopped means that the book has ended, and another one can be made.
func (c *Client) Subscribe(ctx context.Context, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	if c.board.find(topic) == nil {
		return nil, venues.Errorf(venues.CodeNotFound, "no topic %s", topic)
	}
	s := &subscription{client: c, topic: topic, sink: sink, index: detached}
	_, err := actors.Ask(ctx, c.ref, func(reply actors.Reply[struct{}]) any {
		return &openTopic{Reply: reply, subscription: s}
	})
	if err != nil {
		s.Close() // it may have got its place after all
		return nil, err
	}
	return s, nil
}

// SetScale tells that the instrument's steps have changed. The book is built
// anew if its numbers mean something else now.
func (c *Client) SetScale(scale venues.Scale) {
	if before := c.scale.Swap(&scale); *before != scale {
		c.ref.Tell(&changeScale{scale: scale})
	}
}

// Update takes over one message about the book.
func (c *Client) Update(u *venues.BookUpdate) { c.inlet.put(venues.FeedBook, event{update: u}) }

// Trade takes one public trade.
func (c *Client) Trade(t venues.Trade) { c.inlet.put(venues.FeedTrades, event{other: t}) }

// Candle takes one state of a candle.
func (c *Client) Candle(candle venues.Candle) {
	c.inlet.put(venues.FeedCandles, event{other: candle})
}

// Mark takes a mark price.
func (c *Client) Mark(m venues.MarkPrice) { c.inlet.put(venues.FeedMark, event{other: m}) }

// Interrupted says that messages of a channel may have been lost.
func (c *Client) Interrupted(channel venues.FeedChannel, _ error) {
	c.inlet.put(channel.Kind, event{other: interruption{channel}})
}

// Resumed says that a channel is subscribed again.
func (c *Client) Resumed(channel venues.FeedChannel) {
	c.inlet.put(channel.Kind, event{other: resumption{channel}})
}
