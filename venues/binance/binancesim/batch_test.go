package binancesim_test

import (
	"net/http"
	"testing"
	"testing/synctest"
)

func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		element := `{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"0.010","price":"60000","newClientOrderId":"`
		placed := v.signed(http.MethodPost, "/fapi/v1/batchOrders",
			"batchOrders="+batch(element+`a"},`+element+`a"},`+element+`b"}`)).List(t)
		if len(placed) != 3 || placed[0]["clientOrderId"] != "a" || jsonText(placed[1]["code"]) != "-4116" || placed[2]["status"] != "NEW" {
			t.Errorf(`placed = %v, want len(placed) == 3 && placed[0]["clientOrderId"] == "a" && jsonText(placed[1]["code"]) == "-4116" && placed[2]["status"] == "NEW"`, placed)
		}
		amended := v.signed(http.MethodPut, "/fapi/v1/batchOrders",
			"batchOrders="+batch(`{"symbol":"BTCUSDT","side":"BUY","origClientOrderId":"b","quantity":0.02,"price":"60010","modifyId":"7"},{"symbol":"BTCUSDT","side":"BUY","origClientOrderId":"none","quantity":"1","price":"60010"}`)).List(t)
		if amended[0]["price"] != "60010.00" || jsonText(amended[0]["modifyId"]) != "7" || jsonText(amended[1]["code"]) != "-2013" {
			t.Errorf(`amended = %v, want amended[0]["price"] == "60010.00" && jsonText(amended[0]["modifyId"]) == "7" && jsonText(amended[1]["code"]) == "-2013"`, amended)
		}
		cancelled := v.signed(http.MethodDelete, "/fapi/v1/batchOrders",
			"symbol=BTCUSDT&origclientorderidlist=%5B%22a%22%2C%22none%22%5D").List(t)
		if cancelled[0]["status"] != "CANCELED" || jsonText(cancelled[1]["code"]) != "-2011" {
			t.Errorf(`cancelled = %v, want cancelled[0]["status"] == "CANCELED" && jsonText(cancelled[1]["code"]) == "-2011"`, cancelled)
		}
		byID := v.signed(http.MethodDelete, "/fapi/v1/batchOrders", "symbol=BTCUSDT&orderIdList=%5B1%5D").List(t)
		if jsonText(byID[0]["code"]) != "-2011" {
			t.Errorf(`byID = %v, want jsonText(byID[0]["code"]) == "-2011"`, byID)
		}
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
		if r := v.signed(http.MethodDelete, "/fapi/v1/allOpenOrders", "symbol=BTCUSDT"); r.Object(t)["msg"] != "The operation of cancel all open order is done." {
			t.Errorf(`r.Body = %s, want r.Object(t)["msg"] == "The operation of cancel all open order is done."`, r.Body)
		}
		if open := v.signed(http.MethodGet, "/fapi/v1/openOrders", "").List(t); len(open) != 0 {
			t.Errorf("open = %v, want len(open) == 0", open)
		}
		algos := v.signed(http.MethodGet, "/fapi/v1/openAlgoOrders", "symbol=BTCUSDT").List(t)
		if len(algos) != 1 || algos[0]["algoStatus"] != "NEW" || algos[0]["actualOrderId"] != "" {
			t.Errorf(`algos = %v, want len(algos) == 1 && algos[0]["algoStatus"] == "NEW" && algos[0]["actualOrderId"] == ""`, algos)
		}
		v.signed(http.MethodDelete, "/fapi/v1/algoOpenOrders", "symbol=BTCUSDT")
		if algos := v.signed(http.MethodGet, "/fapi/v1/openAlgoOrders", "").List(t); len(algos) != 0 {
			t.Errorf("algos = %v, want len(algos) == 0", algos)
		}
		if all := v.signed(http.MethodGet, "/fapi/v1/allAlgoOrders", "symbol=BTCUSDT").List(t); len(all) != 1 || all[0]["algoStatus"] != "CANCELED" {
			t.Errorf(`all = %v, want len(all) == 1 && all[0]["algoStatus"] == "CANCELED"`, all)
		}
	})
}

func TestCountdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(limitBuy())
		set := v.signed(http.MethodPost, "/fapi/v1/countdownCancelAll", "symbol=BTCUSDT&countdownTime=100").Object(t)
		if set["countdownTime"] != "100" {
			t.Errorf(`set = %v, want set["countdownTime"] == "100"`, set)
		}
		v.WaitFor("the countdown", func() bool { return len(v.signed(http.MethodGet, "/fapi/v1/openOrders", "").List(t)) == 0 })
		v.order(limitBuy())
		v.signed(http.MethodPost, "/fapi/v1/countdownCancelAll", "symbol=BTCUSDT&countdownTime=60000")
		v.signed(http.MethodPost, "/fapi/v1/countdownCancelAll", "symbol=BTCUSDT&countdownTime=0")
		v.sim.Step()
		if open := v.signed(http.MethodGet, "/fapi/v1/openOrders", "").List(t); len(open) != 1 {
			t.Errorf("open = %v, want len(open) == 1", open)
		}
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
			if algo := v.signed(http.MethodGet, algoPath, "clientAlgoId="+id).Object(t); algo["algoStatus"] != "EXPIRED" {
				t.Errorf(`algo = %v, want algo["algoStatus"] == "EXPIRED"`, algo)
			}
		}
	})
}

func TestPriceMatchAndTestOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		matched := v.order(limitBuy("price=", "priceMatch=QUEUE_5"))
		if matched["price"] == "0.00" || matched["priceMatch"] != "QUEUE_5" {
			t.Errorf(`matched = %v, want matched["price"] != "0.00" && matched["priceMatch"] == "QUEUE_5"`, matched)
		}
		if r := v.signed(http.MethodPost, "/fapi/v1/order/test", limitBuy("newClientOrderId=test")); r.Object(t)["clientOrderId"] != "test" {
			t.Errorf(`r.Body = %s, want r.Object(t)["clientOrderId"] == "test"`, r.Body)
		}
		if r := v.signed(http.MethodPost, "/fapi/v1/order/test", limitBuy("quantity=40")); r.code() != -2019 {
			t.Errorf("r.Body = %s, want r.code() == -2019", r.Body)
		}
		if open := v.signed(http.MethodGet, "/fapi/v1/openOrders", "").List(t); len(open) != 1 {
			t.Errorf("%d open orders, want len(open) == 1", len(open))
		}
	})
}
