package bybitsim_test

import (
	"testing"
	"time"

	"venuegate/venues/bybit/bybitsim"
)

// BenchmarkStep is what the flow and the streams cost every 50 ms with a
// listener on the book, the trades and the ticker of one symbol: 20 of them are
// a second.
func BenchmarkStep(b *testing.B) {
	at := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	sim, err := bybitsim.New(bybitsim.Options{Seed: 1, Now: func() time.Time { return at }})
	if err != nil {
		b.Fatal(err)
	}
	v := serve(b, sim)
	for _, topic := range []string{"orderbook.200.BTCUSDT", "publicTrade.BTCUSDT", "tickers.BTCUSDT"} {
		v.public(topic).nextWhere("op", "subscribe")
	}
	b.ResetTimer()
	for range b.N {
		sim.Step()
	}
}
