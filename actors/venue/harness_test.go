package venue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/venue"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// exchange is a connector whose answers the test decides.
type exchange struct {
	mu          sync.Mutex
	instruments []venues.Instrument
	offset      time.Duration
	err         error
	lists       int
	clocks      int
	trades      int
	tickers     int
}

func (e *exchange) Instruments(context.Context) ([]venues.Instrument, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lists++
	return slices.Clone(e.instruments), e.err
}

func (e *exchange) SyncClock(context.Context) (time.Duration, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clocks++
	return e.offset, e.err
}

func (e *exchange) Trades(_ context.Context, symbol string, limit int) ([]venues.Trade, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.trades++
	return make([]venues.Trade, min(limit, 3)), e.err
}

func (e *exchange) Tickers(_ context.Context, symbol string) ([]venues.Ticker, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tickers++
	if symbol != "" {
		return []venues.Ticker{{Symbol: symbol}}, e.err
	}
	return []venues.Ticker{{Symbol: "ETHUSDT"}, {Symbol: "BTCUSDT"}}, e.err
}

func (e *exchange) set(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
}

func instrument(symbol string, status venues.InstrumentStatus) venues.Instrument {
	return venues.Instrument{
		Symbol: symbol, VenueSymbol: symbol, Exchange: venues.Binance, Status: status,
		TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"), MaxLeverage: venues.Some(venues.MustDecimal("125")),
	}
}

// fakeBook is a book that ends when the test says so.
type fakeBook struct {
	symbol   string
	resident bool
	ref      actors.Ref
	mu       sync.Mutex
	scales   []venues.Scale
	quotes   int
	trades   []venues.Trade
	ended    bool
}

func (b *fakeBook) Subscribe(ctx context.Context, topic venues.Topic, _ venues.FrameSink) (venues.Subscription, error) {
	return actors.Ask(ctx, b.ref, func(r actors.Reply[venues.Subscription]) any { return &subscribeFake{r, topic} })
}

func (b *fakeBook) Quote() (venues.Quote, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.quotes++
	return venues.Quote{Symbol: b.symbol, Mark: venues.Some(venues.MustDecimal("7"))}, true
}

func (b *fakeBook) AwaitQuote(context.Context) (venues.Quote, error) {
	q, _ := b.Quote()
	return q, nil
}

func (b *fakeBook) WatchPrice(context.Context, venues.PriceCondition, func(venues.PriceHit)) (venues.PriceWatch, error) {
	return nil, nil
}

func (b *fakeBook) Snapshot(_ context.Context, depth int) (venues.Frame, error) {
	return venues.Frame{Topic: b.symbol, Seq: uint64(depth)}, nil
}

func (b *fakeBook) Trades(context.Context, int) ([]venues.Trade, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trades, nil
}

func (b *fakeBook) SetScale(s venues.Scale) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.scales = append(b.scales, s)
}

type (
	subscribeFake struct {
		actors.Reply[venues.Subscription]
		topic venues.Topic
	}
	endFake  struct{}
	failFake struct{}
	// seat is a subscription that records its book and topic.
	seat struct {
		venues.Subscription
		topic string
	}
)

// bookActor is the actor of a fakeBook. Like a real one, it accepts no subscriber once it
// has decided to end.
type bookActor struct {
	book   *fakeBook
	ending bool
}

func (a *bookActor) Receive(ctx *actors.Context, msg any) {
	switch m := msg.(type) {
	case *subscribeFake:
		if a.ending {
			m.Reject(actors.ErrStopped)
			return
		}
		m.Send(seat{topic: m.topic.String()})
	case *endFake:
		a.ending = true
		ctx.Stop()
	case *failFake:
		ctx.Fail(errors.New("broken"))
	default:
		ctx.Unhandled(msg)
	}
}

// world is a venue with fake books.
type world struct {
	k        *actortest.Kit
	exchange *exchange
	client   *venue.Client
	mu       sync.Mutex
	books    []*fakeBook
}

func start(k *actortest.Kit, change ...func(*venue.Deps)) *world {
	w := &world{k: k, exchange: &exchange{instruments: []venues.Instrument{
		instrument("BTCUSDT", venues.InstrumentTrading), instrument("ETHUSDT", venues.InstrumentTrading),
		instrument("OLDUSDT", venues.InstrumentSettling), instrument("PAUSEUSDT", venues.InstrumentHalted),
	}}}
	deps := venue.Deps{
		Venue: venues.Binance, Connector: w.exchange, Pool: k.System.NewPool("rest", 2, 8), NewBook: w.newBook,
	}
	for _, f := range change {
		f(&deps)
	}
	w.client = venue.New(k.System.Ref(venue.Name(venues.Binance)), deps)
	k.Start(w.client.Child())
	return w
}

func (w *world) newBook(parent actors.Ref, i venues.Instrument, resident bool) venue.OwnedBook {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := "book/" + i.Symbol
	b := &fakeBook{symbol: i.Symbol, resident: resident, ref: parent.Child(name)}
	w.books = append(w.books, b)
	return venue.OwnedBook{
		Book: b,
		Child: actors.Child{
			Name: name, Restart: actors.Transient, RestartsMax: 2,
			Producer: func() actors.Behaviour { return &bookActor{book: b} },
		},
		Ended: func() { b.ended = true },
	}
}

func (w *world) made() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for _, b := range w.books {
		list = append(list, fmt.Sprintf("%s resident=%t ended=%t", b.symbol, b.resident, b.ended))
	}
	return strings.Join(list, "; ")
}

func (w *world) subscribe(topic string) (string, error) {
	parsed, ok := venues.ParseTopic(topic)
	if !ok {
		return "", fmt.Errorf("bad topic %s", topic)
	}
	sub, err := w.client.Subscribe(w.k.T.Context(), parsed, nil)
	if err != nil {
		return "", err
	}
	return sub.(seat).topic, nil
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
