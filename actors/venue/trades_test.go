package venue_test

import (
	"errors"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/venues"
)

func TestTradesAreThoseOfTheBook(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		k.Settle()
		read := func(limit, want, reads int) {
			t.Helper()
			trades, err := w.client.Trades(k.T.Context(), "BTC/USDT:USDT", limit)
			if err != nil || len(trades) != want || w.exchange.trades != reads {
				t.Errorf("%d trades, error %v, after %d reads of the venue, want %d after %d", len(trades), err, w.exchange.trades, want, reads)
			}
		}
		read(5, 3, 1) // without a book
		read(2, 2, 1)
		k.Advance(2 * time.Second)
		if _, err := w.subscribe("trades:binance:BTCUSDT"); err != nil {
			t.Fatal(err)
		}
		read(5, 3, 2) // the book has too few
		k.Advance(2 * time.Second)
		w.books[0].trades = make([]venues.Trade, 4)
		read(4, 4, 2)
		if len(w.books) != 1 {
			t.Errorf("%d books, want that of the subscription alone", len(w.books))
		}
		w.exchange.set(func() { w.exchange.err = errors.New("refused") })
		_, err := w.client.Trades(k.T.Context(), "ETHUSDT", 5)
		if e, ok := errors.AsType[*venues.Error](err); !ok || e.Code != venues.CodeMaintenance {
			t.Errorf("error = %v, want one that a client may see", err)
		}
	})
}
