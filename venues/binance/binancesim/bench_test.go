package binancesim_test

import (
	"testing"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func BenchmarkIdleSecond(b *testing.B) {
	simtest.BenchmarkIdle(b, func(setup simnet.Setup) *binancesim.Sim { return create(b, binancesim.Options{Setup: setup}) })
}

func BenchmarkOrderOverHTTP(b *testing.B) {
	sim := create(b, binancesim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: binancesim.RateLimits{WeightPerMinute: -1, OrdersPer10s: -1, OrdersPerMinute: -1}})
	v := &venue{Client: simtest.Start(b, sim), sim: sim}
	b.ReportAllocs()
	for b.Loop() {
		v.order(limitBuy("newClientOrderId=x"))
		v.signed("DELETE", orderPath, "symbol=BTCUSDT&origClientOrderId=x")
	}
}
