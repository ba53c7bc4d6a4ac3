package okxsim_test

import (
	"testing"
	"testing/synctest"

	"venuegate/venues"
	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func near(t *testing.T, record object, want map[string]string) {
	t.Helper()
	const digits = 5
	for name, value := range want {
		if got := simtest.Num(record[name]); !got.Round(digits).Equal(venues.MustDecimal(value).Round(digits)) {
			t.Errorf("%s = %s, want %s", name, got, value)
		}
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A position of a real account, as recorded from the venue.
func TestMarginArithmeticOfARealRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		x := v.sim.Exchange()
		must(
			t, x.SetDepth("BTCUSDT", 0), x.SetMark("BTCUSDT", venues.MustDecimal("43684")),
			x.HouseLevel("BTCUSDT", simcore.Sell, venues.MustDecimal("43684"), venues.MustDecimal("1")),
		)
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"10","mgnMode":"cross"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"limit","px":"43684","sz":"1"}`)
		v.control("/accounts/demo", `{"balance":"200.5137143201668551"}`)
		must(t, x.SetMark("BTCUSDT", venues.MustDecimal("43691.043152768407")))
		held := v.one(v.get("/account/positions"))
		near(t, held, map[string]string{
			"upl": "0.0704315276840498", "imr": "43.69104315276841", "mmr": "1.7476417261107364", "mgnRatio": "102.02149323145969",
			"liqPx": "23739.456120525683", "uplRatio": "0.0016122957532283", "bePx": "43727.7058529265",
		})
		wallet := v.one(v.get("/account/balance"))["details"].([]any)[0].(object)
		near(t, wallet, map[string]string{"mgnRatio": "102.02149323145969", "mmr": "1.7476417261107364", "upl": "0.0704315276840498"})
	})
}

// A large position is liquidated by tiers before all of it is closed.
func TestPartialLiquidation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		x := v.sim.Exchange()
		must(
			t, x.SetDepth("BTCUSDT", 0),
			x.HouseLevel("BTCUSDT", simcore.Sell, venues.MustDecimal("65000"), venues.MustDecimal("20000")),
		)
		v.control("/accounts/demo", `{"balance":"800000"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"20000"}`)
		s := v.loggedIn("private")
		for _, channel := range []string{"orders", "positions", "balance_and_position", "liquidation-warning"} {
			s.subscribe(`{"channel":"` + channel + `","instType":"SWAP"}`)
		}
		held := v.one(v.get("/account/positions"))
		liqPx := simtest.Num(held["liqPx"])
		must(t, x.SetMark("BTCUSDT", liqPx.Mul(venues.MustDecimal("1.002"))))
		simtest.Expect(t, s.push("liquidation-warning", func(_, _ object) bool { return true }), object{"pos": "20000", "mgnMode": "cross"})
		must(t, x.SetMark("BTCUSDT", liqPx.Sub(venues.MustDecimal("1"))))

		closing := s.push("orders", state("filled"))
		simtest.Expect(t, closing, object{"category": "partial_liquidation", "side": "sell", "clOrdId": "", "tradeId": "0"})
		published := s.push("balance_and_position", func(_, first object) bool { return first["eventType"] == "liquidation" })
		left := published["posData"].([]any)[0].(object)["pos"]
		update := s.push("positions", func(m, first object) bool { return m["eventType"] == "event_update" && first["pos"] == left })
		// The tier two below ends at a notional of a million.
		kept := venues.MustDecimal("1000000").Div(liqPx.Sub(venues.MustDecimal("1"))).Mul(venues.MustDecimal("100")).Truncate(2)
		if !simtest.Num(left).Equal(kept) || !simtest.Num(update["liqPenalty"]).IsNegative() {
			t.Errorf("%v contracts are left, want %s; penalty %v", left, kept, update["liqPenalty"])
		}
		newest := v.get("/trade/fills?instType=SWAP").Data[0]
		if id, _ := newest["tradeId"].(string); newest["subType"] != "103" || id == "" || id[0] != '-' {
			t.Errorf("fill of the liquidation = %v, want subType 103 and a negative tradeId", newest)
		}
		simtest.Expect(t, v.get("/trade/orders-history?instType=SWAP&category=partial_liquidation").Data[0], object{"ordId": closing["ordId"]})
		must(t, x.SetMark("BTCUSDT", venues.MustDecimal("30000")))
		simtest.Expect(t, s.push("orders", state("filled")), object{"category": "full_liquidation"})
	})
}

// A trigger watches the price that it names, and is rejected where that price has
// passed it.
func TestTriggersWatchTheirOwnPrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"3"}`)
		business := v.loggedIn("business")
		business.subscribe(`{"channel":"orders-algo","instType":"SWAP"}`)
		const stop = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"conditional","sz":"1","reduceOnly":true,"slOrdPx":"-1"`
		for _, watched := range []string{"index", "mark", "last"} {
			v.post("/trade/order-algo", stop+`,"slTriggerPx":"64000","slTriggerPxType":"`+watched+`","algoClOrdId":"`+watched+`"}`).expectItem(t, "0")
		}
		v.Market(`{"symbol":"BTCUSDT","index":"63900"}`)
		simtest.Expect(t, business.push("orders-algo", state("effective")), object{"algoClOrdId": "index", "slTriggerPxType": "index"})
		simtest.Expect(t, v.one(v.get("/account/positions")), object{"idxPx": "63900", "markPx": "65000", "pos": "2"})
		v.Market(`{"symbol":"BTCUSDT","mark":"63950"}`)
		simtest.Expect(t, business.push("orders-algo", state("effective")), object{"algoClOrdId": "mark"})
		v.Market(`{"symbol":"BTCUSDT","price":"63990"}`)
		simtest.Expect(t, business.push("orders-algo", state("effective")), object{"algoClOrdId": "last"})
	})
}

func TestPassedTriggersAreRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.Market(`{"symbol":"BTCUSDT","mark":"65500"}`)
		v.Market(`{"symbol":"BTCUSDT","index":"66000"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
		const head = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","ordType":"conditional",`
		for body, code := range map[string]string{
			`"side":"buy","tpTriggerPx":"65700","tpOrdPx":"-1","tpTriggerPxType":"mark"`:   "51300",
			`"side":"buy","slTriggerPx":"65300","slOrdPx":"-1","slTriggerPxType":"mark"`:   "51302",
			`"side":"sell","tpTriggerPx":"65300","tpOrdPx":"-1","tpTriggerPxType":"mark"`:  "51303",
			`"side":"sell","slTriggerPx":"65700","slOrdPx":"-1","slTriggerPxType":"mark"`:  "51304",
			`"side":"buy","tpTriggerPx":"66200","tpOrdPx":"-1","tpTriggerPxType":"index"`:  "51305",
			`"side":"buy","slTriggerPx":"65800","slOrdPx":"-1","slTriggerPxType":"index"`:  "51306",
			`"side":"sell","tpTriggerPx":"65800","tpOrdPx":"-1","tpTriggerPxType":"index"`: "51307",
			`"side":"sell","slTriggerPx":"66200","slOrdPx":"-1","slTriggerPxType":"index"`: "51308",
			`"side":"sell","slTriggerPx":"65700","slOrdPx":"-1","slTriggerPxType":"index"`: "0",
		} {
			v.post("/trade/order-algo", head+body+"}").expectItem(t, code)
		}
	})
}

// A stop may trail by a distance, and its order names its source.
func TestTrailingBySpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
		private, business := v.loggedIn("private"), v.loggedIn("business")
		private.subscribe(ordersChannel)
		business.subscribe(`{"channel":"algo-advance","instType":"SWAP"}`)
		const trailing = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","sz":"1","ordType":"move_order_stop","reduceOnly":true`
		v.post("/trade/order-algo", trailing+`,"callbackSpread":"300"}`).expectItem(t, "0")
		simtest.Expect(t, business.push("algo-advance", state("live")), object{"callbackSpread": "300", "callbackRatio": ""})
		v.Market(`{"symbol":"BTCUSDT","price":"65500"}`)
		v.Market(`{"symbol":"BTCUSDT","price":"65200"}`)
		simtest.Expect(t, private.push("orders", state("filled")), object{"source": "25"})
		for extra, code := range map[string]string{`,"callbackRatio":"0.1","callbackSpread":"300"}`: "50024", `,"callbackRatio":"1.1"}`: "51311", `,"callbackSpread":"-1"}`: "51000"} {
			v.post("/trade/order-algo", trailing+extra).expectItem(t, code)
		}
	})
}

func TestOversizedReduceOnlyMayBeRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: okxsim.RateLimits{Off: true}, ReduceOnlyRejects: true})
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
		const closing = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","ordType":"market","reduceOnly":true,`
		for body, code := range map[string]string{`"side":"sell","sz":"2"}`: "51112", `"side":"buy","sz":"1"}`: "51170", `"side":"sell","sz":"1"}`: "0"} {
			v.post("/trade/order", closing+body).expectItem(t, code)
			if code == "0" {
				v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
			}
		}
	})
}
