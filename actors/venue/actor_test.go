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
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

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

func TestInstrumentsAreReadRepeatedly(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		if err := w.client.Ready(); err != nil {
			t.Fatal(err)
		}
		if h := w.client.Health(); h.Status != venue.StatusUp {
			t.Errorf("health %+v, want Status StatusUp", h)
		}
		if i, known := w.client.Instrument("BTC-USDT-SWAP"); !known || i.Symbol != "BTCUSDT" {
			t.Errorf("instrument = %+v, want BTCUSDT", i)
		}
		before := w.client.Instruments()
		w.exchange.set(func() {
			w.exchange.instruments = append(w.exchange.instruments, instrument("NEWUSDT", venues.InstrumentTrading))
		})
		k.Advance(time.Hour)
		if _, known := w.client.Instruments().Find("NEWUSDT"); !known || len(before.All()) != 4 {
			t.Errorf("new instrument found %t, old set of %d instruments, want true and 4", known, len(before.All()))
		}
		if w.exchange.lists < 4 || w.exchange.lists > 6 || w.exchange.clocks < 1440 || w.exchange.clocks > 1801 {
			t.Errorf("read %d times, clock %d times in an hour, want 4 to 6 and 1440 to 1801", w.exchange.lists, w.exchange.clocks)
		}
	})
}

func TestFailedRequestsAreRepeated(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k, func(d *venue.Deps) {
			d.Connector.(*exchange).err = errors.New("no route")
		})
		if err := w.client.Ready(); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("ready: %v, want code CodeExchangeUnavailable", err)
		}
		_, err := w.subscribe("trades:binance:BTCUSDT")
		if venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("subscribe: %v, want code CodeExchangeUnavailable", err)
		}
		if _, known := w.client.Quote("BTCUSDT"); known || w.client.Instruments() != nil {
			t.Error("quote without instruments is known, want it unknown")
		}
		k.Advance(5 * time.Minute)
		if h := w.client.Health(); h.Status != venue.StatusDown || h.LastError != "no route" || h.Reason == "" {
			t.Errorf("health %+v, want Status StatusDown, LastError no route, a Reason", h)
		}
		if w.exchange.lists < 10 || w.exchange.lists > 16 {
			t.Errorf("tried %d times in 5 minutes, want 10 to 16", w.exchange.lists)
		}
		w.exchange.set(func() { w.exchange.err = nil })
		k.Advance(time.Minute)
		if err := w.client.Ready(); err != nil || w.client.Health().Status != venue.StatusUp {
			t.Errorf("ready: error %v, health %+v, want none and up", err, w.client.Health())
		}
	})
}

func TestVenueIsDownAndUpWithinFiveSeconds(t *testing.T) {
	const within = 5 * time.Second
	for name, set := range map[string]func(w *world, lost bool){
		"requests are refused": func(w *world, lost bool) {
			w.exchange.set(func() {
				if w.exchange.err = nil; lost {
					w.exchange.err = errors.New("connection refused")
				}
			})
		},
		"streams are lost": func(w *world, lost bool) {
			if lost {
				w.client.ReportPrivate(venue.Streams{Wanted: 2})
				w.client.ReportFeed(venue.Feed{Topics: 3, Interrupted: 3, Cause: errors.New("reset")})
				return
			}
			w.client.ReportPrivate(venue.Streams{Wanted: 2, Connected: 2})
			w.client.ReportFeed(venue.Feed{Topics: 3})
		},
	} {
		t.Run(name, func(t *testing.T) {
			actortest.Run(t, func(k *actortest.Kit) {
				w := start(k)
				set(w, false)
				k.Advance(time.Minute)
				if h := w.client.Health(); h.Status != venue.StatusUp || w.client.Ready() != nil {
					t.Fatalf("at first: health = %+v, ready: %v, want up", h, w.client.Ready())
				}
				set(w, true)
				k.Advance(within)
				if h := w.client.Health(); h.Status != venue.StatusDown || h.Reason == "" || w.client.Ready() == nil {
					t.Errorf("%s later: health = %+v, ready: %v, want down with a reason", within, h, w.client.Ready())
				}
				k.Advance(10 * time.Minute)
				set(w, false)
				k.Advance(within)
				if h := w.client.Health(); h.Status != venue.StatusUp || w.client.Ready() != nil {
					t.Errorf("%s after the end: health = %+v, ready: %v, want up", within, h, w.client.Ready())
				}
			})
		})
	}
}

// An outage is logged once, however often requests fail in it; so is one that lasts from
// the start.
func TestVenueDownIsLoggedOnce(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k, func(d *venue.Deps) { d.Connector.(*exchange).err = errors.New("no route") })
		check := func(what string, want int) {
			t.Helper()
			entries := logs.FilterMessage("venue down").All()
			if len(entries) != want {
				t.Fatalf("%s: logged %d times, want %d", what, len(entries), want)
			}
			fields := entries[want-1].ContextMap()
			if fields["exchange"] != "binance" || fields["error"] != "no route" || fields["reason"] == "" {
				t.Errorf("%s: fields = %v, want exchange, reason and error", what, fields)
			}
		}
		k.Advance(10 * time.Minute)
		check("down from the start", 1)
		w.exchange.set(func() { w.exchange.err = nil })
		k.Advance(time.Minute)
		w.exchange.set(func() { w.exchange.err = errors.New("no route") })
		k.Advance(10 * time.Minute)
		check("down again", 2)
		if n := logs.Len(); n > 6 {
			t.Errorf("%d warnings, want few: %v", n, logs.All())
		}
	}, actortest.LogTo(zap.New(core)))
}

func TestClockSkewDegradesTheVenue(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		w.exchange.set(func() { w.exchange.offset = 1500 * time.Millisecond })
		k.Advance(2 * time.Minute)
		if s := w.client.Stats(); s.ClockOffset != 1500*time.Millisecond || s.Status != venue.StatusDegraded {
			t.Errorf("stats %+v, want ClockOffset 1.5s, Status StatusDegraded", s)
		}
	})
}

func TestRefreshReadsTheInstrumentsOnce(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		_, err := w.subscribe("trades:binance:BTCUSDT")
		if err != nil {
			t.Fatal(err)
		}
		w.exchange.set(func() { w.exchange.instruments[0].TickSize = venues.MustDecimal("0.01") })
		for range 50 {
			w.client.Refresh()
		}
		k.Advance(20 * time.Second)
		w.client.Refresh()
		k.Advance(time.Second)
		if w.exchange.lists != 3 {
			t.Errorf("read %d times, want 3", w.exchange.lists)
		}
		if got := w.books[0].scales; len(got) != 1 || got[0].PriceDecimals != 2 {
			t.Errorf("scales of the book = %v, want one with PriceDecimals 2", got)
		}
	})
}

func TestBookIsCreatedOnceForAllSpellings(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		for _, topic := range []string{"book:binance:BTCUSDT:5", "book:binance:BTC-USDT-SWAP:5", "book:binance:BINANCE:BTCUSDT.P:5"} {
			got, err := w.subscribe(topic)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, topic, got, "book:binance:BTCUSDT:5")
		}
		expect(t, "books", w.made(), "BTCUSDT resident=false ended=false")
		if s := w.client.Stats(); s.Books != 1 || s.Instruments != 4 {
			t.Errorf("stats %+v, want Books 1, Instruments 4", s)
		}
	})
}

func TestSubscribeRejectsSymbolsWithoutAMarket(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k, func(d *venue.Deps) { d.BooksMax = 1 })
		for topic, want := range map[string]venues.Code{
			"trades:binance:NOPEUSDT": venues.CodeNotFound,
			"trades:bybit:BTCUSDT":    venues.CodeNotFound,
			"trades:binance:OLDUSDT":  venues.CodeSymbolNotTradable,
		} {
			if _, err := w.subscribe(topic); venues.CodeOf(err) != want {
				t.Errorf("%s: %v, want code %v", topic, err, want)
			}
		}
		if _, err := w.subscribe("trades:binance:PAUSEUSDT"); err != nil {
			t.Errorf("subscribe to a halted market: error %v, want none", err)
		}
		_, err := w.subscribe("trades:binance:BTCUSDT")
		if e, ok := errors.AsType[*venues.Error](err); !ok || e.Code != venues.CodeRateLimited || e.RetryAfter == 0 {
			t.Errorf("beyond the limit: %v, want Code CodeRateLimited, RetryAfter not 0", err)
		}
	})
}

func TestQuoteOpensTheBook(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		if _, known := w.client.Quote("ETHUSDT"); known {
			t.Error("quote before the first request is known, want it unknown")
		}
		k.Settle()
		if mark := w.client.Mark("ETH/USDT:USDT"); !mark.Valid || w.books[0].quotes != 2 {
			t.Errorf("mark %v after %d reads, want a mark after 2 reads", mark, w.books[0].quotes)
		}
		if q, err := w.client.AwaitQuote(k.T.Context(), "ETHUSDT"); err != nil || !q.HasPrice() {
			t.Errorf("quote = %+v, error %v, want a price", q, err)
		}
	})
}

func TestEndedBookIsReplaced(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		if _, err := w.subscribe("trades:binance:BTCUSDT"); err != nil {
			t.Fatal(err)
		}
		// It ends while subscriptions are under way to it.
		w.books[0].ref.Tell(&endFake{})
		if _, err := w.subscribe("trades:binance:BTCUSDT"); err != nil {
			t.Fatal(err)
		}
		k.Settle()
		expect(t, "books", w.made(), "BTCUSDT resident=false ended=true; BTCUSDT resident=false ended=false")
	})
}

func TestResidentBooksAreOpened(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k, func(d *venue.Deps) { d.Resident = []string{"ETH-USDT-SWAP", "LATERUSDT"} })
		expect(t, "books", w.made(), "ETHUSDT resident=true ended=false")
		w.exchange.set(func() {
			w.exchange.instruments = append(w.exchange.instruments, instrument("LATERUSDT", venues.InstrumentTrading))
		})
		k.Advance(20 * time.Minute)
		expect(t, "books", w.made(), "ETHUSDT resident=true ended=false; LATERUSDT resident=true ended=false")
	})
}

func TestFailingBookIsStartedAgain(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		if _, err := w.subscribe("trades:binance:BTCUSDT"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			w.books[0].ref.Tell(&failFake{})
			k.Advance(time.Second)
		}
		_, err := w.subscribe("trades:binance:BTCUSDT")
		if e, ok := errors.AsType[*venues.Error](err); !ok || e.Code != venues.CodeMaintenance || e.RetryAfter == 0 {
			t.Errorf("while it is down: %v, want Code CodeMaintenance, RetryAfter not 0", err)
		}
		k.Advance(bookRestartWait)
		if _, err := w.subscribe("trades:binance:BTCUSDT"); err != nil {
			t.Errorf("subscribe after bookRestartWait: error %v, want none", err)
		}
		expect(t, "books", w.made(), "BTCUSDT resident=false ended=false")
	}, actortest.ExpectFailures())
}

const bookRestartWait = 31 * time.Second

func TestInterruptedFeedDegradesTheVenue(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		w.client.ReportFeed(venue.Feed{Topics: 2, Interrupted: 1, Cause: errors.New("reset")})
		k.Settle()
		if s := w.client.Stats(); s.Status != venue.StatusDegraded || s.LastError != "reset" || s.Feed.Interrupted != 1 {
			t.Errorf("stats %+v, want Status StatusDegraded, LastError reset, Interrupted 1", s)
		}
	})
}

func TestLostConnectionRestartsTheVenueWithItsBooks(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		connection := actors.Child{Name: "market/1", RestartsMax: 1, Producer: func() actors.Behaviour { return &bookActor{} }}
		w := start(k, func(d *venue.Deps) { d.Connections = []actors.Child{connection} })
		if _, err := w.subscribe("trades:binance:BTCUSDT"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			k.System.Ref("venue/binance/market/1").Tell(&failFake{})
			k.Advance(time.Second)
		}
		if _, err := w.subscribe("trades:binance:BTCUSDT"); err != nil {
			t.Error(err)
		}
		expect(t, "books", w.made(), "BTCUSDT resident=false ended=false")
		if err := w.client.Ready(); err != nil || w.exchange.lists != 2 {
			t.Errorf("%v after %d reads, want 2 reads", err, w.exchange.lists)
		}
	}, actortest.ExpectFailures())
}
