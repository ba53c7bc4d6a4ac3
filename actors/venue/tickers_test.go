package venue_test

import (
	"testing"
	"time"

	"venuegate/actors/actortest"
)

func TestTickersAreReadOnce(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		w := start(k)
		k.Settle()
		read := func(symbol, first string, reads int) {
			t.Helper()
			tickers, err := w.client.Tickers(k.T.Context(), symbol)
			if err != nil || tickers[0].Symbol != first || w.exchange.tickers != reads {
				t.Errorf("tickers of %q = %v, error %v, after %d reads of the venue, want %s first after %d", symbol, tickers, err, w.exchange.tickers, first, reads)
			}
		}
		read("", "BTCUSDT", 1)
		read("ETH/USDT:USDT", "ETHUSDT", 2)
		k.Advance(time.Second)
		read("", "BTCUSDT", 2)
		read("ETHUSDT", "ETHUSDT", 3)
		k.Advance(4 * time.Second)
		read("", "BTCUSDT", 4)
	})
}
