package binancesim_test

import (
	"testing"
	"time"

	"venuegate/venues/binance/binancesim"
)

// A second of the market with nobody connected: three venues must stay far
// below half a core.
func BenchmarkIdleSecond(b *testing.B) {
	now := time.Unix(1_780_000_000, 0)
	sim, err := binancesim.New(binancesim.Options{Seed: 1, Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for range 20 {
			now = now.Add(50 * time.Millisecond)
			sim.Step()
		}
	}
}

func BenchmarkOrderOverHTTP(b *testing.B) {
	v := start(b, binancesim.Options{Quiet: true, RateLimits: binancesim.RateLimits{WeightPerMinute: -1, OrdersPer10s: -1, OrdersPerMinute: -1}})
	b.ReportAllocs()
	for b.Loop() {
		v.order(limitBuy("newClientOrderId=x"))
		v.signed("DELETE", orderPath, "symbol=BTCUSDT&origClientOrderId=x")
	}
}
