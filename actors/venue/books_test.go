package venue_test

import (
	"errors"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/venue"
	"venuegate/venues"
)

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
