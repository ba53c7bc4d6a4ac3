package bybitsim_test

import (
	"sync/atomic"
	"testing"
	"time"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// BenchmarkStep measures a step of 50 ms with a listener to the book, the trades and
// the ticker of one symbol; 20 of them are a second.
func BenchmarkStep(b *testing.B) {
	var steps atomic.Int64
	at := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	sim := create(b, bybitsim.Options{Setup: simnet.Setup{Seed: 1, Now: func() time.Time {
		return at.Add(time.Duration(steps.Load()) * simnet.PumpInterval)
	}}})
	v := &venue{Client: simtest.Start(b, sim), sim: sim}
	for _, topic := range []string{"orderbook.200.BTCUSDT", "publicTrade.BTCUSDT", "tickers.BTCUSDT"} {
		s := v.public(topic)
		s.With("op", "subscribe")
		go func() {
			for range s.Messages { // discard
			}
		}()
	}
	b.ResetTimer()
	for range b.N {
		steps.Add(1)
		sim.Step()
	}
}

func BenchmarkIdleSecond(b *testing.B) {
	simtest.BenchmarkIdle(b, func(setup simnet.Setup) *bybitsim.Sim { return create(b, bybitsim.Options{Setup: setup}) })
}
