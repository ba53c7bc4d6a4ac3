package okx

import "venuegate/venues/venuetest"

// restAnswers are the answers of the venue, for the table of bad input. The state
// of an instrument is a label with a case of its own.
func restAnswers() []venuetest.Answer {
	order := venuetest.Members{
		Words: []string{"state", "side", "ordType"}, Names: []string{"instId", "ordId"}, Figures: []string{"sz", "accFillSz"}, Sparse: []string{"posSide"},
		Descriptions: []string{"px", "lever", "category"}, Labels: []string{"category", "stpMode"},
	}
	stop := venuetest.Members{
		Words: []string{"state", "side", "ordType"}, Names: []string{"instId", "algoId"}, Figures: []string{"sz"}, Sparse: []string{"posSide", "triggerPx"},
		Descriptions: []string{"lever", "uTime"}, Labels: []string{"triggerPxType"},
	}
	fill := venuetest.Members{
		Words: []string{"side"}, Names: []string{"instId", "tradeId", "ordId"}, Figures: []string{"fillPx", "fillSz"}, Sparse: []string{"posSide", "fillTime"},
		Descriptions: []string{"fillPnl", "fee", "feeCcy", "execType"}, Labels: []string{"execType", "feeCcy"},
	}
	taken := func(id string) venuetest.Members {
		return venuetest.Members{Words: []string{"sCode"}, Names: []string{id}}
	}
	cancel, amend := writes(cancelPath), writes(amendPath)
	setLeverage := writes("/api/v5/account/set-leverage")
	return []venuetest.Answer{
		{Asked: "instruments", Route: reads(instrumentsPath), Members: venuetest.Members{
			Words: []string{"ctType", "settleCcy", "instType"}, Names: []string{"instId", "ctValCcy"}, Figures: []string{"tickSz", "lotSz", "minSz", "ctVal"},
			Descriptions: []string{"maxLmtSz", "lever"}, Labels: []string{"ruleType"},
		}},
		{Asked: "candles", Route: reads("/api/v5/market/candles"), Members: venuetest.Members{
			Words: []string{"[8]"}, Figures: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[6]", "[7]"},
		}},
		{Asked: "snapshot", Route: reads("/api/v5/market/books"), Members: venuetest.Members{Names: []string{"asks", "bids"}, Figures: []string{"seqId", "[0]", "[1]"}}},
		{Asked: "clock", Route: reads("/api/v5/public/time"), Members: venuetest.Members{Figures: []string{"ts"}}},
		{Asked: "mode", Route: reads(configPath), Members: venuetest.Members{Words: []string{"acctLv", "posMode"}}},
		{Asked: "balances", Route: reads(balancePath), Members: venuetest.Members{
			Names: []string{"ccy", "details"}, Figures: []string{"eq"}, Sparse: []string{"availEq", "imr", "upl"}, Descriptions: []string{"upl"},
		}},
		{Asked: "positions", Route: reads(positionsPath), Members: venuetest.Members{
			Words: []string{"posSide", "mgnMode"}, Names: []string{"instId"}, Figures: []string{"pos"},
			Descriptions: []string{"avgPx", "markPx", "upl", "lever"}, Labels: []string{"adl"},
		}},
		{Asked: "open orders", Route: reads(pendingPath), Members: order},
		{Asked: "open orders", Route: reads(algoPendingPath), Members: stop},
		{Asked: "order", Route: reads(orderPath), Members: order},
		{Asked: "no order", Route: reads(historyPath), Members: venuetest.Members{Unread: "its rows are those of open orders"}},
		{Asked: "stop", Route: reads(algoPath), Members: stop},
		{Asked: "no stop", Route: reads(algoHistoryPath), Members: venuetest.Members{Unread: "its rows are those of stops that wait"}},
		{Asked: "fills", Route: reads(recentFillsPath), Members: fill},
		{Asked: "old fills", Route: reads(fillsPath), Members: venuetest.Members{Unread: "its rows are those of recent fills"}},
		{Asked: "traded", Route: reads(recentFillsPath), Members: venuetest.Members{Names: []string{"instId"}}},
		{Asked: "key", Route: reads(configPath), Members: venuetest.Members{Names: []string{"perm"}, Descriptions: []string{"label"}, Labels: []string{"label"}}},
		{
			Asked: "maintenance", Route: reads("/api/v5/system/status"), Spared: "the venue is told to be away",
			Members: venuetest.Members{Unread: "the list is empty"},
		},
		{Asked: "leverage", Route: setLeverage, Members: venuetest.Members{Unread: "what was written is read back"}},
		{Asked: "leverage", Route: reads(leveragePath), After: setLeverage, Members: venuetest.Members{Words: []string{"instId"}, Figures: []string{"lever"}}},
		{Asked: "place", Route: writes(orderPath), Members: taken("ordId")},
		{Asked: "amend", Route: amend, Members: venuetest.Members{Words: []string{"sCode"}}},
		{Asked: "amend", Route: reads(orderPath), After: amend, Members: order},
		{Asked: "cancel", Route: cancel, Members: venuetest.Members{Words: []string{"sCode"}}},
		{Asked: "cancel", Route: reads(orderPath), After: cancel, Members: order},
		{Asked: "place stop", Route: reads("/api/v5/market/ticker"), Members: venuetest.Members{Figures: []string{"last"}}},
		{Asked: "place stop", Route: writes(algoPath), Members: taken("algoId")},
		{Asked: "amend stop", Route: writes(algoAmendPath), Members: venuetest.Members{Words: []string{"sCode"}}},
		{Asked: "cancel stop", Route: writes(algoCancelPath), Members: venuetest.Members{Words: []string{"sCode"}}},
	}
}

func reads(path string) venuetest.Route { return venuetest.Route{Method: "GET", Path: path} }

func writes(path string) venuetest.Route { return venuetest.Route{Method: "POST", Path: path} }

// streamEvents are what the streams tell, for the table of bad input.
func streamEvents() []venuetest.Event {
	return []venuetest.Event{
		{Tells: "orders", Mark: `"channel":"orders"`, Members: venuetest.Members{
			Words: []string{"state", "side", "ordType"}, Names: []string{"instId", "ordId"}, Figures: []string{"sz", "accFillSz"}, Sparse: []string{"posSide"},
			Descriptions: []string{"avgPx", "lever", "category", "cancelSource", "feeCcy"}, Labels: []string{"category", "source", "stpMode"},
		}},
		{Tells: "stops", Mark: `"channel":"orders-algo"`, Members: venuetest.Members{
			Words: []string{"state", "side", "ordType"}, Names: []string{"instId", "algoId"}, Figures: []string{"sz"}, Sparse: []string{"posSide", "triggerPx"},
			Descriptions: []string{"lever", "uTime"}, Labels: []string{"triggerPxType"},
		}},
		{Tells: "fills", Mark: `"channel":"orders"`, Members: venuetest.Members{
			Names: []string{"tradeId", "fillTime"}, Figures: []string{"fillSz", "fillPx"}, Descriptions: []string{"fillFee", "fillFeeCcy"}, Labels: []string{"execType"},
		}},
		{Tells: "positions", Mark: `"channel":"positions"`, Members: venuetest.Members{
			Words: []string{"posSide", "mgnMode"}, Names: []string{"instId"}, Figures: []string{"pos"}, Descriptions: []string{"markPx", "upl", "lever", "uTime"},
		}},
		{Tells: "funds", Mark: `"channel":"account"`, Members: venuetest.Members{Unread: "that they have moved is all"}},
		{Tells: "books", Mark: `"channel":"books"`, Members: venuetest.Members{
			Words: []string{"action"}, Names: []string{"asks", "bids"}, Figures: []string{"seqId", "prevSeqId", "ts", "[0]", "[1]"},
		}},
		{Tells: "trades", Mark: `"channel":"trades"`, Members: venuetest.Members{Words: []string{"side"}, Names: []string{"tradeId"}, Figures: []string{"px", "sz", "ts"}}},
		{Tells: "candles", Mark: `"channel":"candle`, Members: venuetest.Members{
			Words: []string{"[8]"}, Figures: []string{"[0]", "[1]", "[2]", "[3]", "[4]", "[6]", "[7]"},
		}},
		{Tells: "marks", Mark: `"channel":"mark-price"`, Members: venuetest.Members{Figures: []string{"markPx", "ts"}}},
	}
}

// entryAnswers are what the connection for orders answers, for the table of bad
// input.
func entryAnswers() []venuetest.Event {
	taken := venuetest.Members{Words: []string{"sCode"}}
	return []venuetest.Event{
		{Tells: "place", Mark: `"op":"order"`, Members: venuetest.Members{Words: []string{"sCode"}, Names: []string{"ordId"}}},
		{Tells: "amend", Mark: `"op":"amend-order"`, Members: taken},
		{Tells: "cancel", Mark: `"op":"cancel-order"`, Members: taken},
	}
}
