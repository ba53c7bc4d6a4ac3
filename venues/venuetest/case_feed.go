package venuetest

import (
	"slices"

	"venuegate/venues"
)

var lively = Conditions{Lively: true}

var feedCases = []conformanceCase{
	{number: 200, name: "a book begins with a snapshot and every change follows the one before", needs: StreamSnapshots, under: lively, run: bookWithSnapshots},
	{number: 201, name: "a REST snapshot joins the running stream without a gap", needs: RESTSnapshots, under: lively, run: bookJoins},
	{number: 202, name: "a book followed through a stormy market is the venue's book", run: bookIsTheVenues},
	{number: 203, name: "trades, candles and mark prices arrive in the service's units", run: otherStreams},
	{number: 204, name: "an unsubscribed book falls silent, the others go on", under: lively, run: unsubscribed},
	{number: 205, name: "after Close the sink is silent", under: lively, run: feedClose},
	{number: 206, name: "books of two instruments on one feed are told apart", under: lively, run: twoBooks},
	{number: 207, name: "an instrument that is not listed disturbs nobody", under: lively, run: feedOfNothing},
	{number: 208, name: "a book subscribed again begins anew", under: lively, run: subscribedAgain},
}

// begins gives the sink's book a beginning where the venue's stream has none.
func (s *stage) begins(b *books) {
	s.t.Helper()
	if s.connector.Capabilities().StreamSnapshots {
		s.hears(b, "a snapshot", func(b *books) bool { return b.of(symbol).whole })
		return
	}
	snapshot, err := s.connector.Snapshot(s.t.Context(), symbol)
	if err != nil {
		s.t.Fatal(err)
	}
	defer snapshot.Release()
	b.note(func() { b.of(symbol).join(snapshot) })
}

// continuous fails the case if a book had a gap or an interruption.
func (s *stage) continuous(b *books) {
	s.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.of(symbol); k.gaps != 0 || len(b.causes) != 0 {
		s.t.Errorf("%s", b.story())
	}
}

func bookWithSnapshots(s *stage) {
	b, _ := s.feed(bookOf(symbol))
	s.more(b, symbol)
	s.more(b, symbol)
	s.continuous(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.of(symbol); k.snapshots != 1 || !k.whole || len(k.bids) < 100 || len(k.asks) < 100 {
		s.t.Errorf("%s; %d bids, %d asks", b.story(), len(k.bids), len(k.asks))
	}
}

func bookJoins(s *stage) {
	b, _ := s.feed(bookOf(symbol))
	s.more(b, symbol)
	snapshot, err := s.connector.Snapshot(s.t.Context(), symbol)
	if err != nil {
		s.t.Fatal(err)
	}
	defer snapshot.Release()
	s.hears(b, "an update past the snapshot", func(b *books) bool { return b.of(symbol).last > snapshot.LastSeq })
	s.continuous(b)
}

func bookIsTheVenues(s *stage) {
	b, _ := s.feed(bookOf(symbol))
	s.move("65001") // streams without snapshots begin with the first change
	s.hears(b, "the first update", func(b *books) bool { return b.of(symbol).updates > 0 })
	s.begins(b)
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
	s.hears(b, "the venue's book", func(b *books) bool {
		k := b.of(symbol)
		return slices.Equal(top(k.bids, falling, most), venue.Bids[:most]) && slices.Equal(top(k.asks, rising, most), venue.Asks[:most])
	})
	s.continuous(b)
}

func otherStreams(s *stage) {
	b, _ := s.feed(
		venues.FeedTopic{Kind: venues.FeedTrades, Symbol: symbol},
		venues.FeedTopic{Kind: venues.FeedCandles, Symbol: symbol, Timeframe: "1m"},
		venues.FeedTopic{Kind: venues.FeedMark, Symbol: symbol},
	)
	s.emptyBook("0.04")
	s.trade(venues.Buy, "0.03")
	s.mark("65123.4")
	s.hears(b, "trade, candle and mark", func(b *books) bool {
		n := len(b.marks)
		return len(b.trades) > 0 && len(b.candles) > 0 && n > 0 && b.marks[n-1].Price.Equal(d("65123.4"))
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	trade, candle := b.trades[0], b.candles[len(b.candles)-1]
	if trade.Symbol != symbol || trade.Side != venues.Buy || !trade.Qty.Equal(d("0.03")) || !trade.Price.Equal(d("65100")) || trade.ID == "" || trade.VenueTime.IsZero() {
		s.t.Errorf("%+v", trade)
	}
	if candle.Symbol != symbol || candle.Timeframe != "1m" || candle.Low.GreaterThan(candle.High) || candle.Start.IsZero() || candle.Closed && s.sim.Exchange().Clock().Now().Before(candle.End) {
		s.t.Errorf("%+v", candle)
	}
}

func unsubscribed(s *stage) {
	b, feed := s.feed(bookOf(symbol), bookOf("ETHUSDT"))
	s.more(b, symbol)
	s.more(b, "ETHUSDT")
	feed.Unsubscribe(bookOf("ETHUSDT"))
	s.more(b, symbol)
	b.mu.Lock()
	before := b.of("ETHUSDT").updates
	b.mu.Unlock()
	s.more(b, symbol)
	s.more(b, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if after := b.of("ETHUSDT").updates; after > before+1 {
		s.t.Errorf("%d updates after the subscription ended", after-before)
	}
}

func feedClose(s *stage) {
	b, feed := s.feed(bookOf(symbol))
	s.more(b, symbol)
	feed.Close()
	b.mu.Lock()
	before := b.story()
	b.mu.Unlock()
	other, _ := s.feed(bookOf(symbol))
	s.more(other, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if after := b.story(); after != before {
		s.t.Errorf("%s became %s", before, after)
	}
}

func twoBooks(s *stage) {
	b, _ := s.feed(bookOf(symbol), bookOf("DOGEUSDT"))
	s.more(b, symbol)
	s.more(b, "DOGEUSDT")
	s.continuous(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.books) != 2 {
		s.t.Errorf("%s", b.story())
	}
}

func feedOfNothing(s *stage) {
	b, feed := s.feed(bookOf(symbol))
	feed.Subscribe(bookOf("NOPEUSDT"))
	s.more(b, symbol)
	s.more(b, symbol)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.interrupted[bookOf(symbol)] != 0 || b.of(symbol).gaps != 0 || b.of("NOPEUSDT").updates != 0 {
		s.t.Errorf("%s", b.story())
	}
}

func subscribedAgain(s *stage) {
	b, feed := s.feed(bookOf(symbol))
	s.more(b, symbol)
	feed.Unsubscribe(bookOf(symbol))
	b.note(func() { b.of(symbol).last = 0 })
	feed.Subscribe(bookOf(symbol))
	s.hears(b, "the second subscription", func(b *books) bool { return b.resumed[bookOf(symbol)] == 2 })
	s.more(b, symbol)
}
