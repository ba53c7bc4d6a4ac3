package root

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"venuegate/actors"
	"venuegate/actors/book"
	"venuegate/actors/candles"
	"venuegate/actors/market"
	"venuegate/actors/venue"
	"venuegate/venues"
)

// Bounds of the pool that runs a venue's public requests: instruments, clock, snapshots,
// candles.
const (
	publicCallsMax     = 8
	publicCallsWaiting = 2048
)

// MarketOptions configure an exchange's market data. The zero value of each field other
// than Encoder is its default.
type MarketOptions struct {
	// Encoder encodes the frames of the public topics.
	Encoder book.Encoder
	// Resident are symbols whose quotes are always known. The books of other symbols are
	// created on demand and end when they have no users.
	Resident []string
	// CheckEvery is the interval at which a book is compared with the venue's REST
	// snapshot; below 0 it is not compared.
	CheckEvery time.Duration
}

// Exchange is the public side of one venue: its actor, its connection, its books. It is a
// Market.
type Exchange struct {
	*venue.Client
	connection *market.Client
	candles    *candles.Cache
	options    MarketOptions
	connector  venues.Connector
	pool       *actors.Pool

	mu      sync.Mutex
	books   map[string]*book.Client // by symbol
	retired book.Counts             // of the books that have ended
}

var _ Market = (*Exchange)(nil)

// MarketData returns the subtree of a venue: the venue, one market connection, and books
// on demand. The caller starts the Child.
func MarketData(system *actors.System, connector venues.Connector, o MarketOptions) (*Exchange, actors.Child) {
	exchange := connector.Venue()
	self := system.Ref(venue.Name(exchange))
	x := &Exchange{
		options: o, connector: connector, candles: candles.New(connector), books: make(map[string]*book.Client),
		pool: system.NewCallPool("public/"+string(exchange), publicCallsMax, publicCallsWaiting),
	}
	x.connection = market.New(self.Child(marketName), market.Deps{
		Name: marketName, Source: connector,
		Report: func(h market.Health) {
			x.ReportFeed(venue.Feed{Topics: h.Topics, Interrupted: h.Interrupted, Cause: h.Cause})
		},
	})
	x.Client = venue.New(self, venue.Deps{
		Venue: exchange, Connector: connector, Pool: x.pool,
		Connections: []actors.Child{x.connection.Child()}, NewBook: x.newBook,
		Resident: o.Resident, ReadKept: book.WatchFor,
	})
	return x, x.Client.Child()
}

// marketName is the name of the only market actor: connectors spread topics over as many
// sockets as the venue needs.
const marketName = "market/1"

// newBook returns a book that is attached to the connection.
func (x *Exchange) newBook(parent actors.Ref, i venues.Instrument, resident bool) venue.OwnedBook {
	c := book.New(parent.Child(book.Name(i.Symbol)), book.Deps{
		Instrument: i, StreamSnapshots: x.connector.Capabilities().StreamSnapshots, Resident: resident,
		Feed: x.connection, Reader: x.connector, Encoder: x.options.Encoder,
		Pool: x.pool, CheckEvery: x.options.CheckEvery,
	})
	x.connection.Attach(i.Symbol, c)
	x.mu.Lock()
	x.books[i.Symbol] = c
	x.mu.Unlock()
	return venue.OwnedBook{Book: c, Child: c.Child(), Ended: func() { x.dropBook(i.Symbol, c) }}
}

// dropBook removes a book that has ended; its counters are kept.
func (x *Exchange) dropBook(symbol string, c *book.Client) {
	x.connection.Detach(symbol, c)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.books[symbol] == c {
		delete(x.books, symbol)
		x.retired = x.retired.Plus(c.Stats().Counts)
	}
}

// Books returns the state of each book, by symbol.
func (x *Exchange) Books() []book.Stats {
	_, clients := x.counted()
	stats := make([]book.Stats, 0, len(clients))
	for _, c := range clients {
		stats = append(stats, c.Stats())
	}
	slices.SortFunc(stats, func(a, b book.Stats) int { return cmp.Compare(a.Symbol, b.Symbol) })
	return stats
}

// BookSummary returns the counters of all books, including those that have ended, and the
// state of those that run.
func (x *Exchange) BookSummary() book.Summary {
	retired, clients := x.counted()
	sum := book.Summary{Counts: retired}
	for _, c := range clients {
		sum.Add(c.Stats())
	}
	return sum
}

// counted returns the counters of the ended books and the running books at one instant: a
// book is in one of them, so that no sum ever decreases.
func (x *Exchange) counted() (book.Counts, []*book.Client) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.retired, slices.Collect(maps.Values(x.books))
}

// Connection returns the state of the public connection.
func (x *Exchange) Connection() market.Stats { return x.connection.Stats() }
