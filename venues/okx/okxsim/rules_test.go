package okxsim_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func TestRulesOfOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.control("/accounts/demo", `{"balance":"100000000"}`)
		v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"10","mgnMode":"cross"}`)
		const head = `{"instId":"BTC-USDT-SWAP","tdMode":"cross",`
		for _, c := range map[string]struct{ body, code string }{
			"tag":              {`"side":"buy","ordType":"market","sz":"1","tag":"a-b"}`, "51000"},
			"long tag":         {`"side":"buy","ordType":"market","sz":"1","tag":"12345678901234567"}`, "51000"},
			"kill for both":    {`"side":"buy","ordType":"fok","px":"65100","sz":"1","stpMode":"cancel_both"}`, "54036"},
			"worth too much":   {`"side":"buy","ordType":"limit","px":"64000","sz":"40000"}`, "51185"},
			"profit below ask": {`"side":"buy","ordType":"market","sz":"1","attachAlgoOrds":[{"tpTriggerPx":"64000","tpOrdPx":"-1"}]}`, "51050"},
			"loss above ask":   {`"side":"buy","ordType":"market","sz":"1","attachAlgoOrds":[{"slTriggerPx":"66000","slOrdPx":"-1"}]}`, "51051"},
			"profit above bid": {`"side":"sell","ordType":"market","sz":"1","attachAlgoOrds":[{"tpTriggerPx":"66000","tpOrdPx":"-1"}]}`, "51052"},
			"loss below bid":   {`"side":"sell","ordType":"market","sz":"1","attachAlgoOrds":[{"slTriggerPx":"64000","slOrdPx":"-1"}]}`, "51053"},
			"protected reduction": {
				`"side":"sell","ordType":"market","sz":"1","reduceOnly":true,"attachAlgoOrds":[{"slTriggerPx":"66000","slOrdPx":"-1"}]}`, "51100",
			},
		} {
			v.post("/trade/order", head+c.body).expectItem(t, c.code)
		}
		simtest.ExpectLen(t, v.get("/trade/orders-pending?instType=SWAP").Data, 0)
	})
}

// A price outside the band is moved to its edge where the client allows that.
func TestPriceIsMovedToTheBand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		limits := v.one(v.get("/public/price-limit?instId=" + btc))
		id := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"limit","px":"100","sz":"1","pxAmendType":"1"}`)
		simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+id)), object{"px": limits["sellLmt"]})
		v.order(restingBuy)
		v.post("/trade/amend-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1","newPx":"90000","pxAmendType":"0"}`).expectItem(t, "51006")
		v.post("/trade/amend-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1","newPx":"90000","pxAmendType":"1"}`).expectItem(t, "0")
		simtest.Expect(t, v.resting(), object{"px": limits["buyLmt"], "state": "filled"})
	})
}

func TestSpotModeTradesNoSwaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.sim.UseSpotMode("demo")
		simtest.Expect(t, v.one(v.get("/account/config")), object{"acctLv": "1"})
		v.post("/trade/order", restingBuy).expectItem(t, "51010")
		v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1"}`).expectItem(t, "51010")
	})
}

func TestClosingOrdersOfLongShortModeRejectProtection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/account/set-position-mode", `{"posMode":"long_short_mode"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"long","ordType":"market","sz":"1"}`)
		r := v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","posSide":"long","ordType":"market","sz":"1",`+
			`"attachAlgoOrds":[{"slTriggerPx":"66000","slOrdPx":"-1"}]}`)
		r.expectItem(t, "51333")
		v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","posSide":"long","ordType":"market","sz":"2"}`).expectItem(t, "51112")
	})
}

// Client ids are unique among stops and attachments together.
func TestStopsAndAttachmentsShareClientIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		const protected = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"limit","px":"64000","sz":"1",` +
			`"attachAlgoOrds":[{"attachAlgoClOrdId":"x1","slTriggerPx":"60000","slOrdPx":"-1"}]}`
		v.order(protected)
		v.post("/trade/order", protected).expectItem(t, "51068")
		const stop = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1","algoClOrdId":`
		v.post("/trade/order-algo", stop+`"x1"}`).expectItem(t, "51065")
		v.post("/trade/order-algo", stop+`"x2"}`).expectItem(t, "0")
		v.post("/trade/order", strings.Replace(protected, "x1", "x2", 1)).expectItem(t, "51068")
	})
}

func TestLiveStopsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
		const trailing = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","sz":"1","ordType":"move_order_stop","callbackRatio":"0.5"}`
		for range 50 {
			v.post("/trade/order-algo", trailing).expectItem(t, "0")
		}
		v.post("/trade/order-algo", trailing).expectItem(t, "51260")
		const stop = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","sz":"1",`
		for n := range 100 {
			leg := `"ordType":"conditional","slTriggerPx":"60000","slOrdPx":"-1"}`
			if n%2 == 0 {
				leg = `"ordType":"oco","slTriggerPx":"60000","slOrdPx":"-1","tpTriggerPx":"70000","tpOrdPx":"-1"}`
			}
			v.post("/trade/order-algo", stop+leg).expectItem(t, "0")
		}
		v.post("/trade/order-algo", stop+`"ordType":"conditional","slTriggerPx":"60000","slOrdPx":"-1"}`).expectItem(t, "51261")
	})
}

// A stop that closes a whole position uses a market order in the reducing direction,
// and the position lists it.
func TestClosingStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
		const head = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"conditional","slTriggerPx":"64000",`
		for body, code := range map[string]string{
			`"slOrdPx":"-1","closeFraction":"0.5","reduceOnly":true}`:  "51000",
			`"slOrdPx":"-1","closeFraction":"1"}`:                      "51328",
			`"slOrdPx":"63900","closeFraction":"1","reduceOnly":true}`: "51330",
		} {
			v.post("/trade/order-algo", head+body).expectItem(t, code)
		}
		placed := v.post("/trade/order-algo", head+`"slOrdPx":"-1","closeFraction":"1","reduceOnly":true}`)
		placed.expectItem(t, "0")
		shown := v.one(v.get("/account/positions"))["closeOrderAlgo"].([]any)
		if len(shown) != 1 {
			t.Fatalf("%d orders, want 1: %v", len(shown), shown)
		}
		simtest.Expect(t, shown[0].(object), object{"algoId": placed.Data[0]["algoId"], "slTriggerPx": "64000", "slTriggerPxType": "last", "closeFraction": "1"})
	})
}

// Open closing orders prevent the close of a position, or are cancelled with it.
func TestClosePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"2"}`)
		closing := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"limit","px":"66000","sz":"1","reduceOnly":true}`)
		for body, code := range map[string]string{
			`{"instId":"BTC-USDT-SWAP"}`:                                                   "50014",
			`{"instId":"BTC-USDT-SWAP","mgnMode":"cross","clOrdId":"a_b"}`:                 "51000",
			`{"instId":"ETH-USDT-SWAP","mgnMode":"cross"}`:                                 "51023",
			`{"instId":"BTC-USDT-SWAP","mgnMode":"cross","posSide":"long"}`:                "51000",
			`{"instId":"BTC-USDT-SWAP","mgnMode":"isolated"}`:                              "51000",
			`{"instId":"BTC-USDT-SWAP","mgnMode":"cross","tag":"12345678901234567","x":1}`: "51000",
		} {
			v.post("/trade/close-position", body).expectCode(t, code)
		}
		v.post("/trade/close-position", `{"instId":"BTC-USDT-SWAP","mgnMode":"cross"}`).expect(t, http.StatusTooManyRequests, "51115")
		closed := v.one(v.post("/trade/close-position", `{"instId":"BTC-USDT-SWAP","mgnMode":"cross","autoCxl":true,"clOrdId":"c1"}`))
		simtest.Expect(t, closed, object{"clOrdId": "c1", "posSide": "net", "instId": btc, "ordId": nil})
		simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+closing)), object{"state": "canceled"})
		simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&clOrdId=c1")), object{"state": "filled", "accFillSz": "2"})
		simtest.ExpectLen(t, v.get("/account/positions").Data, 0)
	})
}

// The dead-man switch cancels orders when it expires, but not stops.
func TestCancelAllAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := simtest.NewClock()
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true, Now: clock.Now}, RateLimits: okxsim.RateLimits{Off: true}})
		s := v.loggedIn("private")
		s.subscribe(ordersChannel)
		v.order(restingBuy)
		v.order(strings.Replace(restingBuy, `"clOrdId":"a1"`, `"clOrdId":"a2","tag":"T"`, 1))
		v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1"}`).expectItem(t, "0")
		for _, bad := range []string{`{"timeOut":"9"}`, `{"timeOut":"121"}`, `{}`, `{"timeOut":"60","tag":"a b"}`} {
			v.post("/trade/cancel-all-after", bad).expectCode(t, "51000")
		}
		set := v.one(v.post("/trade/cancel-all-after", `{"timeOut":"20","tag":"T"}`))
		simtest.Expect(t, set, object{"tag": "T", "ts": strconv.FormatInt(v.Now().Unix(), 10), "triggerTime": strconv.FormatInt(v.Now().Unix()+20, 10)})
		v.one(v.post("/trade/cancel-all-after", `{"timeOut":"60"}`))
		clock.Advance(20 * time.Second)
		simtest.Expect(t, s.push("orders", state("canceled")), object{"clOrdId": "a2", "cancelSource": "20"})
		simtest.Expect(t, v.one(v.post("/trade/cancel-all-after", `{"timeOut":"0"}`)), object{"triggerTime": "0"})
		clock.Advance(time.Minute)
		simtest.Expect(t, v.resting(), object{"state": "live"})
		v.one(v.post("/trade/cancel-all-after", `{"timeOut":"10"}`))
		clock.Advance(10 * time.Second)
		simtest.Expect(t, s.push("orders", state("canceled")), object{"clOrdId": "a1", "cancelSource": "20"})
		v.one(v.get("/trade/orders-algo-pending?ordType=trigger"))
	})
}

func TestMalformedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/trade/order", "").expect(t, http.StatusBadRequest, "50000")
		v.post("/account/balance", "{}").expect(t, http.StatusMethodNotAllowed, "50115")
		v.get("/no/such/path").ExpectStatus(t, http.StatusNotFound)
	})
}

// The status of the venue may be queried once in five seconds.
func TestStatusIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := simtest.NewClock()
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true, Now: clock.Now}})
		for _, code := range []string{"0", "50011"} {
			v.get("/system/status").expectCode(t, code)
		}
		clock.Advance(5 * time.Second)
		v.get("/system/status").expectCode(t, "0")
	})
}

// Open orders and stops prevent another leverage of their margin mode.
func TestOpenOrdersPreventAnotherLeverage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for margin, codes := range map[string][2]string{"cross": {"59107", "59669"}, "isolated": {"59101", "59668"}} {
			v := quiet(t)
			must(t, v.sim.Exchange().SetLeverage("demo", btc, 10))
			if margin == "isolated" {
				must(t, v.sim.Exchange().SetMarginMode("demo", btc, true))
			}
			change := `{"instId":"BTC-USDT-SWAP","lever":"5","mgnMode":"` + margin + `"}`
			v.order(strings.Replace(restingBuy, "cross", margin, 1))
			v.post("/account/set-leverage", change).expectCode(t, codes[0])
			v.post("/trade/cancel-order", cancelResting)
			v.acknowledged("/trade/order-algo", strings.Replace(restingStop, "cross", margin, 1))
			v.post("/account/set-leverage", change).expectCode(t, codes[1])
			v.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1"}]`)
			v.post("/account/set-leverage", change).expectCode(t, "0")
		}
	})
}
