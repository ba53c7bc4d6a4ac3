package okxsim_test

import (
	"testing"
	"testing/synctest"
)

func TestAmendmentRejections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"p1","side":"buy","ordType":"post_only","px":"64000","sz":"1"}`)
		for name, c := range map[string]struct{ body, code string }{
			"nothing":  {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1"}`, "51500"},
			"same":     {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1","newSz":"1"}`, "51500"},
			"takes":    {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1","newPx":"65500"}`, "51511"},
			"band":     {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1","newPx":"64000.01"}`, "51000"},
			"lot":      {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1","newSz":"1.001"}`, "51121"},
			"unknown":  {`{"instId":"BTC-USDT-SWAP","clOrdId":"no","newSz":"2"}`, "51503"},
			"no name":  {`{"instId":"BTC-USDT-SWAP","newSz":"2"}`, "50015"},
			"bad name": {`{"instId":"BTC-USDT-SWAP","ordId":"x","newSz":"2"}`, "51000"},
		} {
			if r := v.post("/trade/amend-order", c.body); r.sCode() != c.code {
				t.Errorf("%s: %s, want %s", name, r.raw(), c.code)
			}
		}
		expect(t, v.one(v.get("/trade/order?instId="+btc+"&clOrdId=p1")), object{"state": "live", "px": "64000", "sz": "1"})
	})
}

func TestStopRejections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		const head = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1",`
		for name, c := range map[string]struct{ body, code string }{
			"no type":          {head + `"side":"sell"}`, "50014"},
			"unknown type":     {head + `"side":"sell","ordType":"twap"}`, "51000"},
			"no trigger":       {head + `"side":"sell","ordType":"trigger"}`, "50014"},
			"no conditions":    {head + `"side":"sell","ordType":"conditional"}`, "50015"},
			"half of two":      {head + `"side":"sell","ordType":"oco","slTriggerPx":"64000","slOrdPx":"-1"}`, "50014"},
			"loss is there":    {head + `"side":"sell","ordType":"conditional","slTriggerPx":"66000","slOrdPx":"-1"}`, "51280"},
			"cover is there":   {head + `"side":"buy","ordType":"conditional","slTriggerPx":"64000","slOrdPx":"-1"}`, "51278"},
			"profit is there":  {head + `"side":"sell","ordType":"conditional","tpTriggerPx":"64000","tpOrdPx":"-1"}`, "51279"},
			"profit was there": {head + `"side":"buy","ordType":"conditional","tpTriggerPx":"66000","tpOrdPx":"-1"}`, "51277"},
			"no price":         {head + `"side":"sell","ordType":"trigger","triggerPx":"64000"}`, "50014"},
			"watched price":    {head + `"side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1","triggerPxType":"best"}`, "51000"},
			"trailing":         {head + `"side":"sell","ordType":"move_order_stop"}`, "50015"},
		} {
			if r := v.post("/trade/order-algo", c.body); r.Code != "1" || r.sCode() != c.code {
				t.Errorf("%s: %s, want %s", name, r.raw(), c.code)
			}
		}
		if r := v.get("/trade/orders-algo-pending?ordType=conditional,oco"); len(r.Data) != 0 {
			t.Errorf("r.raw() = %v, want len(r.Data) == 0", r.raw())
		}
	})
}

func TestStopClientIDsAreUniqueAmongLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		const stop = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1","algoClOrdId":"s1"}`
		if r := v.post("/trade/order-algo", stop); r.sCode() != "0" {
			t.Fatalf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
		if r := v.post("/trade/order-algo", stop); r.sCode() != "51065" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51065"`, r.raw())
		}
		v.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1"}]`)
		if r := v.post("/trade/order-algo", stop); r.sCode() != "0" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "0"`, r.raw())
		}
	})
}

func TestClosingMoreThanThePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/account/set-position-mode", `{"posMode":"long_short_mode"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"long","ordType":"market","sz":"1"}`)
		if r := v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","posSide":"long","ordType":"market","sz":"2"}`); r.sCode() != "51112" {
			t.Errorf(`r.raw() = %v, want r.sCode() == "51112"`, r.raw())
		}
		if r := v.post("/account/set-position-mode", `{"posMode":"net_mode"}`); r.Code != "59000" {
			t.Errorf(`r.raw() = %v, want r.Code == "59000"`, r.raw())
		}
	})
}

func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		r := v.post("/trade/batch-orders", `[`+restingBuy+`,{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"limit","px":"64000","sz":"0"}]`)
		if r.Code != "2" || len(r.Data) != 2 || r.Data[0]["sCode"] != "0" || r.Data[1]["sCode"] != "51000" {
			t.Fatalf(`r.raw() = %v, want r.Code == "2" && len(r.Data) == 2 && r.Data[0]["sCode"] == "0" && r.Data[1]["sCode"] == "51000"`, r.raw())
		}
		if r := v.post("/trade/cancel-batch-orders", `[]`); r.Code != "51111" {
			t.Errorf(`r.raw() = %v, want r.Code == "51111"`, r.raw())
		}
		if r := v.post("/trade/amend-batch-orders", `[{"instId":"BTC-USDT-SWAP","clOrdId":"a1","newSz":"1"}]`); r.Code != "0" {
			t.Errorf(`r.raw() = %v, want r.Code == "0"`, r.raw())
		}
		rejected := 0
		for _, row := range v.sim.Control().Ledger().Orders {
			if row.Status == "refused" {
				rejected++
			}
		}
		if rejected != 1 {
			t.Errorf("%d rejected orders in the ledger, want rejected == 1", rejected)
		}
	})
}
