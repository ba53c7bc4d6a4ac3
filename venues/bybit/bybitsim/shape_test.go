package bybitsim_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/simcore/simtest"
)

// recorded returns the first record of a recorded message, by the message's name.
func recorded(t *testing.T, file, name string) map[string]any {
	t.Helper()
	for _, line := range fixturetest.Lines(fixturetest.Read(t, venues.Bybit, file)) {
		var row struct {
			Name string          `json:"name"`
			Msg  json.RawMessage `json:"msg"`
		}
		if json.Unmarshal(line, &row) == nil && row.Name == name {
			return firstRecord(t, simtest.Decode(t, row.Msg))
		}
	}
	t.Fatalf("%s has no %q", file, name)
	return nil
}

// firstRecord returns the first record of a message.
func firstRecord(t *testing.T, message map[string]any) map[string]any {
	t.Helper()
	for _, path := range [][]string{{"data"}, {"result", "list"}, {"list"}} {
		at := any(message)
		for _, member := range path {
			if inner, ok := at.(map[string]any); ok {
				at = inner[member]
			}
		}
		switch found := at.(type) {
		case []any:
			if len(found) > 0 {
				return found[0].(map[string]any)
			}
		case map[string]any:
			if _, whole := found["topic"]; !whole {
				return found
			}
		}
	}
	if _, bare := message["symbol"]; bare {
		return message
	}
	t.Fatalf("no record in %v", message)
	return nil
}

// Every member of the recorded messages is sent, with its JSON type.
func TestMessagesHaveTheRecordedShape(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		recording(t)
		v := quiet(t)
		s := v.private()
		id := v.placed(market())
		published := map[string]map[string]any{}
		for len(published) < 4 {
			message := s.Next()
			published[message["topic"].(string)] = message["data"].([]any)[0].(map[string]any)
		}
		resting, held := v.found(v.placed(order())), v.position()
		tickers := v.public("tickers.BTCUSDT").With("type", "snapshot")["data"].(map[string]any)
		v.placed(market("side=Sell"))
		rest := func(path, query string) map[string]any { return v.get(path, query).rows(t)[0] }
		for _, test := range []struct {
			file, name string
			got        map[string]any
		}{
			{"ws_private_execution.jsonl", "two partial fills of one market order in one message", published["execution"]},
			{"ws_private_order.jsonl", "Filled market IOC", published["order"]},
			{"ws_private_position.jsonl", "long BTCPERP with breakEvenPrice", published["position"]},
			{"ws_private_wallet.jsonl", "after fill", published["wallet"]},
			{"rest_order_query.jsonl", "realtime linear with orderLinkId", resting},
			{"rest_instruments_info.jsonl", "linear 7 majors, 2025 field set", rest("/v5/market/instruments-info", "category=linear")},
			{"rest_position_list.jsonl", "one-way long 0.002 BTCUSDT", held},
			{"rest_executions.jsonl", "funding + trades", rest("/v5/execution/list", "category=linear&orderId="+id)},
			{"rest_closed_pnl.jsonl", "closed-pnl (record only)", rest("/v5/position/closed-pnl", "category=linear")},
			{"rest_transaction_log.jsonl", "trade (result object only)", rest("/v5/account/transaction-log", "")},
			{"rest_transaction_log.jsonl", "funding settlement (record only)", rest("/v5/account/transaction-log", "")},
			{"ws_public_tickers.jsonl", "BTCUSDT snapshot 2026", tickers},
		} {
			want := recorded(t, test.file, test.name)
			for member, value := range want {
				got, sent := test.got[member]
				if !sent {
					t.Errorf("%s: no %s, want sent", test.file, member)
					continue
				}
				if kindOf(got) != kindOf(value) && value != nil {
					t.Errorf("%s: type of %s = %v (%v), want %v as recorded (%v)", test.file, member, kindOf(got), got, kindOf(value), value)
				}
			}
		}
	})
}

// Members that do not apply are empty, as in the recordings.
func TestEmptyTexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		expect(t, v.position(), "side=", "size=0", "avgPrice=0", "positionValue=", "unrealisedPnl=", "takeProfit=", "stopLoss=",
			"liqPrice=", "bustPrice=", "sessionAvgPrice=", "breakEvenPrice=", "positionIM=0", "leverage=20")
		s := v.private("order", "execution", "wallet")
		id := v.placed(order())
		for _, o := range []map[string]any{v.found(id), s.data("order")} {
			expect(t, o, "avgPrice=", "stopOrderType=", "triggerPrice=", "triggerBy=", "takeProfit=", "stopLoss=", "tpslMode=UNKNOWN",
				"feeCurrency=", "isLeverage=", "orderIv=", "placeType=", "smpOrderId=", "cumExecFee=0", "cumExecQty=0")
			simtest.Equal(t, "fees of the order", len(o["cumFeeDetail"].(map[string]any)), 0)
		}
		expect(t, s.data("wallet")["coin"].([]any)[0].(map[string]any), "availableToWithdraw=", "availableToBorrow=")
		v.placed(market())
		expect(t, s.data("execution"), "stopOrderType=UNKNOWN", "closedSize=0", "blockTradeId=", "markIv=", "tradeIv=", "extraFees=", "feeCurrency=USDT")
		expect(t, s.data("order"), "stopOrderType=", "avgPrice=65000.1", "closedPnl=0")
		if err := v.sim.Exchange().SetMarginMode(v.sim.DemoAccount().ID, "ETHUSDT", true); err != nil {
			t.Fatal(err)
		}
		isolated, coin := v.wallet()
		expect(t, isolated, "accountIMRate=", "totalMarginBalance=", "totalAvailableBalance=", "totalInitialMargin=", "totalMaintenanceMargin=")
		if !simtest.Num(coin["totalPositionIM"]).IsPositive() || !simtest.Num(isolated["totalEquity"]).IsPositive() {
			t.Errorf("isolated account = %v, want a margin and an equity", isolated)
		}
	})
}

func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "list"
	case map[string]any:
		return "object"
	}
	return "null"
}

// A position past its liquidation price is closed by the venue.
func TestLiquidation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.post("/v5/position/set-leverage", `{"category":"linear","symbol":"BTCUSDT","buyLeverage":"20","sellLeverage":"20"}`)
		v.placed(market("qty=20"))
		s := v.private("execution", "order", "position")
		v.move("55000")
		v.WaitFor("the end of the position", func() bool { return v.position()["size"] == "0" })
		for {
			if e := s.data("execution"); e["execType"] == "BustTrade" {
				simtest.Expect(t, e, simtest.Object{"createType": "CreateByLiq", "side": "Sell"})
				return
			}
		}
	})
}
