package bybit

import "venuegate/venues/venuetest"

// restAnswers are the answers of the venue, for the table of bad input. The state
// of an instrument is a label with a case of its own.
func restAnswers() []venuetest.Answer {
	order := venuetest.Members{
		Words: []string{"orderStatus", "side", "orderType", "positionIdx"}, Names: []string{"orderId", "symbol"}, Figures: []string{"qty", "cumExecQty"},
		Descriptions: []string{"timeInForce", "createType", "avgPrice"}, Labels: []string{"timeInForce", "cancelType", "rejectReason", "createType"},
	}
	execution := venuetest.Members{
		Words: []string{"side"}, Names: []string{"symbol", "execId", "orderId", "execTime"}, Figures: []string{"execPrice", "execQty"},
		Descriptions: []string{"execPnl", "execFee", "feeCurrency"}, Labels: []string{"feeCurrency"},
	}
	ids := venuetest.Members{Names: []string{"orderId", "orderLinkId"}}
	setLeverage := venuetest.Route{Method: "POST", Path: setLeveragePath}
	return []venuetest.Answer{
		{Asked: "instruments", Route: reads(instrumentsPath), Members: venuetest.Members{
			Words: []string{"contractType"}, Names: []string{"symbol", "baseCoin", "quoteCoin", "settleCoin"}, Figures: []string{"tickSize", "qtyStep", "minOrderQty"},
			Descriptions: []string{"minNotionalValue", "maxLeverage"}, Labels: []string{"copyTrading"},
		}},
		{Asked: "candles", Route: reads("/v5/market/kline"), Members: venuetest.Members{Figures: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[5]", "[6]"}}},
		{Asked: "snapshot", Route: reads("/v5/market/orderbook"), Members: venuetest.Members{Words: []string{"s"}, Names: []string{"a", "b"}, Figures: []string{"u", "[0]", "[1]"}}},
		{Asked: "clock", Route: reads("/v5/market/time"), Members: venuetest.Members{Figures: []string{"timeNano"}}},
		{Asked: "mode", Route: reads(accountInfoPath), Members: venuetest.Members{Words: []string{"marginMode"}, Figures: []string{"unifiedMarginStatus"}}},
		{Asked: "mode", Route: reads(positionsPath), Members: venuetest.Members{Words: []string{"positionIdx", "symbol"}}},
		{Asked: "balances", Route: reads(walletPath), Members: venuetest.Members{
			Names: []string{"coin"}, Figures: []string{"equity", "walletBalance"}, Sparse: []string{"totalAvailableBalance", "totalPositionIM", "unrealisedPnl"},
			Descriptions: []string{"totalPerpUPL", "unrealisedPnl"}, Labels: []string{"accountType"},
		}},
		{Asked: "positions", Route: reads(positionsPath), Members: venuetest.Members{
			Words: []string{"side", "positionIdx"}, Names: []string{"symbol"}, Figures: []string{"size"},
			Descriptions: []string{"avgPrice", "markPrice", "unrealisedPnl", "leverage"}, Labels: []string{"positionStatus"},
		}},
		{Asked: "open orders", Route: reads(realtimePath), Members: order},
		{Asked: "order", Route: reads(realtimePath), Members: order},
		{Asked: "stop", Route: reads(realtimePath), Members: order},
		{Asked: "no order", Route: reads(historyPath), Members: venuetest.Members{Unread: "its rows are those of open orders"}},
		{Asked: "fills", Route: reads(executionsPath), Members: execution},
		{Asked: "traded", Route: reads(executionsPath), Members: venuetest.Members{Names: []string{"symbol"}, Labels: []string{"execType"}}},
		{Asked: "key", Route: reads(keyPath), Members: venuetest.Members{
			Words: []string{"readOnly"}, Names: []string{"permissions", "ips"}, Descriptions: []string{"note"}, Labels: []string{"note"},
		}},
		{
			Asked: "maintenance", Route: reads("/v5/system/status"), Spared: "the venue is told to be away",
			Members: venuetest.Members{Unread: "the list is empty"},
		},
		{Asked: "leverage", Route: setLeverage, Members: venuetest.Members{Unread: "what was written is read back"}},
		{Asked: "leverage", Route: reads(positionsPath), After: setLeverage, Members: venuetest.Members{Words: []string{"symbol", "positionIdx"}, Figures: []string{"leverage"}}},
		{Asked: "place", Route: venuetest.Route{Method: "POST", Path: createPath}, Members: ids},
		{Asked: "place stop", Route: reads("/v5/market/tickers"), Members: venuetest.Members{Figures: []string{"lastPrice"}}},
		{Asked: "amend", Route: venuetest.Route{Method: "POST", Path: amendPath}, Members: ids},
		{Asked: "cancel", Route: venuetest.Route{Method: "POST", Path: cancelPath}, Members: ids},
		{Asked: "protect", Route: venuetest.Route{Method: "POST", Path: tradingStopPath}, Members: venuetest.Members{Unread: "it says that it was done, and no more"}},
	}
}

func reads(path string) venuetest.Route { return venuetest.Route{Method: "GET", Path: path} }

// streamEvents are what the streams tell, for the table of bad input.
func streamEvents() []venuetest.Event {
	return []venuetest.Event{
		{Tells: "orders", Mark: `"topic":"order"`, Members: venuetest.Members{
			Words: []string{"orderStatus", "side", "orderType", "positionIdx"}, Names: []string{"orderId", "symbol"}, Figures: []string{"qty", "cumExecQty"},
			Sparse: []string{"category"}, Descriptions: []string{"timeInForce", "cancelType", "rejectReason", "createType"},
			Labels: []string{"timeInForce", "cancelType", "rejectReason", "createType"},
		}},
		{Tells: "stops", Mark: `"topic":"order"`, Members: venuetest.Members{Words: []string{"orderStatus"}, Sparse: []string{"triggerPrice"}}},
		{Tells: "fills", Mark: `"topic":"execution"`, Members: venuetest.Members{
			Words: []string{"side", "orderType"}, Names: []string{"execId", "orderId", "symbol", "execTime"}, Figures: []string{"execQty", "execPrice"},
			Sparse: []string{"category"}, Descriptions: []string{"execFee", "feeCurrency"}, Labels: []string{"feeCurrency"},
		}},
		{Tells: "positions", Mark: `"topic":"position"`, Members: venuetest.Members{
			Words: []string{"side", "positionIdx"}, Names: []string{"symbol"}, Figures: []string{"size"}, Sparse: []string{"category"},
			Descriptions: []string{"markPrice", "unrealisedPnl", "leverage", "updatedTime"},
		}},
		{Tells: "funds", Mark: `"topic":"wallet"`, Members: venuetest.Members{Unread: "that they have moved is all"}},
		{Tells: "books", Mark: `"topic":"orderbook`, Members: venuetest.Members{
			Words: []string{"type", "s"}, Names: []string{"a", "b"}, Figures: []string{"u", "[0]", "[1]"},
		}},
		{Tells: "trades", Mark: `"topic":"publicTrade`, Members: venuetest.Members{
			Words: []string{"s", "S"}, Names: []string{"i"}, Figures: []string{"p", "v", "T"},
		}},
		{Tells: "candles", Mark: `"topic":"kline`, Members: venuetest.Members{
			Words: []string{"interval", "confirm"}, Figures: []string{"start", "end", "open", "high", "low", "close", "volume", "turnover"},
		}},
		{Tells: "marks", Mark: `"topic":"tickers`, Members: venuetest.Members{Words: []string{"symbol"}, Sparse: []string{"markPrice"}}},
	}
}

// entryAnswers are what the connection for orders answers, for the table of bad
// input.
func entryAnswers() []venuetest.Event {
	ids := venuetest.Members{Names: []string{"orderId", "orderLinkId"}}
	return []venuetest.Event{
		{Tells: "place", Mark: `"op":"order.create"`, Members: ids},
		{Tells: "amend", Mark: `"op":"order.amend"`, Members: ids},
		{Tells: "cancel", Mark: `"op":"order.cancel"`, Members: ids},
	}
}
