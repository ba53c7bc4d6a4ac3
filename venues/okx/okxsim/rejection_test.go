package okxsim_test

import (
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
)

func TestAmendmentRejections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"p1","side":"buy","ordType":"post_only","px":"64000","sz":"1"}`)
		for _, c := range map[string]struct{ body, code string }{
			"nothing":  {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1"}`, "51500"},
			"same":     {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1","newSz":"1"}`, "51500"},
			"takes":    {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1","newPx":"65500"}`, "51511"},
			"band":     {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1","newPx":"64000.01"}`, "51000"},
			"lot":      {`{"instId":"BTC-USDT-SWAP","clOrdId":"p1","newSz":"1.001"}`, "51121"},
			"unknown":  {`{"instId":"BTC-USDT-SWAP","clOrdId":"no","newSz":"2"}`, "51503"},
			"no name":  {`{"instId":"BTC-USDT-SWAP","newSz":"2"}`, "50015"},
			"bad name": {`{"instId":"BTC-USDT-SWAP","ordId":"x","newSz":"2"}`, "51000"},
		} {
			v.post("/trade/amend-order", c.body).expectItem(t, c.code)
		}
		simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&clOrdId=p1")), object{"state": "live", "px": "64000", "sz": "1"})
	})
}

func TestStopRejections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		const head = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1",`
		for _, c := range map[string]struct{ body, code string }{
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
			v.post("/trade/order-algo", c.body).expectItem(t, c.code)
		}
		simtest.ExpectLen(t, v.get("/trade/orders-algo-pending?ordType=conditional,oco").Data, 0)
	})
}

func TestStopClientIDsAreUniqueAmongLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		const stop = `{"instId":"BTC-USDT-SWAP","tdMode":"cross","sz":"1","side":"sell","ordType":"trigger","triggerPx":"64000","orderPx":"-1","algoClOrdId":"s1"}`
		v.post("/trade/order-algo", stop).expectItem(t, "0")
		v.post("/trade/order-algo", stop).expectItem(t, "51065")
		v.post("/trade/cancel-algos", `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"s1"}]`)
		v.post("/trade/order-algo", stop).expectItem(t, "0")
	})
}

func TestClosingMoreThanThePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/account/set-position-mode", `{"posMode":"long_short_mode"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","posSide":"long","ordType":"market","sz":"1"}`)
		v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","posSide":"long","ordType":"market","sz":"2"}`).expectItem(t, "51112")
		v.post("/account/set-position-mode", `{"posMode":"net_mode"}`).expectCode(t, "59000")
	})
}

func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		r := v.post("/trade/batch-orders", `[`+restingBuy+`,{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"limit","px":"64000","sz":"0"}]`)
		r.expectCode(t, "2")
		simtest.ExpectRows(t, r.Data, object{"sCode": "0"}, object{"sCode": "51000"})
		v.post("/trade/cancel-batch-orders", `[]`).expectCode(t, "51111")
		v.post("/trade/amend-batch-orders", `[{"instId":"BTC-USDT-SWAP","clOrdId":"a1","newSz":"1"}]`).expectCode(t, "0")
		rejected := 0
		for _, row := range v.sim.Control().Ledger().Orders {
			if row.Status == "refused" {
				rejected++
			}
		}
		simtest.Equal(t, "rejected orders in the ledger", rejected, 1)
	})
}
