package okx

import "venuegate/venues/venuetest"

// restAnswers returns the venue's answers, for the table of bad input. The state of an
// instrument is an enum with a case of its own.
func restAnswers() []venuetest.Answer {
	order := venuetest.Members{
		Enums: []string{"state", "side", "ordType"}, Required: []string{"instId", "ordId"}, Numbers: []string{"sz", "accFillSz"}, Optional: []string{"posSide"},
		Descriptions: []string{"px", "lever", "category"}, Labels: []string{"category", "stpMode"},
	}
	stop := venuetest.Members{
		Enums: []string{"state", "side", "ordType"}, Required: []string{"instId", "algoId"}, Numbers: []string{"sz"}, Optional: []string{"posSide", "triggerPx"},
		Descriptions: []string{"lever", "uTime"}, Labels: []string{"triggerPxType"},
	}
	fill := venuetest.Members{
		Enums: []string{"side"}, Required: []string{"instId", "tradeId", "ordId"}, Numbers: []string{"fillPx", "fillSz"}, Optional: []string{"posSide", "fillTime"},
		Descriptions: []string{"fillPnl", "fee", "feeCcy", "execType"}, Labels: []string{"execType", "feeCcy"},
	}
	candle := venuetest.Members{Enums: []string{"[8]"}, Numbers: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[6]", "[7]"}}
	accepted := func(id string) venuetest.Members {
		return venuetest.Members{Enums: []string{"sCode"}, Required: []string{id}}
	}
	cancel, amend := writes(cancelPath), writes(amendPath)
	setLeverage := writes("/api/v5/account/set-leverage")
	return []venuetest.Answer{
		{Operation: "instruments", Route: reads(instrumentsPath), Members: venuetest.Members{
			Enums: []string{"ctType", "settleCcy", "instType"}, Required: []string{"instId", "ctValCcy"}, Numbers: []string{"tickSz", "lotSz", "minSz", "ctVal"},
			Descriptions: []string{"maxLmtSz", "lever"}, Labels: []string{"ruleType"},
		}},
		{Operation: "candles", Route: reads(candlesPath), Members: candle},
		{Operation: "old candles", Route: reads(historyCandlesPath), Members: candle},
		{Operation: "trades", Route: reads("/api/v5/market/trades"), Members: venuetest.Members{
			Enums: []string{"side", "instId"}, Required: []string{"tradeId"}, Numbers: []string{"px", "sz", "ts"},
		}},
		{Operation: "ticker", Route: reads("/api/v5/market/ticker"), Members: venuetest.Members{
			Required: []string{"instId"}, Optional: []string{"last", "ts"}, Descriptions: []string{"bidPx", "askSz"},
		}},
		{Operation: "tickers", Route: reads("/api/v5/market/tickers"), Members: venuetest.Members{
			Required: []string{"instId"}, Optional: []string{"last", "ts"}, Descriptions: []string{"bidPx", "askSz"},
		}},
		{Operation: "ticker", Route: reads("/api/v5/public/mark-price"), Members: venuetest.Members{
			Required: []string{"instId"}, Optional: []string{"markPx", "ts"}, Descriptions: []string{"markPx"}, Labels: []string{"instType"},
		}},
		{Operation: "ticker", Route: reads("/api/v5/public/funding-rate"), Members: venuetest.Members{
			Required: []string{"instId"}, Optional: []string{"fundingRate", "fundingTime"}, Descriptions: []string{"fundingRate"},
		}},
		{Operation: "ticker", Route: reads("/api/v5/market/index-tickers"), Members: venuetest.Members{
			Required: []string{"instId"}, Optional: []string{"idxPx", "ts"}, Descriptions: []string{"idxPx"},
		}},
		{Operation: "snapshot", Route: reads("/api/v5/market/books"), Members: venuetest.Members{Required: []string{"asks", "bids"}, Numbers: []string{"seqId", "[0]", "[1]"}}},
		{Operation: "clock", Route: reads("/api/v5/public/time"), Members: venuetest.Members{Numbers: []string{"ts"}}},
		{Operation: "mode", Route: reads(configPath), Members: venuetest.Members{Enums: []string{"acctLv", "posMode"}}},
		{Operation: "balances", Route: reads(balancePath), Members: venuetest.Members{
			Required: []string{"ccy", "details"}, Numbers: []string{"eq"}, Optional: []string{"availEq", "imr", "upl"}, Descriptions: []string{"upl"},
		}},
		{Operation: "positions", Route: reads(positionsPath), Members: venuetest.Members{
			Enums: []string{"posSide", "mgnMode"}, Required: []string{"instId"}, Numbers: []string{"pos"},
			Descriptions: []string{"avgPx", "markPx", "upl", "lever"}, Labels: []string{"adl"},
		}},
		{Operation: "open orders", Route: reads(pendingPath), Members: order},
		{Operation: "open orders", Route: reads(algoPendingPath), Members: stop},
		{Operation: "order", Route: reads(orderPath), Members: order},
		{Operation: "no order", Route: reads(historyPath), Members: venuetest.Members{Skipped: "its rows are those of open orders"}},
		{Operation: "stop", Route: reads(algoPath), Members: stop},
		{Operation: "no stop", Route: reads(algoHistoryPath), Members: venuetest.Members{Skipped: "its rows are those of open stops"}},
		{Operation: "fills", Route: reads(recentFillsPath), Members: fill},
		{Operation: "old fills", Route: reads(fillsPath), Members: venuetest.Members{Skipped: "its rows are those of recent fills"}},
		{Operation: "traded", Route: reads(recentFillsPath), Members: venuetest.Members{Required: []string{"instId"}}},
		{Operation: "key", Route: reads(configPath), Members: venuetest.Members{Required: []string{"perm"}, Descriptions: []string{"label"}, Labels: []string{"label"}}},
		{
			Operation: "maintenance", Route: reads("/api/v5/system/status"), Succeeds: "the scripted venue is under maintenance",
			Members: venuetest.Members{Skipped: "the list is empty"},
		},
		{Operation: "leverage", Route: setLeverage, Members: venuetest.Members{Skipped: "the written value is read back"}},
		{Operation: "leverage", Route: reads(leveragePath), After: setLeverage, Members: venuetest.Members{Enums: []string{"instId"}, Numbers: []string{"lever"}}},
		{Operation: "place", Route: writes(orderPath), Members: accepted("ordId")},
		{Operation: "amend", Route: amend, Members: venuetest.Members{Enums: []string{"sCode"}}},
		{Operation: "amend", Route: reads(orderPath), After: amend, Members: order},
		{Operation: "cancel", Route: cancel, Members: venuetest.Members{Enums: []string{"sCode"}}},
		{Operation: "cancel", Route: reads(orderPath), After: cancel, Members: order},
		{Operation: "place stop", Route: reads("/api/v5/market/ticker"), Members: venuetest.Members{Numbers: []string{"last"}}},
		{Operation: "place stop", Route: writes(algoPath), Members: accepted("algoId")},
		{Operation: "amend stop", Route: writes(algoAmendPath), Members: venuetest.Members{Enums: []string{"sCode"}}},
		{Operation: "cancel stop", Route: writes(algoCancelPath), Members: venuetest.Members{Enums: []string{"sCode"}}},
	}
}

func reads(path string) venuetest.Route { return venuetest.Route{Method: "GET", Path: path} }

func writes(path string) venuetest.Route { return venuetest.Route{Method: "POST", Path: path} }

// streamEvents returns the events of the streams, for the table of bad input.
func streamEvents() []venuetest.Event {
	return []venuetest.Event{
		{Kind: "orders", Mark: `"channel":"orders"`, Members: venuetest.Members{
			Enums: []string{"state", "side", "ordType"}, Required: []string{"instId", "ordId"}, Numbers: []string{"sz", "accFillSz"}, Optional: []string{"posSide"},
			Descriptions: []string{"avgPx", "lever", "category", "cancelSource", "feeCcy"}, Labels: []string{"category", "source", "stpMode"},
		}},
		{Kind: "stops", Mark: `"channel":"orders-algo"`, Members: venuetest.Members{
			Enums: []string{"state", "side", "ordType"}, Required: []string{"instId", "algoId"}, Numbers: []string{"sz"}, Optional: []string{"posSide", "triggerPx"},
			Descriptions: []string{"lever", "uTime"}, Labels: []string{"triggerPxType"},
		}},
		{Kind: "fills", Mark: `"channel":"orders"`, Members: venuetest.Members{
			Required: []string{"tradeId", "fillTime"}, Numbers: []string{"fillSz", "fillPx"}, Descriptions: []string{"fillFee", "fillFeeCcy"}, Labels: []string{"execType"},
		}},
		{Kind: "positions", Mark: `"channel":"positions"`, Members: venuetest.Members{
			Enums: []string{"posSide", "mgnMode"}, Required: []string{"instId"}, Numbers: []string{"pos"}, Descriptions: []string{"markPx", "upl", "lever", "uTime"},
		}},
		{Kind: "funds", Mark: `"channel":"account"`, Members: venuetest.Members{Skipped: "the connector only reports that balances changed"}},
		{Kind: "books", Mark: `"channel":"books"`, Members: venuetest.Members{
			Enums: []string{"action"}, Required: []string{"asks", "bids"}, Numbers: []string{"seqId", "prevSeqId", "ts", "[0]", "[1]"},
		}},
		{Kind: "trades", Mark: `"channel":"trades"`, Members: venuetest.Members{Enums: []string{"side"}, Required: []string{"tradeId"}, Numbers: []string{"px", "sz", "ts"}}},
		{Kind: "candles", Mark: `"channel":"candle`, Members: venuetest.Members{
			Enums: []string{"[8]"}, Numbers: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[6]", "[7]"},
		}},
		{Kind: "marks", Mark: `"channel":"mark-price"`, Members: venuetest.Members{Numbers: []string{"markPx", "ts"}}},
	}
}

// entryAnswers returns the answers of the connection for orders, for the table of bad
// input.
func entryAnswers() []venuetest.Event {
	accepted := venuetest.Members{Enums: []string{"sCode"}}
	return []venuetest.Event{
		{Kind: "place", Mark: `"op":"order"`, Members: venuetest.Members{Enums: []string{"sCode"}, Required: []string{"ordId"}}},
		{Kind: "amend", Mark: `"op":"amend-order"`, Members: accepted},
		{Kind: "cancel", Mark: `"op":"cancel-order"`, Members: accepted},
	}
}
