package venuetest

import (
	"slices"

	"venuegate/venues"
)

var lively = Conditions{Lively: true}

var feedCases = []conformanceCase{
	{number: 200, name: "a book begins with a snapshot and every change follows the one before", needs: StreamSnapshots, under: lively, run: bookWithSnapshots},
	{number: 201, name: "a REST snapshot joins the running stream without a gap", needs: RESTSnapshots, under: lively, run: bookJoins},
	{number: 202, name: "a book in a volatile market equals the venue's book", run: bookIsTheVenues},
	{number: 203, name: "trades, candles and mark prices have the service's units", run: otherStreams},
	{number: 204, name: "a book without a subscription receives no updates, the others continue", under: lively, run: unsubscribed},
	{number: 205, name: "after Close the sink receives nothing", under: lively, run: feedClose},
	{number: 206, name: "books of two instruments on one feed are separate", under: lively, run: twoBooks},
	{number: 207, name: "an unlisted instrument does not disturb other topics", under: lively, run: feedOfNothing},
	{number: 208, name: "a book that is subscribed again starts with a new snapshot", under: lively, run: subscribedAgain},
	{number: 219, name: "public trades by REST are those of the stream", run: tradesByREST},
	{number: 220, name: "reads of market data leave the rate limits to orders", under: Conditions{OrdersMax: 100}, run: tradesLeaveLimits},
	{number: 221, name: "tickers have the newest prices, alone and in the list of all", run: tickersByREST},
	{number: 222, name: "reads of all tickers leave the rate limits to orders", under: Conditions{OrdersMax: 100}, run: tickersLeaveLimits},
}

// loadSnapshot starts the book of the sink with a REST snapshot where the venue's stream
// has none.
func (s *env) loadSnapshot(b *books) {
	s.t.Helper()
	if s.connector.Capabilities().StreamSnapshots {
		s.awaitBooks(b, "a snapshot", func(b *books) bool { return b.of(symbol).complete })
		return
	}
	snapshot, err := s.connector.Snapshot(s.t.Context(), symbol)
	if err != nil {
		s.t.Fatal(err)
	}
	defer snapshot.Release()
	b.record(func() { b.of(symbol).joinSnapshot(snapshot) })
}

// checkContinuous fails the case if a book had a gap or an interruption.
func (s *env) checkContinuous(b *books) {
	s.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.of(symbol); k.gaps != 0 || len(b.causes) != 0 {
		s.t.Errorf("%s, want no gap and no interruption", b.summary())
	}
}

func bookWithSnapshots(s *env) {
	b, _ := s.feed(bookOf(symbol))
	s.awaitMore(b, symbol)
	s.awaitMore(b, symbol)
	s.checkContinuous(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.of(symbol); k.snapshots != 1 || !k.complete || len(k.bids) < 100 || len(k.asks) < 100 {
		s.t.Errorf("%s; %d bids, %d asks, want one snapshot and at least 100 levels a side", b.summary(), len(k.bids), len(k.asks))
	}
}

func bookJoins(s *env) {
	b, _ := s.feed(bookOf(symbol))
	s.awaitMore(b, symbol)
	snapshot, err := s.connector.Snapshot(s.t.Context(), symbol)
	if err != nil {
		s.t.Fatal(err)
	}
	defer snapshot.Release()
	s.awaitBooks(b, "an update past the snapshot", func(b *books) bool { return b.of(symbol).last > snapshot.LastSeq })
	s.checkContinuous(b)
}

func bookIsTheVenues(s *env) {
	b, _ := s.feed(bookOf(symbol))
	s.move("65001") // streams without snapshots begin with the first change
	s.awaitBooks(b, "the first update", func(b *books) bool { return b.of(symbol).updates > 0 })
	s.loadSnapshot(b)
	for _, price := range []string{"65200", "64100", "64990.5", "66000", "65010"} {
		s.move(price)
		s.trade(venues.Buy, "0.05")
		s.trade(venues.Sell, "0.05")
	}
	s.resting(limit(venues.Buy, "0.123", "65009.7"))
	const most = 20
	venue, err := s.connector.Snapshot(s.t.Context(), symbol)
	if err != nil {
		s.t.Fatal(err)
	}
	defer venue.Release()
	s.awaitBooks(b, "the venue's book", func(b *books) bool {
		k := b.of(symbol)
		return slices.Equal(top(k.bids, falling, most), venue.Bids[:most]) && slices.Equal(top(k.asks, rising, most), venue.Asks[:most])
	})
	s.checkContinuous(b)
}

func otherStreams(s *env) {
	b, _ := s.feed(
		venues.FeedTopic{Kind: venues.FeedTrades, Symbol: symbol},
		venues.FeedTopic{Kind: venues.FeedCandles, Symbol: symbol, Timeframe: "1m"},
		venues.FeedTopic{Kind: venues.FeedMark, Symbol: symbol},
	)
	s.emptyBook("0.04")
	s.trade(venues.Buy, "0.03")
	s.mark("65123.4")
	s.awaitBooks(b, "trade, candle and mark", func(b *books) bool {
		n := len(b.marks)
		return len(b.trades) > 0 && len(b.candles) > 0 && n > 0 && b.marks[n-1].Price.Equal(d("65123.4"))
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	trade, candle := b.trades[0], b.candles[len(b.candles)-1]
	if trade.Symbol != symbol || trade.Side != venues.Buy || !trade.Qty.Equal(d("0.03")) || !trade.Price.Equal(d("65100")) || trade.ID == "" || trade.VenueTime.IsZero() {
		s.t.Errorf("trade = %+v, want 0.03 bought at 65100", trade)
	}
	if candle.Symbol != symbol || candle.Timeframe != "1m" || candle.Low.GreaterThan(candle.High) || candle.Start.IsZero() || candle.Closed && s.sim.Exchange().Clock().Now().Before(candle.End) {
		s.t.Errorf("candle = %+v, want an open one of %s", candle, symbol)
	}
}

func unsubscribed(s *env) {
	b, feed := s.feed(bookOf(symbol), bookOf("ETHUSDT"))
	s.awaitMore(b, symbol)
	s.awaitMore(b, "ETHUSDT")
	feed.Unsubscribe(bookOf("ETHUSDT"))
	s.awaitMore(b, symbol)
	b.mu.Lock()
	before := b.of("ETHUSDT").updates
	b.mu.Unlock()
	s.awaitMore(b, symbol)
	s.awaitMore(b, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if after := b.of("ETHUSDT").updates; after > before+1 {
		s.t.Errorf("%d updates after the subscription ended, want at most 1", after-before)
	}
}

func feedClose(s *env) {
	b, feed := s.feed(bookOf(symbol))
	s.awaitMore(b, symbol)
	feed.Close()
	b.mu.Lock()
	before := b.summary()
	b.mu.Unlock()
	other, _ := s.feed(bookOf(symbol))
	s.awaitMore(other, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if after := b.summary(); after != before {
		s.t.Errorf("events after Close = %s, want %s", after, before)
	}
}

func twoBooks(s *env) {
	b, _ := s.feed(bookOf(symbol), bookOf("DOGEUSDT"))
	s.awaitMore(b, symbol)
	s.awaitMore(b, "DOGEUSDT")
	s.checkContinuous(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.books) != 2 {
		s.t.Errorf("%s, want two books", b.summary())
	}
}

func feedOfNothing(s *env) {
	b, feed := s.feed(bookOf(symbol))
	feed.Subscribe(bookOf("NOPEUSDT"))
	s.awaitMore(b, symbol)
	s.awaitMore(b, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.interrupted[bookOf(symbol)] != 0 || b.of(symbol).gaps != 0 || b.of("NOPEUSDT").updates != 0 {
		s.t.Errorf("%s, want an uninterrupted book of %s alone", b.summary(), symbol)
	}
}

func subscribedAgain(s *env) {
	b, feed := s.feed(bookOf(symbol))
	s.awaitMore(b, symbol)
	feed.Unsubscribe(bookOf(symbol))
	b.record(func() { b.of(symbol).last = 0 })
	feed.Subscribe(bookOf(symbol))
	s.awaitBooks(b, "the second subscription", func(b *books) bool { return b.resumed[bookOf(symbol)] == 2 })
	s.awaitMore(b, symbol)
}
