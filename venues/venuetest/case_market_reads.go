package venuetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"venuegate/venues"
)

func tradesByREST(s *env) {
	b, _ := s.feed(venues.FeedTopic{Kind: venues.FeedTrades, Symbol: symbol})
	for _, price := range []string{"65200", "64100", "65010"} {
		s.move(price)
		s.trade(venues.Buy, "0.05")
		s.trade(venues.Sell, "0.07")
	}
	s.awaitBooks(b, "the trades", func(b *books) bool { return len(b.trades) >= 6 })
	read, err := s.connector.Trades(s.t.Context(), symbol, 4)
	if err != nil || len(read) != 4 {
		s.t.Fatalf("%d trades, error %v, want 4", len(read), err)
	}
	s.awaitBooks(b, "the newest trade", func(b *books) bool {
		return slices.ContainsFunc(b.trades, func(t venues.Trade) bool { return t.ID == read[0].ID })
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	newest := slices.IndexFunc(b.trades, func(t venues.Trade) bool { return t.ID == read[0].ID })
	for n, got := range read {
		want := b.trades[newest-n]
		if got.ID != want.ID || got.Symbol != want.Symbol || got.Side != want.Side || !got.VenueTime.Equal(want.VenueTime) ||
			!got.Price.Equal(want.Price) || !got.Qty.Equal(want.Qty) {
			s.t.Errorf("trade %d = %+v, want %+v of the stream", n, got, want)
		}
	}
}

func tickersByREST(s *env) {
	s.move("65200")
	s.trade(venues.Buy, "0.05")
	s.mark("65150")
	read := func(of string) (found []venues.Ticker) {
		list, err := s.connector.Tickers(s.t.Context(), of)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, t := range list {
			if t.Symbol == symbol {
				found = append(found, t)
			}
		}
		return found
	}
	for _, of := range []string{symbol, ""} {
		s.eventually("the ticker in the list of "+strconv.Quote(of), func() bool {
			list := read(of)
			return len(list) == 1 && list[0].Mark.Decimal.Equal(d("65150"))
		})
		t := read(of)[0]
		if !t.Bid.Valid || !t.Ask.Valid || !t.Last.Valid || t.Bid.Decimal.GreaterThanOrEqual(t.Ask.Decimal) || t.Last.Decimal.LessThan(d("65000")) {
			s.t.Errorf("bid %v, ask %v, last %v, want the bid below the ask, and the newest trade above 65000", t.Bid, t.Ask, t.Last)
		}
		if !t.FundingRate.Valid || t.NextFundingAt.IsZero() || !t.Index.Valid || t.VenueTime.IsZero() || !t.Volume.Valid {
			s.t.Errorf("ticker %+v, want funding, index, volume and the venue's time", t)
		}
	}
	if list, err := s.connector.Tickers(s.t.Context(), "NOSUCHUSDT"); err == nil || len(list) != 0 {
		s.t.Errorf("tickers of an unlisted instrument = %v, error %v, want only an error", list, err)
	}
}

// readsMost is more than the reads that any venue's limits permit at once.
const readsMost = 2000

func tradesLeaveLimits(s *env) {
	readsLeaveLimits(s, func(ctx context.Context) error {
		_, err := s.connector.Trades(ctx, symbol, 1)
		return err
	})
}

func tickersLeaveLimits(s *env) {
	readsLeaveLimits(s, func(ctx context.Context) error {
		_, err := s.connector.Tickers(ctx, "")
		return err
	})
}

// readsLeaveLimits reads until the rate limit for reads is used up, after which an order is
// still accepted.
func readsLeaveLimits(s *env, read func(context.Context) error) {
	s.warmUp()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	for n := 0; ; n++ {
		soon, stop := context.WithTimeout(ctx, 10*time.Millisecond)
		err := read(soon)
		stop()
		if e, ok := errors.AsType[*venues.Error](err); ok && e.Code == venues.CodeRateLimited {
			if e.Details["scope"] != venues.LimitOfVenue || e.VenueCode != "" {
				s.t.Fatalf("error of read %d = %v with details %v, want ours, before the venue's", n, err, e.Details)
			}
			break
		}
		if n > readsMost {
			s.t.Fatalf("%d reads were permitted, want a limit; the last error is %v", n, err)
		}
	}
	s.resting(limit(venues.Buy, "0.01", "60000"))
}
