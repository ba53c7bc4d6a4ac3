package bybitsim_test

import (
	"testing"
	"testing/synctest"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// TestStateIsRestored compares what clients read before and after a start on the state of a
// simulator that has not been closed.
func TestStateIsRestored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		options := bybitsim.Options{Setup: simnet.Setup{Quiet: true, Seed: 1, StateDir: t.TempDir()}}
		v := start(t, options)
		v.placed(market("qty=0.03"))
		v.placed(market("side=Sell", "qty=0.01", "reduceOnly=true"))
		resting := v.placed(order("orderLinkId=rests", "price=63000"))
		v.placed(market("side=Sell", "reduceOnly=true", "triggerPrice=64000", "triggerDirection=2", "triggerBy=LastPrice", "orderLinkId=stop"))
		v.post("/v5/position/trading-stop", `{"category":"linear","symbol":"BTCUSDT","tpslMode":"Full","positionIdx":0,"stopLoss":"62000","takeProfit":"70000"}`).result(t)
		v.move("63900")
		next := start(t, options)
		for _, read := range [][2]string{
			{"/v5/order/realtime", "category=linear&symbol=BTCUSDT"},
			{"/v5/order/history", "category=linear"},
			{"/v5/execution/list", "category=linear"},
			{"/v5/position/closed-pnl", "category=linear"},
			{"/v5/position/list", "category=linear&symbol=BTCUSDT"},
		} {
			want, got := v.get(read[0], read[1]).answer(t), next.get(read[0], read[1]).answer(t)
			if want.RetCode != 0 || len(want.Result) == 0 || string(got.Result) != string(want.Result) {
				t.Errorf("%s after the restart = %s, want %s", read[0], got.Result, want.Result)
			}
		}
		next.post("/v5/order/cancel", `{"category":"linear","symbol":"BTCUSDT","orderId":"`+resting+`"}`).result(t)
		next.post("/v5/position/trading-stop", `{"category":"linear","symbol":"BTCUSDT","tpslMode":"Full","positionIdx":0,"stopLoss":"0"}`).result(t)
		simtest.Expect(t, next.position(), simtest.Object{"stopLoss": "", "takeProfit": "70000"})
	})
}
