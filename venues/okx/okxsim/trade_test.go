package okxsim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
)

const restingBuy = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"a1","side":"buy","ordType":"limit","px":"64000","sz":"0.05"}`

func TestRestingOrderIsAmendedAndCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.order(restingBuy)
		found := v.one(v.get("/trade/order?instId=" + btc + "&clOrdId=a1"))
		expect(t, found, object{"ordId": id, "state": "live", "px": "64000", "sz": "0.05", "avgPx": "", "posSide": "net", "lever": "20"})
		if r := v.get("/trade/orders-pending?instType=SWAP"); len(r.Data) != 1 {
			t.Fatalf("pending: %s, want len(r.Data) == 1", r.raw())
		}
		if r := v.post("/trade/order", restingBuy); r.Code != "1" || r.sCode() != "51016" {
			t.Fatalf(`duplicate: %s, want r.Code == "1" && r.sCode() == "51016"`, r.raw())
		}
		if r := v.post("/trade/amend-order", `{"instId":"BTC-USDT-SWAP","ordId":"`+id+`","newPx":"63900","newSz":"0.08","reqId":"r1"}`); r.sCode() != "0" {
			t.Fatalf(`amend: %s, want r.sCode() == "0"`, r.raw())
		}
		expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+id)), object{"px": "63900", "sz": "0.08"})
		if r := v.post("/trade/cancel-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1"}`); r.sCode() != "0" {
			t.Fatalf(`cancel: %s, want r.sCode() == "0"`, r.raw())
		}
		expect(t, v.one(v.get("/trade/orders-history?instType=SWAP")), object{"state": "canceled", "cancelSource": "1", "ordId": id})
		if r := v.post("/trade/cancel-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1"}`); r.sCode() != "51400" {
			t.Fatalf(`second cancel: %s, want r.sCode() == "51400"`, r.raw())
		}
	})
}

func TestMarketOrderFillsInContracts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"m1","side":"buy","ordType":"market","sz":"2"}`)
		expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+id)), object{"state": "filled", "accFillSz": "2", "px": ""})
		fill := v.get("/trade/fills?instType=SWAP&instId=" + btc).Data[0]
		expect(t, fill, object{"ordId": id, "clOrdId": "m1", "execType": "T", "feeCcy": "USDT", "side": "buy"})
		expect(t, v.one(v.get("/account/positions")), object{"pos": "2", "posSide": "net", "mgnMode": "cross", "instId": btc})

		row := v.sim.Control().Ledger().Orders[0]
		if row.Qty != "2" || row.BaseQty != "0.02" || row.ClientOrderID != "m1" {
			t.Fatalf(`ledger: %+v, want row.Qty == "2" && row.BaseQty == "0.02" && row.ClientOrderID == "m1"`, row)
		}
		again := v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"m1","side":"sell","ordType":"market","sz":"5","reduceOnly":true}`)
		latest := v.one(v.get("/trade/order?instId=" + btc + "&clOrdId=m1"))
		expect(t, latest, object{"ordId": again, "sz": "2", "state": "filled", "reduceOnly": "true"})
		if r := v.get("/account/positions"); len(r.Data) != 0 {
			t.Fatalf("positions: %s, want len(r.Data) == 0", r.raw())
		}
	})
}

func TestOrderRejections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for name, c := range map[string]struct{ body, code string }{
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
			if r := v.post("/trade/order", c.body); r.Code != "1" || r.sCode() != c.code {
				t.Errorf("%s: %s, want %s", name, r.raw(), c.code)
			}
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
			expect(t, v.one(v.get("/trade/order?instId="+btc+"&ordId="+id)), object{"state": "canceled", "cancelSource": c.source, "ordType": ordType})
		}
	})
}

func TestDeadlineIsEnforced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.expTime = unixMilli(v.Now().Add(-time.Millisecond))
		if r := v.post("/trade/order", restingBuy); r.Code != "50036" {
			t.Fatalf(`past deadline: %s, want r.Code == "50036"`, r.raw())
		}
		v.control("/faults", `{"match":{"path":"/api/v5/trade/order"},"do":"delay","args":{"delayMs":300},"times":1}`)
		v.expTime = unixMilli(v.Now().Add(150 * time.Millisecond))
		if r := v.post("/trade/order", restingBuy); r.sCode() != "50037" {
			t.Fatalf(`deadline at the engine: %s, want r.sCode() == "50037"`, r.raw())
		}
	})
}

func TestUnfilledOrdersArePurgedAfterTwoHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(restingBuy)
		v.post("/trade/cancel-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"m1","side":"buy","ordType":"market","sz":"1"}`)
		v.control("/clock", `{"offsetMs":7260000}`)
		if r := v.get("/trade/order?instId=" + btc + "&clOrdId=a1"); r.Code != "51603" {
			t.Fatalf(`unfilled: %s, want r.Code == "51603"`, r.raw())
		}
		expect(t, v.one(v.get("/trade/orders-history?instType=SWAP")), object{"clOrdId": "m1"})
	})
}

func TestLongShortMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		if r := v.post("/account/set-position-mode", `{"posMode":"long_short_mode"}`); r.Code != "0" {
			t.Fatalf(`r.raw() = %v, want r.Code == "0"`, r.raw())
		}
		expect(t, v.one(v.get("/account/config")), object{"posMode": "long_short_mode", "acctLv": "2", "perm": "read_only,trade"})
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"long","ordType":"market","sz":"1"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","posSide":"short","ordType":"market","sz":"2"}`)
		held := v.get("/account/positions").Data
		if len(held) != 2 {
			t.Fatalf("positions: %v, want len(held) == 2", held)
		}
		expect(t, held[0], object{"posSide": "long", "pos": "1"})
		expect(t, held[1], object{"posSide": "short", "pos": "2"})
		if r := v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"market","sz":"1"}`); r.sCode() != "51000" {
			t.Fatalf(`no posSide: %s, want r.sCode() == "51000"`, r.raw())
		}
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"short","ordType":"market","sz":"2"}`)
		if held := v.get("/account/positions").Data; len(held) != 1 {
			t.Fatalf("positions: %v, want len(held) == 1", held)
		}
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
			t.Fatal("never limited")
		}
	})
}
