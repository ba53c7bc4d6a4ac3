package binance

import "venuegate/venues/venuetest"

// restAnswers returns the venue's answers, for the table of bad input. The states of an
// instrument and of an unused filter are enums with cases of their own.
func restAnswers() []venuetest.Answer {
	order := venuetest.Members{
		Enums: []string{"status", "side", "type"}, Required: []string{"orderId", "symbol", "clientOrderId"}, Numbers: []string{"origQty", "executedQty"},
		Optional: []string{"positionSide", "origType"}, Descriptions: []string{"avgPrice", "stopPrice", "timeInForce"}, Labels: []string{"timeInForce", "workingType"},
	}
	changed := order // answers to changes have fewer members
	changed.Descriptions = []string{"stopPrice", "timeInForce"}
	algo := venuetest.Members{
		Enums: []string{"algoStatus", "side", "orderType"}, Required: []string{"algoId", "symbol", "clientAlgoId"}, Numbers: []string{"quantity"},
		Optional: []string{"positionSide"}, Descriptions: []string{"price", "timeInForce"}, Labels: []string{"timeInForce", "workingType"},
	}
	cancelStop := venuetest.Route{Method: "DELETE", Path: "/fapi/v1/algoOrder"}
	setLeverage := venuetest.Route{Method: "POST", Path: "/fapi/v1/leverage"}
	return []venuetest.Answer{
		{Operation: "instruments", Route: reads("/fapi/v1/exchangeInfo"), Members: venuetest.Members{
			Enums: []string{"filterType"}, Required: []string{"symbol", "baseAsset", "quoteAsset", "marginAsset"}, Numbers: []string{"tickSize", "stepSize", "minQty"},
			Descriptions: []string{"notional", "maxPrice"}, Labels: []string{"contractType"},
		}},
		{Operation: "candles", Route: reads("/fapi/v1/klines"), Members: venuetest.Members{Numbers: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]"}}},
		{Operation: "old candles", Route: reads("/fapi/v1/klines"), Members: venuetest.Members{Numbers: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]"}}},
		{Operation: "trades", Route: reads("/fapi/v1/aggTrades"), Members: venuetest.Members{Required: []string{"m"}, Numbers: []string{"a", "p", "q", "T"}}},
		{Operation: "ticker", Route: reads("/fapi/v1/ticker/24hr"), Members: venuetest.Members{
			Required: []string{"symbol"}, Optional: []string{"closeTime", "lastPrice"}, Descriptions: []string{"volume"},
		}},
		{Operation: "ticker", Route: reads("/fapi/v1/ticker/bookTicker"), Members: venuetest.Members{
			Required: []string{"symbol"}, Optional: []string{"time", "bidPrice"}, Descriptions: []string{"askQty"},
		}},
		{Operation: "ticker", Route: reads("/fapi/v1/premiumIndex"), Members: venuetest.Members{
			Required: []string{"symbol"}, Optional: []string{"time", "markPrice"}, Descriptions: []string{"lastFundingRate"},
		}},
		{Operation: "snapshot", Route: reads("/fapi/v1/depth"), Members: venuetest.Members{Required: []string{"bids", "asks"}, Numbers: []string{"lastUpdateId", "[0]", "[1]"}}},
		{Operation: "clock", Route: reads("/fapi/v1/time"), Members: venuetest.Members{Numbers: []string{"serverTime"}}},
		{Operation: "mode", Route: reads("/fapi/v1/accountConfig"), Members: venuetest.Members{Enums: []string{"dualSidePosition", "multiAssetsMargin"}}},
		{
			Operation: "first mode", Route: reads("/fapi/v1/leverageBracket"), Succeeds: "the mode already is the requested one",
			Members: venuetest.Members{Required: []string{"symbol", "brackets"}, Numbers: []string{"initialLeverage"}},
		},
		{Operation: "balances", Route: reads("/fapi/v3/account"), Members: venuetest.Members{
			Required: []string{"asset"}, Numbers: []string{"marginBalance", "availableBalance", "initialMargin", "unrealizedProfit"}, Descriptions: []string{"walletBalance"},
		}},
		{Operation: "positions", Route: reads("/fapi/v3/positionRisk"), Members: venuetest.Members{
			Enums: []string{"positionSide"}, Required: []string{"symbol"}, Numbers: []string{"positionAmt"},
			Descriptions: []string{"entryPrice", "markPrice", "liquidationPrice", "unRealizedProfit"},
		}},
		{Operation: "positions", Route: reads(symbolConfigPath), Members: venuetest.Members{
			Enums: []string{"marginType"}, Required: []string{"symbol"}, Optional: []string{"leverage"}, Descriptions: []string{"leverage"},
		}},
		{Operation: "open orders", Route: reads("/fapi/v1/openOrders"), Members: order},
		{Operation: "open orders", Route: reads("/fapi/v1/openAlgoOrders"), Members: algo},
		{Operation: "order", Route: reads(orderPath), Members: order},
		{Operation: "stop", Route: reads(algoPath), Members: algo},
		{Operation: "fills", Route: reads(fillsPath), Members: venuetest.Members{
			Enums: []string{"side"}, Required: []string{"symbol", "id", "orderId", "time"}, Numbers: []string{"price", "qty"}, Optional: []string{"positionSide"},
			Descriptions: []string{"realizedPnl", "commission", "commissionAsset"}, Labels: []string{"commissionAsset"},
		}},
		{Operation: "traded", Route: reads(incomePath), Members: venuetest.Members{Required: []string{"symbol", "incomeType"}, Labels: []string{"incomeType", "asset"}}},
		{Operation: "key", Route: reads("/sapi/v1/account/apiRestrictions"), Members: venuetest.Members{
			Enums: []string{"ipRestrict", "enableWithdrawals", "enableFutures"}, Labels: []string{"enableReading"},
		}},
		{
			Operation: "maintenance", Route: reads("/sapi/v1/system/status"), Succeeds: "the scripted venue is under maintenance",
			Members: venuetest.Members{Skipped: "the simulator does not have it"},
		},
		{Operation: "stream", Route: venuetest.Route{Method: "POST", Path: listenKeyPath}, Succeeds: "the stream sends the request again", Members: venuetest.Members{Required: []string{"listenKey"}}},
		{Operation: "leverage", Route: setLeverage, Members: venuetest.Members{Skipped: "the written value is read back"}},
		{Operation: "leverage", Route: reads(symbolConfigPath), After: setLeverage, Members: venuetest.Members{Enums: []string{"symbol"}, Numbers: []string{"leverage"}}},
		{Operation: "place", Route: venuetest.Route{Method: "POST", Path: orderPath}, Members: changed},
		{Operation: "amend", Route: venuetest.Route{Method: "PUT", Path: orderPath}, Members: changed},
		{Operation: "cancel", Route: venuetest.Route{Method: "DELETE", Path: orderPath}, Members: changed},
		{Operation: "place stop", Route: reads("/fapi/v1/ticker/price"), Members: venuetest.Members{Numbers: []string{"price"}}},
		{Operation: "place stop", Route: venuetest.Route{Method: "POST", Path: algoPath}, Members: algo},
		{Operation: "cancel stop", Route: cancelStop, Members: venuetest.Members{Required: []string{"algoId"}}},
		{Operation: "cancel stop", Route: reads(algoPath), After: cancelStop, Members: algo},
	}
}

func reads(path string) venuetest.Route { return venuetest.Route{Method: "GET", Path: path} }

// streamEvents returns the events of the streams, for the table of bad input.
func streamEvents() []venuetest.Event {
	return []venuetest.Event{
		{Kind: "orders", Mark: `"e":"ORDER_TRADE_UPDATE"`, Members: venuetest.Members{
			Enums: []string{"X", "x", "S"}, Required: []string{"s", "c", "i"}, Numbers: []string{"q", "z"}, Optional: []string{"ot", "ps"},
			Descriptions: []string{"ap", "sp", "f", "er"}, Labels: []string{"f", "er", "V", "wt"},
		}},
		{Kind: "stops", Mark: `"e":"ALGO_UPDATE"`, Members: venuetest.Members{
			Enums: []string{"X", "S"}, Required: []string{"s", "caid", "aid"}, Numbers: []string{"q"}, Optional: []string{"ps"},
			Descriptions: []string{"p", "f"}, Labels: []string{"f", "wt"},
		}},
		{Kind: "fills", Mark: `"x":"TRADE"`, Members: venuetest.Members{Required: []string{"t"}, Numbers: []string{"l", "L"}, Descriptions: []string{"n", "N", "rp"}}},
		{Kind: "fills", Mark: `"e":"TRADE_LITE"`, Members: venuetest.Members{Skipped: "ORDER_TRADE_UPDATE reports the same fill completely"}},
		{Kind: "positions", Mark: `"e":"ACCOUNT_UPDATE"`, Members: venuetest.Members{
			Enums: []string{"ps"}, Required: []string{"s"}, Numbers: []string{"pa"}, Optional: []string{"mt"}, Descriptions: []string{"up", "cr", "bep", "iw", "mt"},
		}},
		{Kind: "funds", Mark: `"e":"ACCOUNT_UPDATE"`, Members: venuetest.Members{Skipped: "the connector only reports that balances changed"}},
		{Kind: "settings", Mark: `"e":"ACCOUNT_CONFIG_UPDATE"`, Members: venuetest.Members{Required: []string{"s"}, Numbers: []string{"l"}}},
		{Kind: "books", Mark: `"e":"depthUpdate"`, Members: venuetest.Members{
			Enums: []string{"e", "s"}, Required: []string{"a", "b"}, Numbers: []string{"U", "u", "pu", "[0]", "[1]"},
		}},
		{Kind: "trades", Mark: `"e":"aggTrade"`, Members: venuetest.Members{
			Enums: []string{"e", "s", "m"}, Numbers: []string{"p", "q"}, Optional: []string{"a", "T"},
		}},
		{Kind: "candles", Mark: `"e":"kline"`, Members: venuetest.Members{
			Enums: []string{"e", "s", "i", "x"}, Numbers: []string{"t", "T", "o", "h", "l", "c", "v", "q"},
		}},
		{Kind: "marks", Mark: `"e":"markPriceUpdate"`, Members: venuetest.Members{Enums: []string{"e", "s"}, Numbers: []string{"p"}}},
	}
}

// entryAnswers returns the answers of the connection for orders, for the table of bad
// input.
func entryAnswers() []venuetest.Event {
	order := venuetest.Members{
		Enums: []string{"status", "side", "type"}, Required: []string{"orderId", "symbol"}, Numbers: []string{"origQty", "executedQty"},
		Descriptions: []string{"stopPrice", "timeInForce"}, Labels: []string{"timeInForce", "workingType"},
	}
	return []venuetest.Event{
		{Kind: "place", Mark: `"status":"NEW"`, Members: order},
		{Kind: "amend", Mark: `"status":"NEW"`, Members: order},
		{Kind: "cancel", Mark: `"status":"CANCELED"`, Members: order},
	}
}
