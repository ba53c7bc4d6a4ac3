package okxsim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

const restingBuy = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"a1","side":"buy","ordType":"limit","px":"64000","sz":"0.05"}`

func TestRestingOrderIsAmendedAndCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.order(restingBuy)
		found := v.one(v.get("/trade/order?instId=" + btc + "&clOrdId=a1"))
		simtest.Expect(t, found, object{"ordId": id, "state": "live", "px": "64000", "sz": "0.05", "avgPx": "", "posSide": "net", "lever": "20"})
		simtest.ExpectLen(t, v.get("/trade/orders-pending?instType=SWAP").Data, 1)
		v.post("/trade/order", restingBuy).expectItem(t, "51016")
		v.post("/trade/amend-order", `{"instId":"BTC-USDT-SWAP","ordId":"`+id+`","newPx":"63900","newSz":"0.08","reqId":"r1"}`).expectItem(t, "0")
		simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+id)), object{"px": "63900", "sz": "0.08"})
		v.post("/trade/cancel-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1"}`).expectItem(t, "0")
		simtest.Expect(t, v.one(v.get("/trade/orders-history?instType=SWAP")), object{"state": "canceled", "cancelSource": "1", "ordId": id})
		v.post("/trade/cancel-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1"}`).expectItem(t, "51400")
	})
}

func TestMarketOrderFillsInContracts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"m1","side":"buy","ordType":"market","sz":"2"}`)
		simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+id)), object{"state": "filled", "accFillSz": "2", "px": ""})
		fill := v.get("/trade/fills?instType=SWAP&instId=" + btc).Data[0]
		simtest.Expect(t, fill, object{"ordId": id, "clOrdId": "m1", "execType": "T", "feeCcy": "USDT", "side": "buy"})
		simtest.Expect(t, v.one(v.get("/account/positions")), object{"pos": "2", "posSide": "net", "mgnMode": "cross", "instId": btc})

		row := v.sim.Control().Ledger().Orders[0]
		if row.Qty != "2" || row.BaseQty != "0.02" || row.ClientOrderID != "m1" {
			t.Fatalf("row of the ledger = %+v, want client order id m1, qty 2 and base qty 0.02", row)
		}
		again := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"m1","side":"sell","ordType":"market","sz":"5","reduceOnly":true}`)
		latest := v.one(v.get("/trade/order?instId=" + btc + "&clOrdId=m1"))
		simtest.Expect(t, latest, object{"ordId": again, "sz": "2", "state": "filled", "reduceOnly": "true"})
		simtest.ExpectLen(t, v.get("/account/positions").Data, 0)
	})
}

func TestOrderRejections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for _, c := range map[string]struct{ body, code string }{
			"lot":          {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"0.015"}`, "51121"},
			"minimum":      {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"0.001"}`, "51020"},
			"band":         {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"limit","px":"90000","sz":"1"}`, "51006"},
			"tick":         {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"limit","px":"64000.05","sz":"1"}`, "51000"},
			"side":         {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"long","ordType":"market","sz":"1"}`, "51000"},
			"margin":       {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"limit","px":"64000","sz":"5000"}`, "51008"},
			"reduce":       {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"market","sz":"1","reduceOnly":true}`, "51169"},
			"instrument":   {`{"instId":"NO-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`, "51001"},
			"halted":       {`{"instId":"OMG-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"market","sz":"1"}`, "51022"},
			"client id":    {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"a-b","side":"buy","ordType":"market","sz":"1"}`, "51000"},
			"isolated":     {`{"instId":"BTC-USDT-SWAP","tdMode":"isolated","side":"buy","ordType":"market","sz":"1"}`, "51000"},
			"take profit":  {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"limit","px":"64000","sz":"1","attachAlgoOrds":[{"tpTriggerPx":"63000","tpOrdPx":"-1"}]}`, "51046"},
			"no mode":      {`{"instId":"BTC-USDT-SWAP","side":"buy","ordType":"market","sz":"1"}`, "50014"},
			"broken json":  {`{"instId":`, "50002"},
			"unknown type": {`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"rpi","sz":"1","px":"1"}`, "51000"},
		} {
			v.post("/trade/order", c.body).expectItem(t, c.code)
		}
	})
}

func TestOrdersThatWouldCrossAreCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for ordType, c := range map[string]struct{ px, sz, source string }{
			"post_only": {"65100", "1", "31"}, "fok": {"65001", "30000", "13"}, "ioc": {"64000", "1", "14"},
		} {
			if ordType == "fok" {
				v.control("/accounts/demo", `{"balance":"1000000000"}`)
				v.post("/account/set-leverage", `{"instId":"BTC-USDT-SWAP","lever":"10","mgnMode":"cross"}`)
			}
			id := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"` + ordType + `","px":"` + c.px + `","sz":"` + c.sz + `"}`)
			simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+id)), object{"state": "canceled", "cancelSource": c.source, "ordType": ordType})
		}
	})
}

func TestDeadlineIsEnforced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.expTime = unixMilli(v.Now().Add(-time.Millisecond))
		v.post("/trade/order", restingBuy).expectCode(t, "50036")
		v.control("/faults", `{"match":{"path":"/api/v5/trade/order"},"do":"delay","args":{"delayMs":300},"times":1}`)
		v.expTime = unixMilli(v.Now().Add(150 * time.Millisecond))
		v.post("/trade/order", restingBuy).expectItem(t, "50037")
	})
}

func TestUnfilledOrdersArePurgedAfterTwoHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(restingBuy)
		v.post("/trade/cancel-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"m1","side":"buy","ordType":"market","sz":"1"}`)
		v.control("/clock", `{"offsetMs":7260000}`)
		v.get("/trade/order?instId="+btc+"&clOrdId=a1").expectCode(t, "51603")
		simtest.Expect(t, v.one(v.get("/trade/orders-history?instType=SWAP")), object{"clOrdId": "m1"})
	})
}

func TestLongShortMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/account/set-position-mode", `{"posMode":"long_short_mode"}`).expectCode(t, "0")
		simtest.Expect(t, v.one(v.get("/account/config")), object{"posMode": "long_short_mode", "acctLv": "2", "perm": "read_only,trade"})
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"long","ordType":"market","sz":"1"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","posSide":"short","ordType":"market","sz":"2"}`)
		held := v.get("/account/positions").Data
		if len(held) != 2 {
			t.Fatalf("%d positions, want 2: %v", len(held), held)
		}
		simtest.Expect(t, held[0], object{"posSide": "long", "pos": "1"})
		simtest.Expect(t, held[1], object{"posSide": "short", "pos": "2"})
		v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"market","sz":"1"}`).expectItem(t, "51000")
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"short","ordType":"market","sz":"2"}`)
		simtest.ExpectLen(t, v.get("/account/positions").Data, 1)
	})
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}})
		limited := false
		for range 30 {
			if r := v.get("/account/config"); r.Status == 429 && r.Code == "50011" {
				limited = true
				break
			}
		}
		if !limited {
			t.Fatal("no request was limited, want one")
		}
	})
}
