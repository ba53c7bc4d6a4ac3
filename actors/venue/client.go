package venue

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Deps are what a venue needs of its surroundings.
type Deps struct {
	Venue     venues.Venue
	Connector Connector
	// Pool carries the requests for the catalogue and the clock.
	Pool *actors.Pool
	// Connections are the children that carry the venue's public streams; they
	// report to Client.ReportFeed.
	Connections []actors.Child
	// NewBook prepares the book of an instrument, which will be a child of the
	// actor at parent. It is called by the actor and must not block.
	NewBook func(parent actors.Ref, instrument venues.Instrument, resident bool) OwnedBook
	// Resident are the symbols whose books are kept whether or not anybody
	// listens, so that their quotes are always known.
	Resident []string
	// BooksMax bounds the books that live at the same time. 0 means
	// BooksMaxDefault.
	BooksMax int
}

// BooksMaxDefault is the usual bound of books: more than any venue has of
// instruments that people watch, and some tens of megabytes.
const BooksMaxDefault = 512

// Connector is what a venue asks of its connector.
type Connector interface {
	venues.Clock
	venues.Catalogue
}

// Book is the way to one instrument's market data.
type Book interface {
	// Subscribe answers actors.ErrStopped when the book has ended.
	Subscribe(ctx context.Context, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error)
	Quote() (venues.Quote, bool)
	AwaitQuote(ctx context.Context) (venues.Quote, error)
	View(ctx context.Context, depth int) (venues.BookView, error)
	WatchPrice(ctx context.Context, condition venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error)
	SetScale(venues.Scale)
}

// OwnedBook is a book and how it is started.
type OwnedBook struct {
	Book
	Child actors.Child
	// Ended is called when the book has ended and will not be started again.
	Ended func()
}

// Client is the way to a venue. Safe for concurrent use; what does not take a
// context never waits.
type Client struct {
	ref  actors.Ref
	deps Deps

	keep *keep // the actor's, whichever incarnation

	instruments atomic.Pointer[venues.InstrumentSet]
	books       atomic.Pointer[map[string]Book] // by symbol; replaced, never changed
	stats       atomic.Pointer[Stats]
	refreshing  atomic.Bool
}

// Name is the name of the actor that stands for a venue.
func Name(v venues.Venue) string { return "venue/" + string(v) }

// New prepares the venue that will live at ref; Child starts it.
func New(ref actors.Ref, deps Deps) *Client {
	if deps.BooksMax <= 0 {
		deps.BooksMax = BooksMaxDefault
	}
	c := &Client{ref: ref, deps: deps, keep: newKeep(time.Now())}
	c.books.Store(&map[string]Book{})
	c.stats.Store(&Stats{Health: c.keep.state.health})
	return c
}

// stopTimeout bounds the stop of a venue with its connections and books.
const stopTimeout = 15 * time.Second

// Child says how the venue is started.
func (c *Client) Child() actors.Child {
	return actors.Child{
		Name:        Name(c.deps.Venue),
		Producer:    func() actors.Behaviour { return &venue{client: c} },
		StopTimeout: stopTimeout,
	}
}

// Instruments is the newest catalogue, nil until it was read once.
func (c *Client) Instruments() *venues.InstrumentSet { return c.instruments.Load() }

// Instrument looks up an instrument by any of its spellings.
func (c *Client) Instrument(symbol string) (venues.Instrument, bool) {
	i, known := c.Instruments().Find(symbol)
	if !known {
		return venues.Instrument{}, false
	}
	return *i, true
}

// Refresh reads the catalogue again soon. It is for whoever was refused a price
// or a quantity that should have been right.
func (c *Client) Refresh() {
	if c.refreshing.CompareAndSwap(false, true) {
		c.ref.Tell(&refreshCatalogue{})
	}
}

// Ready is nil when orders can be checked and signed: the instruments are known
// and the clocks were compared. Else it says what is missing.
func (c *Client) Ready() error {
	switch s := c.Stats(); {
	case s.CatalogueAt.IsZero():
		return c.unavailable("the instruments of %s are not known yet", c.deps.Venue)
	case s.ClockAt.IsZero():
		return c.unavailable("the clock of %s was not compared yet", c.deps.Venue)
	}
	return nil
}

// Health of the venue.
func (c *Client) Health() Health { return c.stats.Load().Health }

// Stats is how the venue stands.
func (c *Client) Stats() Stats {
	s := *c.stats.Load()
	s.Books = len(*c.books.Load())
	return s
}

// ReportFeed tells how the venue's public connections stand.
func (c *Client) ReportFeed(f Feed) { c.ref.Tell(&feedReport{feed: f}) }

// Quote is the newest prices of a symbol, false if none are known. The first
// read of a symbol subscribes it, so that later ones find something.
func (c *Client) Quote(symbol string) (venues.Quote, bool) {
	i, known := c.Instruments().Find(symbol)
	if !known || i.Status == venues.InstrumentClosed {
		return venues.Quote{}, false
	}
	book := (*c.books.Load())[i.Symbol]
	if book == nil {
		c.ref.Tell(&openBook{symbol: i.Symbol, Reply: actors.ReplyFunc(func(b Book, err error) {
			if err == nil {
				b.Quote() // to be watched
			}
		})})
		return venues.Quote{Symbol: i.Symbol, Stale: true}, false
	}
	return book.Quote()
}

// Mark is the newest mark price of a symbol, if one is known; see Quote.
func (c *Client) Mark(symbol string) venues.Optional {
	q, _ := c.Quote(symbol)
	return q.Mark
}

// AwaitQuote is Quote that waits for a price until ctx ends.
func (c *Client) AwaitQuote(ctx context.Context, symbol string) (q venues.Quote, err error) {
	err = c.withBook(ctx, symbol, func(b Book, _ string) error {
		q, err = b.AwaitQuote(ctx)
		return err
	})
	return q, err
}

// View is the best levels of a symbol's book, at most depth a side.
func (c *Client) View(ctx context.Context, symbol string, depth int) (v venues.BookView, err error) {
	err = c.withBook(ctx, symbol, func(b Book, _ string) error {
		v, err = b.View(ctx, depth)
		return err
	})
	return v, err
}

// Subscribe gives sink a place on a topic of the venue. Frames name the topic by
// the canonical symbol. Errors are a *venues.Error: not_found for a symbol that
// is not listed; symbol_not_tradable for one whose market has ended;
// rate_limited when too much is subscribed; exchange_unavailable before the
// instruments are known; maintenance while the service stops.
func (c *Client) Subscribe(ctx context.Context, topic venues.Topic, sink venues.FrameSink) (sub venues.Subscription, err error) {
	if topic.Venue != c.deps.Venue {
		return nil, venues.Errorf(venues.CodeNotFound, "%s is not a topic of %s", topic, c.deps.Venue)
	}
	err = c.withBook(ctx, topic.Symbol, func(b Book, symbol string) error {
		topic.Symbol = symbol
		sub, err = b.Subscribe(ctx, topic, sink)
		return err
	})
	return sub, err
}

// WatchPrice calls hit each time when the condition on a symbol's price comes to
// hold; hit must not block. Errors are those of Subscribe.
func (c *Client) WatchPrice(ctx context.Context, symbol string, condition venues.PriceCondition, hit func(venues.PriceHit)) (w venues.PriceWatch, err error) {
	err = c.withBook(ctx, symbol, func(b Book, _ string) error {
		w, err = b.WatchPrice(ctx, condition, hit)
		return err
	})
	return w, err
}

// booksTriedMax bounds how many books that end under one's hands are followed by
// another.
const booksTriedMax = 3

// withBook calls use with the symbol's book, which is made if there is none. A
// book may end between the two; then another one is made.
func (c *Client) withBook(ctx context.Context, symbol string, use func(b Book, symbol string) error) error {
	i, err := c.served(symbol)
	if err != nil {
		return err
	}
	b := (*c.books.Load())[i.Symbol]
	for range booksTriedMax {
		if b == nil {
			if b, err = c.open(ctx, i.Symbol, nil); err != nil {
				return c.refusal(i.Symbol, err)
			}
		}
		if err = use(b, i.Symbol); !errors.Is(err, actors.ErrStopped) {
			return c.refusal(i.Symbol, err)
		}
		if b, err = c.open(ctx, i.Symbol, b); err != nil {
			return c.refusal(i.Symbol, err)
		}
	}
	return c.refusal(i.Symbol, actors.ErrStopped)
}

func (c *Client) open(ctx context.Context, symbol string, not Book) (Book, error) {
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[Book]) any {
		return &openBook{Reply: reply, symbol: symbol, not: not}
	})
}

// served finds an instrument that has market data.
func (c *Client) served(symbol string) (*venues.Instrument, error) {
	set := c.Instruments()
	if set == nil {
		return nil, c.unavailable("the instruments of %s are not known yet", c.deps.Venue)
	}
	i, known := set.Find(symbol)
	if !known {
		return nil, venues.Errorf(venues.CodeNotFound, "%s does not list %s", c.deps.Venue, symbol).
			With("exchange", string(c.deps.Venue)).With("symbol", symbol)
	}
	if i.Status == venues.InstrumentClosed || i.Status == venues.InstrumentSettling {
		return nil, venues.Errorf(venues.CodeSymbolNotTradable, "%s is %s on %s", i.Symbol, i.Status, c.deps.Venue).
			With("symbol", i.Symbol).With("status", string(i.Status))
	}
	return i, nil
}

func (c *Client) unavailable(format string, args ...any) *venues.Error {
	return venues.Errorf(venues.CodeExchangeUnavailable, format, args...).With("exchange", string(c.deps.Venue))
}

// retryAfter is what a client that came at a bad moment is told to wait.
const retryAfter = time.Second

// refusal makes what a client may see of an error.
func (c *Client) refusal(symbol string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*venues.Error](err); ok {
		return err
	}
	e := venues.Errorf(venues.CodeMaintenance, "market data of %s on %s is not served at the moment", symbol, c.deps.Venue).Because(err)
	if errors.Is(err, actors.ErrBusy) {
		e.Code = venues.CodeRateLimited
	}
	e.RetryAfter = retryAfter
	return e
}
