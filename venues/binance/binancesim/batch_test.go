package binancesim_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"venuegate/venues/simcore/simtest"
)

func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		element := `{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"0.010","price":"60000","newClientOrderId":"`
		placed := v.signed(http.MethodPost, "/fapi/v1/batchOrders",
			"batchOrders="+batch(element+`a"},`+element+`a"},`+element+`b"}`)).List(t)
		simtest.ExpectRows(t, placed, simtest.Object{"clientOrderId": "a"}, simtest.Object{"code": -4116}, simtest.Object{"status": "NEW"})
		amended := v.signed(http.MethodPut, "/fapi/v1/batchOrders",
			"batchOrders="+batch(`{"symbol":"BTCUSDT","side":"BUY","origClientOrderId":"b","quantity":0.02,"price":"60010","modifyId":"7"},{"symbol":"BTCUSDT","side":"BUY","origClientOrderId":"none","quantity":"1","price":"60010"}`)).List(t)
		simtest.ExpectRows(t, amended, simtest.Object{"price": "60010.00", "modifyId": 7}, simtest.Object{"code": -2013})
		cancelled := v.signed(http.MethodDelete, "/fapi/v1/batchOrders",
			"symbol=BTCUSDT&origclientorderidlist=%5B%22a%22%2C%22none%22%5D").List(t)
		simtest.ExpectRows(t, cancelled, simtest.Object{"status": "CANCELED"}, simtest.Object{"code": -2011})
		byID := v.signed(http.MethodDelete, "/fapi/v1/batchOrders", "symbol=BTCUSDT&orderIdList=%5B1%5D").List(t)
		simtest.ExpectRows(t, byID, simtest.Object{"code": -2011})
		v.expectRejections(t, []rejection{
			{"no list", http.MethodDelete, "/fapi/v1/batchOrders", "symbol=BTCUSDT", 400, -1102, ""},
			{"bad list", http.MethodDelete, "/fapi/v1/batchOrders", "symbol=BTCUSDT&orderIdList=x", 400, -1102, ""},
		})
	})
}

func TestCancelAllLeavesAlgoOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(limitBuy())
		v.order(limitBuy())
		v.signed(http.MethodPost, algoPath, stopSell())
		simtest.Expect(t, v.signed(http.MethodDelete, "/fapi/v1/allOpenOrders", "symbol=BTCUSDT").Object(t), simtest.Object{"msg": "The operation of cancel all open order is done."})
		simtest.ExpectRows(t, v.signed(http.MethodGet, "/fapi/v1/openOrders", "").List(t))
		algos := v.signed(http.MethodGet, "/fapi/v1/openAlgoOrders", "symbol=BTCUSDT").List(t)
		simtest.ExpectRows(t, algos, simtest.Object{"algoStatus": "NEW", "actualOrderId": ""})
		v.signed(http.MethodDelete, "/fapi/v1/algoOpenOrders", "symbol=BTCUSDT")
		simtest.ExpectRows(t, v.signed(http.MethodGet, "/fapi/v1/openAlgoOrders", "").List(t))
		simtest.ExpectRows(t, v.signed(http.MethodGet, "/fapi/v1/allAlgoOrders", "symbol=BTCUSDT").List(t), simtest.Object{"algoStatus": "CANCELED"})
	})
}

func TestCountdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(limitBuy())
		set := v.signed(http.MethodPost, "/fapi/v1/countdownCancelAll", "symbol=BTCUSDT&countdownTime=100").Object(t)
		simtest.Expect(t, set, simtest.Object{"countdownTime": "100"})
		v.WaitFor("the countdown", func() bool { return len(v.signed(http.MethodGet, "/fapi/v1/openOrders", "").List(t)) == 0 })
		v.order(limitBuy())
		v.signed(http.MethodPost, "/fapi/v1/countdownCancelAll", "symbol=BTCUSDT&countdownTime=60000")
		v.signed(http.MethodPost, "/fapi/v1/countdownCancelAll", "symbol=BTCUSDT&countdownTime=0")
		v.sim.Step()
		simtest.ExpectLen(t, v.signed(http.MethodGet, "/fapi/v1/openOrders", "").List(t), 1)
	})
}

func TestStopsExpireWithThePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		v.signed(http.MethodPost, algoPath, stopSell("closePosition=true", "quantity=", "timeInForce=GTE_GTC", "clientAlgoId=loss"))
		v.signed(http.MethodPost, algoPath, stopSell("type=TAKE_PROFIT_MARKET", "triggerPrice=70000", "closePosition=true", "quantity=", "clientAlgoId=profit"))
		v.order("symbol=BTCUSDT&side=SELL&type=MARKET&quantity=0.010&reduceOnly=true")
		for _, id := range []string{"loss", "profit"} {
			simtest.Expect(t, v.signed(http.MethodGet, algoPath, "clientAlgoId="+id).Object(t), simtest.Object{"algoStatus": "EXPIRED"})
		}
	})
}

func TestPriceMatchAndTestOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		matched := v.order(limitBuy("price=", "priceMatch=QUEUE_5"))
		if matched["price"] == "0.00" || matched["priceMatch"] != "QUEUE_5" {
			t.Errorf("order = %v, want a price from QUEUE_5", matched)
		}
		simtest.Expect(t, v.signed(http.MethodPost, "/fapi/v1/order/test", limitBuy("newClientOrderId=test")).Object(t), simtest.Object{"clientOrderId": "test"})
		v.signed(http.MethodPost, "/fapi/v1/order/test", limitBuy("quantity=40")).expectCode(t, -2019)
		simtest.ExpectLen(t, v.signed(http.MethodGet, "/fapi/v1/openOrders", "").List(t), 1)
	})
}
