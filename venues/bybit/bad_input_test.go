package bybit

import "venuegate/venues/venuetest"

// restAnswers returns the venue's answers, for the table of bad input. The state of an
// instrument is an enum with a case of its own.
func restAnswers() []venuetest.Answer {
	order := venuetest.Members{
		Enums: []string{"orderStatus", "side", "orderType", "positionIdx"}, Required: []string{"orderId", "symbol"}, Numbers: []string{"qty", "cumExecQty"},
		Descriptions: []string{"timeInForce", "createType", "avgPrice"}, Labels: []string{"timeInForce", "cancelType", "rejectReason", "createType"},
	}
	execution := venuetest.Members{
		Enums: []string{"side"}, Required: []string{"symbol", "execId", "orderId", "execTime"}, Numbers: []string{"execPrice", "execQty"},
		Descriptions: []string{"execPnl", "execFee", "feeCurrency"}, Labels: []string{"feeCurrency"},
	}
	ids := venuetest.Members{Required: []string{"orderId", "orderLinkId"}}
	setLeverage := venuetest.Route{Method: "POST", Path: setLeveragePath}
	return []venuetest.Answer{
		{Operation: "instruments", Route: reads(instrumentsPath), Members: venuetest.Members{
			Enums: []string{"contractType"}, Required: []string{"symbol", "baseCoin", "quoteCoin", "settleCoin"}, Numbers: []string{"tickSize", "qtyStep", "minOrderQty"},
			Descriptions: []string{"minNotionalValue", "maxLeverage"}, Labels: []string{"copyTrading"},
		}},
		{Operation: "candles", Route: reads("/v5/market/kline"), Members: venuetest.Members{Numbers: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]"}}},
		{Operation: "old candles", Route: reads("/v5/market/kline"), Members: venuetest.Members{Numbers: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]"}}},
		{Operation: "trades", Route: reads("/v5/market/recent-trade"), Members: venuetest.Members{
			Enums: []string{"side", "symbol"}, Required: []string{"execId"}, Numbers: []string{"price", "size", "time"},
		}},
		{Operation: "ticker", Route: reads("/v5/market/tickers"), Members: venuetest.Members{
			Required: []string{"symbol"}, Optional: []string{"lastPrice", "nextFundingTime"}, Descriptions: []string{"bid1Price", "fundingRate"},
		}},
		{Operation: "snapshot", Route: reads("/v5/market/orderbook"), Members: venuetest.Members{Enums: []string{"s"}, Required: []string{"a", "b"}, Numbers: []string{"u", "[0]", "[1]"}}},
		{Operation: "clock", Route: reads("/v5/market/time"), Members: venuetest.Members{Numbers: []string{"timeNano"}}},
		{Operation: "mode", Route: reads(accountInfoPath), Members: venuetest.Members{Enums: []string{"marginMode"}, Numbers: []string{"unifiedMarginStatus"}}},
		{Operation: "mode", Route: reads(positionsPath), Members: venuetest.Members{Enums: []string{"positionIdx", "symbol"}}},
		{Operation: "balances", Route: reads(walletPath), Members: venuetest.Members{
			Required: []string{"coin"}, Numbers: []string{"equity", "walletBalance"}, Optional: []string{"totalAvailableBalance", "totalPositionIM", "unrealisedPnl"},
			Descriptions: []string{"totalPerpUPL", "unrealisedPnl"}, Labels: []string{"accountType"},
		}},
		{Operation: "positions", Route: reads(positionsPath), Members: venuetest.Members{
			Enums: []string{"side", "positionIdx"}, Required: []string{"symbol"}, Numbers: []string{"size"},
			Descriptions: []string{"avgPrice", "markPrice", "unrealisedPnl", "leverage"}, Labels: []string{"positionStatus"},
		}},
		{Operation: "open orders", Route: reads(realtimePath), Members: order},
		{Operation: "order", Route: reads(realtimePath), Members: order},
		{Operation: "stop", Route: reads(realtimePath), Members: order},
		{Operation: "no order", Route: reads(historyPath), Members: venuetest.Members{Skipped: "its rows are those of open orders"}},
		{Operation: "fills", Route: reads(executionsPath), Members: execution},
		{Operation: "traded", Route: reads(executionsPath), Members: venuetest.Members{Required: []string{"symbol"}, Labels: []string{"execType"}}},
		{Operation: "key", Route: reads(keyPath), Members: venuetest.Members{
			Enums: []string{"readOnly"}, Required: []string{"permissions", "ips"}, Descriptions: []string{"note"}, Labels: []string{"note"},
		}},
		{
			Operation: "maintenance", Route: reads("/v5/system/status"), Succeeds: "the scripted venue is under maintenance",
			Members: venuetest.Members{Skipped: "the list is empty"},
		},
		{Operation: "leverage", Route: setLeverage, Members: venuetest.Members{Skipped: "the written value is read back"}},
		{Operation: "leverage", Route: reads(positionsPath), After: setLeverage, Members: venuetest.Members{Enums: []string{"symbol", "positionIdx"}, Numbers: []string{"leverage"}}},
		{Operation: "place", Route: venuetest.Route{Method: "POST", Path: createPath}, Members: ids},
		{Operation: "place stop", Route: reads("/v5/market/tickers"), Members: venuetest.Members{Numbers: []string{"lastPrice"}}},
		{Operation: "amend", Route: venuetest.Route{Method: "POST", Path: amendPath}, Members: ids},
		{Operation: "cancel", Route: venuetest.Route{Method: "POST", Path: cancelPath}, Members: ids},
		{Operation: "protect", Route: venuetest.Route{Method: "POST", Path: tradingStopPath}, Members: venuetest.Members{Skipped: "it only states success"}},
	}
}

func reads(path string) venuetest.Route { return venuetest.Route{Method: "GET", Path: path} }

// streamEvents returns the events of the streams, for the table of bad input.
func streamEvents() []venuetest.Event {
	return []venuetest.Event{
		{Kind: "orders", Mark: `"topic":"order"`, Members: venuetest.Members{
			Enums: []string{"orderStatus", "side", "orderType", "positionIdx"}, Required: []string{"orderId", "symbol"}, Numbers: []string{"qty", "cumExecQty"},
			Optional: []string{"category"}, Descriptions: []string{"timeInForce", "cancelType", "rejectReason", "createType"},
			Labels: []string{"timeInForce", "cancelType", "rejectReason", "createType"},
		}},
		{Kind: "stops", Mark: `"topic":"order"`, Members: venuetest.Members{Enums: []string{"orderStatus"}, Optional: []string{"triggerPrice"}}},
		{Kind: "fills", Mark: `"topic":"execution"`, Members: venuetest.Members{
			Enums: []string{"side", "orderType"}, Required: []string{"execId", "orderId", "symbol", "execTime"}, Numbers: []string{"execQty", "execPrice"},
			Optional: []string{"category"}, Descriptions: []string{"execFee", "feeCurrency"}, Labels: []string{"feeCurrency"},
		}},
		{Kind: "positions", Mark: `"topic":"position"`, Members: venuetest.Members{
			Enums: []string{"side", "positionIdx"}, Required: []string{"symbol"}, Numbers: []string{"size"}, Optional: []string{"category"},
			Descriptions: []string{"markPrice", "unrealisedPnl", "leverage", "updatedTime"},
		}},
		{Kind: "funds", Mark: `"topic":"wallet"`, Members: venuetest.Members{Skipped: "the connector only reports that balances changed"}},
		{Kind: "books", Mark: `"topic":"orderbook`, Members: venuetest.Members{
			Enums: []string{"type", "s"}, Required: []string{"a", "b"}, Numbers: []string{"u", "[0]", "[1]"},
		}},
		{Kind: "trades", Mark: `"topic":"publicTrade`, Members: venuetest.Members{
			Enums: []string{"s", "S"}, Required: []string{"i"}, Numbers: []string{"p", "v", "T"},
		}},
		{Kind: "candles", Mark: `"topic":"kline`, Members: venuetest.Members{
			Enums: []string{"interval", "confirm"}, Numbers: []string{"start", "end", "open", "high", "low", "close", "volume", "turnover"},
		}},
		{Kind: "marks", Mark: `"topic":"tickers`, Members: venuetest.Members{Enums: []string{"symbol"}, Optional: []string{"markPrice"}}},
	}
}

// entryAnswers returns the answers of the connection for orders, for the table of bad
// input.
func entryAnswers() []venuetest.Event {
	ids := venuetest.Members{Required: []string{"orderId", "orderLinkId"}}
	return []venuetest.Event{
		{Kind: "place", Mark: `"op":"order.create"`, Members: ids},
		{Kind: "amend", Mark: `"op":"order.amend"`, Members: ids},
		{Kind: "cancel", Mark: `"op":"order.cancel"`, Members: ids},
	}
}
