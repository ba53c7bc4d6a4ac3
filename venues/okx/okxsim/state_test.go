package okxsim_test

import (
	"testing"
	"testing/synctest"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
)

// TestStateIsRestored compares what clients read before and after a start on the state of a
// simulator that has not been closed.
func TestStateIsRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := okxsim.Options{
			Setup:      simnet.Setup{Quiet: true, Seed: 1, StateDir: t.TempDir()},
			RateLimits: okxsim.RateLimits{Off: true},
		}
		v := start(t, options)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"3"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"market","sz":"1","tag":"part"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"p1","side":"buy","ordType":"limit","px":"63000","sz":"1",` +
			`"attachAlgoOrds":[{"attachAlgoClOrdId":"x1","tpTriggerPx":"66000","tpOrdPx":"-1","slTriggerPx":"62000","slOrdPx":"-1"}]}`)
		v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"oco","sz":"1",`+
			`"slTriggerPx":"62000","slOrdPx":"-1","tpTriggerPx":"70000","tpOrdPx":"-1","reduceOnly":true,"algoClOrdId":"s1"}`).expectItem(t, "0")
		v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"conditional","sz":"1",`+
			`"slTriggerPx":"64000","slOrdPx":"-1","reduceOnly":true,"algoClOrdId":"s2"}`).expectItem(t, "0")
		v.control("/market", `{"symbol":"BTCUSDT","price":"63900"}`)
		next := start(t, options)
		for _, target := range []string{
			"/trade/orders-pending", "/trade/orders-history?instType=SWAP", "/trade/fills?instType=SWAP", "/trade/order?instId=" + btc + "&clOrdId=p1",
			"/trade/orders-algo-pending?ordType=conditional,oco",
			"/account/positions-history?instType=SWAP", "/account/bills",
		} {
			want, got := v.get(target), next.get(target)
			if want.Code != "0" || len(want.Data) == 0 || got.raw() != want.raw() {
				t.Errorf("%s after the restart = %s, want %s", target, got.raw(), want.raw())
			}
		}
		next.post("/trade/cancel-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"p1"}`).expectItem(t, "0")
		next.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1"}]`).expectItem(t, "0")
	})
}
