package book_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/actors/book"
	"venuegate/venues"
)

// recent returns the number of the newest trades and the ids of the first and the last.
func recent(k *actortest.Kit, c *book.Client, limit int) string {
	k.T.Helper()
	trades, err := c.Trades(k.T.Context(), limit)
	if err != nil {
		k.T.Fatal(err)
	}
	if len(trades) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d: %s to %s", len(trades), trades[0].ID, trades[len(trades)-1].ID)
}

func TestNewestTradesAreKept(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		c := start(k, &venue{}, func(d *book.Deps) { d.Resident = true })
		id := 0
		trade := func(count int) {
			for range count {
				id++
				c.Trade(venues.Trade{ID: fmt.Sprint(id), Price: venues.MustDecimal("10")})
				k.Settle()
			}
		}
		expect(t, "before the first trade", recent(k, c, 5), "none")
		trade(3)
		expect(t, "a few", recent(k, c, 5), "3: 3 to 1")
		expect(t, "fewer", recent(k, c, 2), "2: 3 to 2")
		trade(2 * 200)
		expect(t, "many", recent(k, c, 1000), "200: 403 to 204")
		c.Interrupted(venues.FeedTopic{Kind: venues.FeedTrades, Symbol: "BTCUSDT"}, errors.New("reset"))
		expect(t, "after an interruption", recent(k, c, 5), "none")
		trade(1)
		expect(t, "after the next trade", recent(k, c, 5), "1: 404 to 404")
	})
}

// Trades of a topic that is not subscribed may be incomplete.
func TestTradesWithoutSubscriptionAreNotKept(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		c := start(k, &venue{})
		_, depth := subscribe(k, c, "book:binance:BTCUSDT:5")
		defer depth.Close()
		_, sub := subscribe(k, c, "trades:binance:BTCUSDT")
		c.Trade(venues.Trade{ID: "1", Price: venues.MustDecimal("10")})
		k.Settle()
		expect(t, "subscribed", recent(k, c, 5), "1: 1 to 1")
		sub.Close()
		k.Advance(time.Minute)
		c.Trade(venues.Trade{ID: "2", Price: venues.MustDecimal("10")})
		expect(t, "not subscribed", recent(k, c, 5), "none")
	})
}
