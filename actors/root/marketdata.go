package root

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"venuegate/actors"
	"venuegate/actors/book"
	"venuegate/actors/market"
	"venuegate/actors/venue"
	"venuegate/venues"
)

// Bounds of the pool that carries a venue's public requests: catalogue, clock,
// snapshots, candles.
const (
	publicCallsMax     = 8
	publicCallsWaiting = 2048
)

// MarketOptions say how an exchange's market data is kept. The zero value of all
// but Encoder is the default.
type MarketOptions struct {
	// Encoder writes the frames of the public topics.
	Encoder book.Encoder
	// Resident are symbols whose quotes are always known; books of the others
	// are made when somebody asks and end when nobody does.
	Resident []string
	// CheckEvery is the time between two comparisons of a book with the venue's
	// REST snapshot; below 0 there are none.
	CheckEvery time.Duration
}

// Exchange is one venue's public side: its actor, its connection, its books. It
// is a Market.
type Exchange struct {
	*venue.Client
	connection *market.Client
	options    MarketOptions
	connector  venues.Connector
	pool       *actors.Pool

	mu      sync.Mutex
	books   map[string]*book.Client // by symbol
	retired book.Counts             // of the books that have ended
}

var _ Market = (*Exchange)(nil)

// MarketData makes the subtree of a venue: the venue, one market connection, and
// books on demand. Whoever calls it starts the Child.
func MarketData(system *actors.System, connector venues.Connector, o MarketOptions) (*Exchange, actors.Child) {
	exchange := connector.Venue()
	self := system.Ref(venue.Name(exchange))
	x := &Exchange{
		options: o, connector: connector, books: make(map[string]*book.Client),
		pool: system.NewCallPool("public/"+string(exchange), publicCallsMax, publicCallsWaiting),
	}
	x.connection = market.New(self.Child(marketName), market.Deps{
		Name: marketName, Source: connector,
		Report: func(h market.Health) {
			x.ReportFeed(venue.Feed{Channels: h.Channels, Interrupted: h.Interrupted, Cause: h.Cause})
		},
	})
	x.Client = venue.New(self, venue.Deps{
		Venue: exchange, Connector: connector, Pool: x.pool,
		Connections: []actors.Child{x.connection.Child()}, NewBook: x.newBook,
		Resident: o.Resident,
	})
	return x, x.Client.Child()
}

// marketName: connectors spread channels over as many sockets as the venue needs,
// so one market actor carries them all.
const marketName = "market/1"

// newBook joins a book with the connection that feeds it.
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

// dropBook forgets a book that has ended, but for what it counted.
func (x *Exchange) dropBook(symbol string, c *book.Client) {
	x.connection.Detach(symbol, c)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.books[symbol] == c {
		delete(x.books, symbol)
		x.retired = x.retired.Plus(c.Stats().Counts)
	}
}

// Books says how each book stands, by symbol.
func (x *Exchange) Books() []book.Stats {
	_, clients := x.kept()
	stats := make([]book.Stats, 0, len(clients))
	for _, c := range clients {
		stats = append(stats, c.Stats())
	}
	slices.SortFunc(stats, func(a, b book.Stats) int { return cmp.Compare(a.Symbol, b.Symbol) })
	return stats
}

// BookSummary is what all books have done, those that have ended included, and how
// those that live stand.
func (x *Exchange) BookSummary() book.Summary {
	retired, clients := x.kept()
	sum := book.Summary{Counts: retired}
	for _, c := range clients {
		sum.Add(c.Stats())
	}
	return sum
}

// kept is what ended books have counted and the books that live, of one instant: a
// book is in the one or the other, so that no sum ever falls.
func (x *Exchange) kept() (book.Counts, []*book.Client) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.retired, slices.Collect(maps.Values(x.books))
}

// Connection says how the public connection stands.
func (x *Exchange) Connection() market.Stats { return x.connection.Stats() }
