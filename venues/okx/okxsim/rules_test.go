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
		for name, c := range map[string]struct{ body, code string }{
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
			if r := v.post("/trade/order", head+c.body); r.Code != "1" || r.sCode() != c.code {
				t.Errorf("%s: %s, want %s", name, r.raw(), c.code)
			}
		}
		if r := v.get("/trade/orders-pending?instType=SWAP"); len(r.Data) != 0 {
			t.Errorf("r.raw() = %v, want len(r.Data) == 0", r.raw())
		}
	})
}

// A price outside the band is moved to its edge where the client allows that.
func TestPriceIsMovedToTheBand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		limits := v.one(v.get("/public/price-limit?instId=" + btc))
		id := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"limit","px":"100","sz":"1","pxAmendType":"1"}`)
		expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+id)), object{"px": limits["sellLmt"]})
		v.order(restingBuy)
		if r := v.post("/trade/amend-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1","newPx":"90000","pxAmendType":"0"}`); r.sCode() != "51006" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51006"`, r.raw())
		}
		if r := v.post("/trade/amend-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1","newPx":"90000","pxAmendType":"1"}`); r.sCode() != "0" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
		expect(t, v.resting(), object{"px": limits["buyLmt"], "state": "filled"})
	})
}

func TestSpotModeTradesNoSwaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.sim.UseSpotMode("demo")
		expect(t, v.one(v.get("/account/config")), object{"acctLv": "1"})
		if r := v.post("/trade/order", restingBuy); r.sCode() != "51010" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51010"`, r.raw())
		}
		if r := v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1"}`); r.sCode() != "51010" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51010"`, r.raw())
		}
	})
}

func TestClosingOrdersOfLongShortModeRejectProtection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/account/set-position-mode", `{"posMode":"long_short_mode"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"long","ordType":"market","sz":"1"}`)
		r := v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","posSide":"long","ordType":"market","sz":"1",`+
			`"attachAlgoOrds":[{"slTriggerPx":"66000","slOrdPx":"-1"}]}`)
		if r.sCode() != "51333" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51333"`, r.raw())
		}
		if r := v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","posSide":"long","ordType":"market","sz":"2"}`); r.sCode() != "51112" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51112"`, r.raw())
		}
	})
}

// Client ids are unique among stops and attachments together.
func TestStopsAndAttachmentsShareClientIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		const protected = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"limit","px":"64000","sz":"1",` +
			`"attachAlgoOrds":[{"attachAlgoClOrdId":"x1","slTriggerPx":"60000","slOrdPx":"-1"}]}`
		v.order(protected)
		if r := v.post("/trade/order", protected); r.sCode() != "51068" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51068"`, r.raw())
		}
		const stop = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1","algoClOrdId":`
		if r := v.post("/trade/order-algo", stop+`"x1"}`); r.sCode() != "51065" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51065"`, r.raw())
		}
		if r := v.post("/trade/order-algo", stop+`"x2"}`); r.sCode() != "0" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
		if r := v.post("/trade/order", strings.Replace(protected, "x1", "x2", 1)); r.sCode() != "51068" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51068"`, r.raw())
		}
	})
}

func TestLiveStopsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`)
		const trailing = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","sz":"1","ordType":"move_order_stop","callbackRatio":"0.5"}`
		for range 50 {
			if r := v.post("/trade/order-algo", trailing); r.sCode() != "0" {
				t.Fatalf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
			}
		}
		if r := v.post("/trade/order-algo", trailing); r.sCode() != "51260" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51260"`, r.raw())
		}
		const stop = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","sz":"1",`
		for n := range 100 {
			leg := `"ordType":"conditional","slTriggerPx":"60000","slOrdPx":"-1"}`
			if n%2 == 0 {
				leg = `"ordType":"oco","slTriggerPx":"60000","slOrdPx":"-1","tpTriggerPx":"70000","tpOrdPx":"-1"}`
			}
			if r := v.post("/trade/order-algo", stop+leg); r.sCode() != "0" {
				t.Fatalf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
			}
		}
		if r := v.post("/trade/order-algo", stop+`"ordType":"conditional","slTriggerPx":"60000","slOrdPx":"-1"}`); r.sCode() != "51261" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51261"`, r.raw())
		}
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
			if r := v.post("/trade/order-algo", head+body); r.sCode() != code {
				t.Errorf("%s: %s, want %s", body, r.raw(), code)
			}
		}
		placed := v.post("/trade/order-algo", head+`"slOrdPx":"-1","closeFraction":"1","reduceOnly":true}`)
		if placed.sCode() != "0" {
			t.Fatalf(`placed.raw() = %v, want placed.sCode() == "0"`, placed.raw())
		}
		shown := v.one(v.get("/account/positions"))["closeOrderAlgo"].([]any)
		if len(shown) != 1 {
			t.Fatalf("shown = %v, want len(shown) == 1", shown)
		}
		expect(t, shown[0].(object), object{"algoId": placed.Data[0]["algoId"], "slTriggerPx": "64000", "slTriggerPxType": "last", "closeFraction": "1"})
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
			if r := v.post("/trade/close-position", body); r.Code != code {
				t.Errorf("%s: %s, want %s", body, r.raw(), code)
			}
		}
		if r := v.post("/trade/close-position", `{"instId":"BTC-USDT-SWAP","mgnMode":"cross"}`); r.Code != "51115" || r.Status != http.StatusTooManyRequests {
			t.Errorf(`%d %s, want r.Code == "51115" && r.Status == http.StatusTooManyRequests`, r.Status, r.raw())
		}
		closed := v.one(v.post("/trade/close-position", `{"instId":"BTC-USDT-SWAP","mgnMode":"cross","autoCxl":true,"clOrdId":"c1"}`))
		expect(t, closed, object{"clOrdId": "c1", "posSide": "net", "instId": btc, "ordId": nil})
		expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+closing)), object{"state": "canceled"})
		expect(t, v.one(v.get("/trade/order?instId="+btc+"&clOrdId=c1")), object{"state": "filled", "accFillSz": "2"})
		if r := v.get("/account/positions"); len(r.Data) != 0 {
			t.Errorf("r.raw() = %v, want len(r.Data) == 0", r.raw())
		}
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
		if r := v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1"}`); r.sCode() != "0" {
			t.Fatalf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
		for _, bad := range []string{`{"timeOut":"9"}`, `{"timeOut":"121"}`, `{}`, `{"timeOut":"60","tag":"a b"}`} {
			if r := v.post("/trade/cancel-all-after", bad); r.Code != "51000" {
				t.Errorf(`%s: %s, want r.Code == "51000"`, bad, r.raw())
			}
		}
		set := v.one(v.post("/trade/cancel-all-after", `{"timeOut":"20","tag":"T"}`))
		expect(t, set, object{"tag": "T", "ts": strconv.FormatInt(v.Now().Unix(), 10), "triggerTime": strconv.FormatInt(v.Now().Unix()+20, 10)})
		v.one(v.post("/trade/cancel-all-after", `{"timeOut":"60"}`))
		clock.Advance(20 * time.Second)
		expect(t, s.push("orders", state("canceled")), object{"clOrdId": "a2", "cancelSource": "20"})
		expect(t, v.one(v.post("/trade/cancel-all-after", `{"timeOut":"0"}`)), object{"triggerTime": "0"})
		clock.Advance(time.Minute)
		expect(t, v.resting(), object{"state": "live"})
		v.one(v.post("/trade/cancel-all-after", `{"timeOut":"10"}`))
		clock.Advance(10 * time.Second)
		expect(t, s.push("orders", state("canceled")), object{"clOrdId": "a1", "cancelSource": "20"})
		v.one(v.get("/trade/orders-algo-pending?ordType=trigger"))
	})
}

func TestMalformedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		if r := v.post("/trade/order", ""); r.Status != http.StatusBadRequest || r.Code != "50000" {
			t.Errorf(`%d %s, want r.Status == http.StatusBadRequest && r.Code == "50000"`, r.Status, r.raw())
		}
		if r := v.post("/account/balance", "{}"); r.Status != http.StatusMethodNotAllowed || r.Code != "50115" {
			t.Errorf(`%d %s, want r.Status == http.StatusMethodNotAllowed && r.Code == "50115"`, r.Status, r.raw())
		}
		if r := v.get("/no/such/path"); r.Status != http.StatusNotFound {
			t.Errorf("%d %s, want r.Status == http.StatusNotFound", r.Status, r.raw())
		}
	})
}

// The status of the venue may be queried once in five seconds.
func TestStatusIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := simtest.NewClock()
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true, Now: clock.Now}})
		for _, code := range []string{"0", "50011"} {
			if r := v.get("/system/status"); r.Code != code {
				t.Errorf("%s, want %s", r.raw(), code)
			}
		}
		clock.Advance(5 * time.Second)
		if r := v.get("/system/status"); r.Code != "0" {
			t.Errorf(`r.raw() = %v, want r.Code == "0"`, r.raw())
		}
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
			if r := v.post("/account/set-leverage", change); r.Code != codes[0] {
				t.Errorf("%s, want %s", r.raw(), codes[0])
			}
			v.post("/trade/cancel-order", cancelResting)
			v.acknowledged("/trade/order-algo", strings.Replace(restingStop, "cross", margin, 1))
			if r := v.post("/account/set-leverage", change); r.Code != codes[1] {
				t.Errorf("%s, want %s", r.raw(), codes[1])
			}
			v.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1"}]`)
			if r := v.post("/account/set-leverage", change); r.Code != "0" {
				t.Errorf(`r.raw() = %v, want r.Code == "0"`, r.raw())
			}
		}
	})
}
