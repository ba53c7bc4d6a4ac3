package venue

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// Deps are the dependencies of a venue.
type Deps struct {
	Venue     venues.Venue
	Connector Connector
	// Pool runs the requests for the instruments and the clock.
	Pool *actors.Pool
	// Connections are the children with the venue's public streams; they report to
	// Client.ReportFeed.
	Connections []actors.Child
	// NewBook returns the book of an instrument, which will be a child of the actor at
	// parent. It is called by the actor and must not block.
	NewBook func(parent actors.Ref, instrument venues.Instrument, resident bool) OwnedBook
	// Resident are the symbols whose books are kept without subscribers, so that their
	// quotes are always known.
	Resident []string
	// BooksMax bounds the number of books. 0 means BooksMaxDefault.
	BooksMax int
	// ReadKept is how long a book stays open after Book.Snapshot.
	ReadKept time.Duration
}

// BooksMaxDefault is the default limit of books: more than the instruments of any venue
// that are in use, and some tens of megabytes.
const BooksMaxDefault = 512

// Connector are the methods of a venues.Connector that a venue uses.
type Connector interface {
	venues.Clock
	venues.InstrumentLister
	// Trades and Tickers are those of venues.MarketData.
	Trades(ctx context.Context, symbol string, limit int) ([]venues.Trade, error)
	Tickers(ctx context.Context, symbol string) ([]venues.Ticker, error)
}

// Book is the client of one instrument's market data.
type Book interface {
	// Subscribe returns actors.ErrStopped when the book has ended.
	Subscribe(ctx context.Context, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error)
	Quote() (venues.Quote, bool)
	AwaitQuote(ctx context.Context) (venues.Quote, error)
	// Snapshot returns the book, which stays subscribed for Deps.ReadKept.
	Snapshot(ctx context.Context, depth int) (venues.Frame, error)
	// Trades returns the newest trades that the book has received, newest first.
	Trades(ctx context.Context, limit int) ([]venues.Trade, error)
	WatchPrice(ctx context.Context, condition venues.PriceCondition, hit func(venues.PriceHit)) (venues.PriceWatch, error)
	SetScale(venues.Scale)
}

// OwnedBook is a book and its specification as a child.
type OwnedBook struct {
	Book
	Child actors.Child
	// Ended is called when the book has ended and will not be started again.
	Ended func()
}

// Client is the client of a venue. It is safe for concurrent use; methods without a
// context do not block.
type Client struct {
	ref  actors.Ref
	deps Deps

	shared *shared // of the actor, shared by its incarnations

	instruments atomic.Pointer[venues.InstrumentSet]
	books       atomic.Pointer[map[string]Book] // by symbol; replaced, never changed
	stats       atomic.Pointer[Stats]
	refreshing  atomic.Bool
	reads       bookReads
	trades      sharedReads[[]venues.Trade]
	ticker      sharedReads[[]venues.Ticker] // of one instrument
	tickers     sharedReads[[]venues.Ticker] // of all
}

// Name returns the name of a venue's actor.
func Name(v venues.Venue) string { return "venue/" + string(v) }

// New returns the client of a venue that will run at ref; Child starts it.
func New(ref actors.Ref, deps Deps) *Client {
	if deps.BooksMax <= 0 {
		deps.BooksMax = BooksMaxDefault
	}
	c := &Client{ref: ref, deps: deps, shared: newShared(time.Now()), reads: newBookReads(deps.ReadKept)}
	c.trades.keptFor, c.ticker.keptFor, c.tickers.keptFor = tradesKept, tickerKept, tickersKept
	c.books.Store(&map[string]Book{})
	c.stats.Store(&Stats{Health: c.shared.state.health})
	return c
}

// stopTimeout bounds the stop of a venue with its connections and books.
const stopTimeout = 15 * time.Second

// Child returns the specification of the actor.
func (c *Client) Child() actors.Child {
	return actors.Child{
		Name:        Name(c.deps.Venue),
		Producer:    func() actors.Behaviour { return &venue{client: c} },
		StopTimeout: stopTimeout,
	}
}

// Instruments returns the newest list, nil until it was read once.
func (c *Client) Instruments() *venues.InstrumentSet { return c.instruments.Load() }

// Instrument looks up an instrument by any of its spellings.
func (c *Client) Instrument(symbol string) (venues.Instrument, bool) {
	i, known := c.Instruments().Find(symbol)
	if !known {
		return venues.Instrument{}, false
	}
	return *i, true
}

// Refresh reads the instruments again soon. It is called when an order was rejected for a
// price or a quantity that should have been valid.
func (c *Client) Refresh() {
	if c.refreshing.CompareAndSwap(false, true) {
		c.ref.Tell(&refreshInstruments{})
	}
}

// Ready returns nil when orders can be checked, signed and sent, that is, when the
// instruments are known, the clocks were compared and the venue is not down. Otherwise it
// returns what is missing.
func (c *Client) Ready() error {
	switch s := c.Stats(); {
	case s.InstrumentsAt.IsZero():
		return c.unavailable("the instruments of %s are not known yet", c.deps.Venue)
	case s.ClockAt.IsZero():
		return c.unavailable("the clock of %s was not compared yet", c.deps.Venue)
	case s.Status == StatusDown:
		return c.unavailable("%s is down: %s", c.deps.Venue, s.Reason)
	}
	return nil
}

// Health returns the health of the venue.
func (c *Client) Health() Health { return c.stats.Load().Health }

// Stats returns the state of the venue.
func (c *Client) Stats() Stats {
	s := *c.stats.Load()
	s.Books = len(*c.books.Load())
	return s
}

// ReportFeed reports the state of the venue's public connections.
func (c *Client) ReportFeed(f Feed) { c.ref.Tell(&feedReport{feed: f}) }

// ReportPrivate reports the state of the accounts' private connections. It must not be
// called concurrently.
func (c *Client) ReportPrivate(s Streams) { c.ref.Tell(&privateReport{private: s}) }

// Quote returns the newest prices of a symbol, or false if none are known. The first call
// for a symbol subscribes it, so that later calls return prices.
func (c *Client) Quote(symbol string) (venues.Quote, bool) {
	i, known := c.Instruments().Find(symbol)
	if !known || i.Status == venues.InstrumentClosed {
		return venues.Quote{}, false
	}
	book := (*c.books.Load())[i.Symbol]
	if book == nil {
		c.ref.Tell(&openBook{symbol: i.Symbol, Reply: actors.ReplyFunc(func(b Book, err error) {
			if err == nil {
				b.Quote() // subscribes to the prices
			}
		})})
		return venues.Quote{Symbol: i.Symbol, Stale: true}, false
	}
	return book.Quote()
}

// Mark returns the newest mark price of a symbol, if one is known; see Quote.
func (c *Client) Mark(symbol string) venues.Optional {
	q, _ := c.Quote(symbol)
	return q.Mark
}

// LiveMark is Mark, but returns none while messages of the market may have been lost.
func (c *Client) LiveMark(symbol string) venues.Optional { return c.liveQuote(symbol).Mark }

// LiveLast returns the price of the newest public trade like LiveMark.
func (c *Client) LiveLast(symbol string) venues.Optional { return c.liveQuote(symbol).Last }

func (c *Client) liveQuote(symbol string) venues.Quote {
	q, known := c.Quote(symbol)
	if !known || q.Stale {
		return venues.Quote{}
	}
	return q
}

// AwaitQuote is Quote, but waits for a price until ctx ends.
func (c *Client) AwaitQuote(ctx context.Context, symbol string) (q venues.Quote, err error) {
	err = c.withBook(ctx, symbol, func(b Book, _ string) error {
		q, err = b.AwaitQuote(ctx)
		return err
	})
	return q, err
}

// Subscribe subscribes sink to a topic of the venue. Frames name the topic by the canonical
// symbol. Errors are a *venues.Error: not_found for a symbol that is not listed;
// symbol_not_tradable for one whose market is closed; rate_limited when the limit of books
// is reached; exchange_unavailable before the instruments are known; maintenance while the
// service stops.
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

// WatchPrice calls hit each time when the condition on a symbol's price begins to hold; hit
// must not block. Errors are those of Subscribe.
func (c *Client) WatchPrice(ctx context.Context, symbol string, condition venues.PriceCondition, hit func(venues.PriceHit)) (w venues.PriceWatch, err error) {
	err = c.withBook(ctx, symbol, func(b Book, _ string) error {
		w, err = b.WatchPrice(ctx, condition, hit)
		return err
	})
	return w, err
}

// bookAttemptsMax bounds the attempts to use a book that ends at the same time.
const bookAttemptsMax = 3

// withBook calls use with the symbol's book, which is created if there is none. If the book
// ends meanwhile another one is created.
func (c *Client) withBook(ctx context.Context, symbol string, use func(b Book, symbol string) error) error {
	i, err := c.served(symbol)
	if err != nil {
		return err
	}
	b := (*c.books.Load())[i.Symbol]
	for range bookAttemptsMax {
		if b == nil {
			if b, err = c.open(ctx, i.Symbol, nil); err != nil {
				return c.clientError(i.Symbol, err)
			}
		}
		if err = use(b, i.Symbol); !errors.Is(err, actors.ErrStopped) {
			return c.clientError(i.Symbol, err)
		}
		if b, err = c.open(ctx, i.Symbol, b); err != nil {
			return c.clientError(i.Symbol, err)
		}
	}
	return c.clientError(i.Symbol, actors.ErrStopped)
}

func (c *Client) open(ctx context.Context, symbol string, not Book) (Book, error) {
	return actors.Ask(ctx, c.ref, func(reply actors.Reply[Book]) any {
		return &openBook{Reply: reply, symbol: symbol, not: not}
	})
}

// served returns an instrument that has market data.
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

// retryAfter is the Retry-After that a client receives after a temporary error.
const retryAfter = time.Second

// clientError converts an error into one that a client may see.
func (c *Client) clientError(symbol string, err error) error {
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
