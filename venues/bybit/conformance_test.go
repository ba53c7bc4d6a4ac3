package bybit

import (
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/venuetest"
)

func TestConformance(t *testing.T) { venuetest.Run(t, harness()) }

func TestConformanceWebSocket(t *testing.T) {
	venuetest.RunWebSocket(t, harness(), venuetest.OrderEntry{
		Up:     func(account venues.Account) bool { return account.(*Account).entry.Load().up() },
		Place:  venuetest.Route{Method: "order.create", Path: "/v5/trade"},
		Amend:  venuetest.Route{Method: "order.amend", Path: "/v5/trade"},
		Cancel: venuetest.Route{Method: "order.cancel", Path: "/v5/trade"},
		Login:  venuetest.Route{Method: "auth", Path: "/v5/trade"},

		NotTaken: "10404",
	})
}

func harness() venuetest.Harness {
	return venuetest.Harness{
		Simulate: simulate,
		Connect:  connect,
		Lacks: map[venuetest.Capability]string{
			venuetest.RESTSnapshots: "the stream brings its own snapshots",
			venuetest.ClientIDReuse: "an id is spent for ever",
			venuetest.ContractUnits: "a contract is one coin",
			venuetest.SyncAck:       "an answer says only that the request was received",
			venuetest.Renewal:       "the venue sets connections no lifetime",
		},
		Wire: venuetest.Wire{
			Place:           venuetest.Route{Method: "POST", Path: "/v5/order/create"},
			Amend:           venuetest.Route{Method: "POST", Path: "/v5/order/amend"},
			Cancel:          venuetest.Route{Method: "POST", Path: "/v5/order/cancel"},
			Query:           venuetest.Route{Method: "GET", Path: "/v5/order/realtime"},
			OpenOrders:      venuetest.Route{Method: "GET", Path: "/v5/order/realtime"},
			Instruments:     venuetest.Route{Method: "GET", Path: "/v5/market/instruments-info"},
			SetLeverage:     venuetest.Route{Method: "POST", Path: "/v5/position/set-leverage"},
			PublicStream:    "/v5/public",
			PrivateStream:   "/v5/private",
			BookTopic:       "orderbook.200.BTCUSDT",
			OrderTopic:      "order",
			OrderState:      venuetest.Swap{Old: `"orderStatus":"New"`, New: `"orderStatus":"Quantum"`},
			OrderStateEvent: venuetest.Swap{Old: `"orderStatus":"New"`, New: `"orderStatus":"Novel"`},
			OrderStateType:  venuetest.Swap{Old: `"orderStatus":"New"`, New: `"orderStatus":[7]`},
			InstrumentState: venuetest.Swap{Old: `"status":"Trading"`, New: `"status":"Quantum"`},
			BookKey:         venuetest.Swap{Old: `"u":`, New: `"?":`},
			InstrumentPage:  venuetest.Swap{Old: "limit=1000", New: "limit=3"},
			PageMax:         1000,
			PageRows:        `"list":[`,
			NoMargin:        `110007`,
			Uncertain:       `10016`,
			NotListed:       `199999`,
			Answers: []venuetest.Answer{
				{
					Read: "instruments", Route: venuetest.Route{Method: "GET", Path: "/v5/market/instruments-info"},
					Figures:      []string{"tickSize", "qtyStep", "minOrderQty"},
					Descriptions: []string{"minNotionalValue"},
					Labels:       []string{"copyTrading"},
				},
				{
					Read: "clock", Route: venuetest.Route{Method: "GET", Path: "/v5/market/time"},
					Figures: []string{"timeNano"},
				},
				{
					Read: "mode", Route: venuetest.Route{Method: "GET", Path: "/v5/account/info"},
					Words:   []string{"marginMode"},
					Figures: []string{"unifiedMarginStatus"},
				},
				{
					Read: "balances", Route: venuetest.Route{Method: "GET", Path: "/v5/account/wallet-balance"},
					Figures:      []string{"equity"},
					Descriptions: []string{"totalPerpUPL"},
					Labels:       []string{"accountType"},
				},
				{
					Read: "positions", Route: venuetest.Route{Method: "GET", Path: "/v5/position/list"},
					Words:        []string{"side", "positionIdx"},
					Figures:      []string{"size"},
					Descriptions: []string{"avgPrice", "markPrice", "unrealisedPnl", "leverage"},
					Labels:       []string{"positionStatus"},
				},
				{
					Read: "open orders", Route: venuetest.Route{Method: "GET", Path: "/v5/order/realtime"},
					Words:        []string{"orderStatus", "side", "orderType"},
					Figures:      []string{"qty", "cumExecQty"},
					Descriptions: []string{"timeInForce", "createType"},
					Labels:       []string{"timeInForce", "cancelType", "rejectReason", "createType"},
				},
				{
					Read: "order", Route: venuetest.Route{Method: "GET", Path: "/v5/order/realtime"},
					Words:        []string{"orderStatus", "side", "orderType"},
					Figures:      []string{"qty", "cumExecQty"},
					Descriptions: []string{"timeInForce", "createType"},
					Labels:       []string{"timeInForce", "cancelType", "rejectReason", "createType"},
				},
				{
					Read: "fills", Route: venuetest.Route{Method: "GET", Path: "/v5/execution/list"},
					Words:        []string{"side"},
					Figures:      []string{"execPrice", "execQty"},
					Descriptions: []string{"execPnl", "feeCurrency"},
					Labels:       []string{"feeCurrency"},
				},
			},
			OrderEvent: venuetest.Event{
				Mark:  `"topic":"order"`,
				Words: []string{"orderStatus", "side", "orderType"}, Figures: []string{"qty", "cumExecQty"},
				Descriptions: []string{"timeInForce", "cancelType", "rejectReason", "createType"},
				Labels:       []string{"timeInForce", "cancelType", "rejectReason", "createType"},
			},
			FillEvent: venuetest.Event{Mark: `"topic":"execution"`, Figures: []string{"execQty", "execPrice"}},
			PositionEvent: venuetest.Event{
				Mark:  `"topic":"position"`,
				Words: []string{"side", "positionIdx"}, Figures: []string{"size"},
				Descriptions: []string{"markPrice", "unrealisedPnl", "leverage", "updatedTime"}, Entry: "entryPrice",
			},
			WalletEvent: venuetest.Event{Mark: `"topic":"wallet"`, Figures: []string{"walletBalance", "equity"}},
			BookEvent:   venuetest.Event{Mark: `"topic":"orderbook`},
			TradeEvent:  venuetest.Event{Mark: `"topic":"publicTrade`, Words: []string{"S"}, Figures: []string{"p", "v"}},
			CandleEvent: venuetest.Event{Mark: `"topic":"kline`},
			MarkEvent:   venuetest.Event{Mark: `"topic":"tickers`, Figures: []string{"markPrice"}},
			FillsPage:   100,
			BusyBody:    `{"retCode":10016,"retMsg":"Server error.","result":{},"retExtInfo":{},"time":1}`,
		},
	}
}

func TestEveryRecordingIsRead(t *testing.T) { venuetest.RecordingsAreRead(t, venues.Bybit) }

func simulate(c venuetest.Conditions) (venuetest.Simulator, error) {
	limits := bybitsim.RateLimits{RequestsPer5s: -1, TradePerSecond: -1, QueryPerSecond: -1}
	if c.OrdersMax > 0 {
		limits.TradePerSecond, limits.EndpointSpan = c.OrdersMax, time.Hour
	}
	return bybitsim.New(bybitsim.Options{Setup: simnet.Setup{Seed: 1, Quiet: !c.Lively, ClockOffset: c.ClockOffset}, RateLimits: limits})
}

func connect(restURL, streamURL string, c venuetest.Conditions) venuetest.Connector {
	o := Sim(restURL, streamURL)
	o.Timeout, o.OrderEntry = c.Timeout, c.OrderEntry
	o.BookSilenceMax, o.EventSilenceMax = c.SilenceMax, c.SilenceMax
	o.BackoffMin, o.BackoffMax = 10*time.Millisecond, 50*time.Millisecond
	o.tickInterval = 20 * time.Millisecond
	return New(o)
}
