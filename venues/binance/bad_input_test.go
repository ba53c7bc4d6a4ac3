package binance

import "venuegate/venues/venuetest"

// restAnswers are the answers of the venue, for the table of bad input. The state
// of an instrument and of a filter that is not used are labels with cases of their
// own.
func restAnswers() []venuetest.Answer {
	order := venuetest.Members{
		Words: []string{"status", "side", "type"}, Names: []string{"orderId", "symbol", "clientOrderId"}, Figures: []string{"origQty", "executedQty"},
		Sparse: []string{"positionSide", "origType"}, Descriptions: []string{"avgPrice", "stopPrice", "timeInForce"}, Labels: []string{"timeInForce", "workingType"},
	}
	changed := order // answers to changes tell less
	changed.Descriptions = []string{"stopPrice", "timeInForce"}
	algo := venuetest.Members{
		Words: []string{"algoStatus", "side", "orderType"}, Names: []string{"algoId", "symbol", "clientAlgoId"}, Figures: []string{"quantity"},
		Sparse: []string{"positionSide"}, Descriptions: []string{"price", "timeInForce"}, Labels: []string{"timeInForce", "workingType"},
	}
	cancelStop := venuetest.Route{Method: "DELETE", Path: "/fapi/v1/algoOrder"}
	setLeverage := venuetest.Route{Method: "POST", Path: "/fapi/v1/leverage"}
	return []venuetest.Answer{
		{Asked: "instruments", Route: reads("/fapi/v1/exchangeInfo"), Members: venuetest.Members{
			Words: []string{"filterType"}, Names: []string{"symbol", "baseAsset", "quoteAsset", "marginAsset"}, Figures: []string{"tickSize", "stepSize", "minQty"},
			Descriptions: []string{"notional", "maxPrice"}, Labels: []string{"contractType"},
		}},
		{Asked: "candles", Route: reads("/fapi/v1/klines"), Members: venuetest.Members{Figures: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]", "[7]"}}},
		{Asked: "snapshot", Route: reads("/fapi/v1/depth"), Members: venuetest.Members{Names: []string{"bids", "asks"}, Figures: []string{"lastUpdateId", "[0]", "[1]"}}},
		{Asked: "clock", Route: reads("/fapi/v1/time"), Members: venuetest.Members{Figures: []string{"serverTime"}}},
		{Asked: "mode", Route: reads("/fapi/v1/accountConfig"), Members: venuetest.Members{Words: []string{"dualSidePosition", "multiAssetsMargin"}}},
		{
			Asked: "first mode", Route: reads("/fapi/v1/leverageBracket"), Spared: "the mode is what was asked for",
			Members: venuetest.Members{Names: []string{"symbol", "brackets"}, Figures: []string{"initialLeverage"}},
		},
		{Asked: "balances", Route: reads("/fapi/v3/account"), Members: venuetest.Members{
			Names: []string{"asset"}, Figures: []string{"marginBalance", "availableBalance", "initialMargin", "unrealizedProfit"}, Descriptions: []string{"walletBalance"},
		}},
		{Asked: "positions", Route: reads("/fapi/v3/positionRisk"), Members: venuetest.Members{
			Words: []string{"positionSide"}, Names: []string{"symbol"}, Figures: []string{"positionAmt"},
			Descriptions: []string{"entryPrice", "markPrice", "liquidationPrice", "unRealizedProfit"},
		}},
		{Asked: "positions", Route: reads(symbolConfigPath), Members: venuetest.Members{
			Words: []string{"marginType"}, Names: []string{"symbol"}, Sparse: []string{"leverage"}, Descriptions: []string{"leverage"},
		}},
		{Asked: "open orders", Route: reads("/fapi/v1/openOrders"), Members: order},
		{Asked: "open orders", Route: reads("/fapi/v1/openAlgoOrders"), Members: algo},
		{Asked: "order", Route: reads(orderPath), Members: order},
		{Asked: "stop", Route: reads(algoPath), Members: algo},
		{Asked: "fills", Route: reads(fillsPath), Members: venuetest.Members{
			Words: []string{"side"}, Names: []string{"symbol", "id", "orderId", "time"}, Figures: []string{"price", "qty"}, Sparse: []string{"positionSide"},
			Descriptions: []string{"realizedPnl", "commission", "commissionAsset"}, Labels: []string{"commissionAsset"},
		}},
		{Asked: "traded", Route: reads(incomePath), Members: venuetest.Members{Names: []string{"symbol", "incomeType"}, Labels: []string{"incomeType", "asset"}}},
		{Asked: "key", Route: reads("/sapi/v1/account/apiRestrictions"), Members: venuetest.Members{
			Words: []string{"ipRestrict", "enableWithdrawals", "enableFutures"}, Labels: []string{"enableReading"},
		}},
		{
			Asked: "maintenance", Route: reads("/sapi/v1/system/status"), Spared: "the venue is told to be away",
			Members: venuetest.Members{Unread: "the simulator does not know it"},
		},
		{Asked: "stream", Route: venuetest.Route{Method: "POST", Path: listenKeyPath}, Spared: "the stream asks again", Members: venuetest.Members{Names: []string{"listenKey"}}},
		{Asked: "leverage", Route: setLeverage, Members: venuetest.Members{Unread: "what was written is read back"}},
		{Asked: "leverage", Route: reads(symbolConfigPath), After: setLeverage, Members: venuetest.Members{Words: []string{"symbol"}, Figures: []string{"leverage"}}},
		{Asked: "place", Route: venuetest.Route{Method: "POST", Path: orderPath}, Members: changed},
		{Asked: "amend", Route: venuetest.Route{Method: "PUT", Path: orderPath}, Members: changed},
		{Asked: "cancel", Route: venuetest.Route{Method: "DELETE", Path: orderPath}, Members: changed},
		{Asked: "place stop", Route: reads("/fapi/v1/ticker/price"), Members: venuetest.Members{Figures: []string{"price"}}},
		{Asked: "place stop", Route: venuetest.Route{Method: "POST", Path: algoPath}, Members: algo},
		{Asked: "cancel stop", Route: cancelStop, Members: venuetest.Members{Names: []string{"algoId"}}},
		{Asked: "cancel stop", Route: reads(algoPath), After: cancelStop, Members: algo},
	}
}

func reads(path string) venuetest.Route { return venuetest.Route{Method: "GET", Path: path} }

// streamEvents are what the streams tell, for the table of bad input.
func streamEvents() []venuetest.Event {
	return []venuetest.Event{
		{Tells: "orders", Mark: `"e":"ORDER_TRADE_UPDATE"`, Members: venuetest.Members{
			Words: []string{"X", "x", "S"}, Names: []string{"s", "c", "i"}, Figures: []string{"q", "z"}, Sparse: []string{"ot", "ps"},
			Descriptions: []string{"ap", "sp", "f", "er"}, Labels: []string{"f", "er", "V", "wt"},
		}},
		{Tells: "stops", Mark: `"e":"ALGO_UPDATE"`, Members: venuetest.Members{
			Words: []string{"X", "S"}, Names: []string{"s", "caid", "aid"}, Figures: []string{"q"}, Sparse: []string{"ps"},
			Descriptions: []string{"p", "f"}, Labels: []string{"f", "wt"},
		}},
		{Tells: "fills", Mark: `"x":"TRADE"`, Members: venuetest.Members{Names: []string{"t"}, Figures: []string{"l", "L"}, Descriptions: []string{"n", "N", "rp"}}},
		{Tells: "fills", Mark: `"e":"TRADE_LITE"`, Members: venuetest.Members{Unread: "ORDER_TRADE_UPDATE tells it in full"}},
		{Tells: "positions", Mark: `"e":"ACCOUNT_UPDATE"`, Members: venuetest.Members{
			Words: []string{"ps"}, Names: []string{"s"}, Figures: []string{"pa"}, Sparse: []string{"mt"}, Descriptions: []string{"up", "cr", "bep", "iw", "mt"},
		}},
		{Tells: "funds", Mark: `"e":"ACCOUNT_UPDATE"`, Members: venuetest.Members{Unread: "that they have moved is all"}},
		{Tells: "settings", Mark: `"e":"ACCOUNT_CONFIG_UPDATE"`, Members: venuetest.Members{Names: []string{"s"}, Figures: []string{"l"}}},
		{Tells: "books", Mark: `"e":"depthUpdate"`, Members: venuetest.Members{
			Words: []string{"e", "s"}, Names: []string{"a", "b"}, Figures: []string{"U", "u", "pu", "[0]", "[1]"},
		}},
		{Tells: "trades", Mark: `"e":"aggTrade"`, Members: venuetest.Members{
			Words: []string{"e", "s", "m"}, Figures: []string{"p", "q"}, Sparse: []string{"a", "T"},
		}},
		{Tells: "candles", Mark: `"e":"kline"`, Members: venuetest.Members{
			Words: []string{"e", "s", "i", "x"}, Figures: []string{"t", "T", "o", "h", "l", "c", "v", "q"},
		}},
		{Tells: "marks", Mark: `"e":"markPriceUpdate"`, Members: venuetest.Members{Words: []string{"e", "s"}, Figures: []string{"p"}}},
	}
}

// entryAnswers are what the connection for orders answers, for the table of bad
// input.
func entryAnswers() []venuetest.Event {
	order := venuetest.Members{
		Words: []string{"status", "side", "type"}, Names: []string{"orderId", "symbol"}, Figures: []string{"origQty", "executedQty"},
		Descriptions: []string{"stopPrice", "timeInForce"}, Labels: []string{"timeInForce", "workingType"},
	}
	return []venuetest.Event{
		{Tells: "place", Mark: `"status":"NEW"`, Members: order},
		{Tells: "amend", Mark: `"status":"NEW"`, Members: order},
		{Tells: "cancel", Mark: `"status":"CANCELED"`, Members: order},
	}
}
