package binance

import (
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/venuetest"
)

func TestConformance(t *testing.T) { venuetest.Run(t, harness()) }

func TestConformanceWebSocket(t *testing.T) {
	venuetest.RunWebSocket(t, harness(), venuetest.OrderEntry{
		Up:     func(account venues.Account) bool { return account.(*Account).entry.Load().up() },
		Place:  venuetest.Route{Method: "order.place", Path: "/ws-fapi/v1"},
		Amend:  venuetest.Route{Method: "order.modify", Path: "/ws-fapi/v1"},
		Cancel: venuetest.Route{Method: "order.cancel", Path: "/ws-fapi/v1"},
		Stop:   venuetest.Route{Method: "POST", Path: "/fapi/v1/algoOrder"},
	})
}

func harness() venuetest.Harness {
	return venuetest.Harness{
		Simulate: simulate,
		Connect:  connect,
		Lacks: map[venuetest.Capability]string{
			venuetest.AttachedProtection: "stop loss and take profit are orders of their own",
			venuetest.AmendStops:         "the venue amends limit orders alone",
			venuetest.StreamSnapshots:    "the stream brings changes alone",
			venuetest.BookRestarts:       "update ids never begin anew",
			venuetest.ClientIDForever:    "an id is unique among open orders",
			venuetest.ContractUnits:      "a contract is one coin",
			venuetest.InstrumentPages:    "the list comes whole",
			venuetest.EntryLogin:         "every request is signed by itself",
			venuetest.MovedPrices:        "a price outside the band is refused",
		},
		Wire: venuetest.Wire{
			Place:           venuetest.Route{Method: "POST", Path: "/fapi/v1/order"},
			Amend:           venuetest.Route{Method: "PUT", Path: "/fapi/v1/order"},
			Cancel:          venuetest.Route{Method: "DELETE", Path: "/fapi/v1/order"},
			Query:           venuetest.Route{Method: "GET", Path: "/fapi/v1/order"},
			OpenOrders:      venuetest.Route{Method: "GET", Path: "/fapi/v1/openOrders"},
			Instruments:     venuetest.Route{Method: "GET", Path: "/fapi/v1/exchangeInfo"},
			SetLeverage:     venuetest.Route{Method: "POST", Path: "/fapi/v1/leverage"},
			PublicStream:    "/public",
			PrivateStream:   "/private",
			BookTopic:       "btcusdt@depth",
			OrderTopic:      "ORDER_TRADE_UPDATE",
			OrderState:      venuetest.Swap{Old: `"status":"NEW"`, New: `"status":"QUANTUM"`},
			OrderStateEvent: venuetest.Swap{Old: `"X":"NEW"`, New: `"X":"NOVEL"`},
			OrderStateType:  venuetest.Swap{Old: `"status":"NEW"`, New: `"status":[7]`},
			InstrumentState: venuetest.Swap{Old: `"status":"TRADING"`, New: `"status":"QUANTUM"`},
			BookKey:         venuetest.Swap{Old: `"pu":`, New: `"p?":`},
			NoMargin:        `-2019`,
			Uncertain:       `-1007`,
			NotListed:       `-9876`,
			Answers: []venuetest.Answer{
				{
					Read: "instruments", Route: venuetest.Route{Method: "GET", Path: "/fapi/v1/exchangeInfo"},
					Figures:      []string{"tickSize", "stepSize", "minQty"},
					Descriptions: []string{"notional"},
					Labels:       []string{"contractType"},
				},
				{
					Read: "clock", Route: venuetest.Route{Method: "GET", Path: "/fapi/v1/time"},
					Figures: []string{"serverTime"},
				},
				{
					Read: "mode", Route: venuetest.Route{Method: "GET", Path: "/fapi/v1/accountConfig"},
					Words: []string{"dualSidePosition", "multiAssetsMargin"},
				},
				{
					Read: "balances", Route: venuetest.Route{Method: "GET", Path: "/fapi/v3/account"},
					Figures: []string{"marginBalance", "availableBalance", "initialMargin", "unrealizedProfit"},
				},
				{
					Read: "positions", Route: venuetest.Route{Method: "GET", Path: "/fapi/v3/positionRisk"},
					Words:        []string{"positionSide"},
					Figures:      []string{"positionAmt"},
					Descriptions: []string{"entryPrice", "markPrice", "liquidationPrice", "unRealizedProfit"},
				},
				{
					Read: "open orders", Route: venuetest.Route{Method: "GET", Path: "/fapi/v1/openOrders"},
					Words:        []string{"status", "side", "type"},
					Figures:      []string{"origQty", "executedQty"},
					Descriptions: []string{"avgPrice", "stopPrice", "timeInForce"},
					Labels:       []string{"timeInForce", "workingType"},
				},
				{
					Read: "order", Route: venuetest.Route{Method: "GET", Path: "/fapi/v1/order"},
					Words:        []string{"status", "side", "type"},
					Figures:      []string{"origQty", "executedQty"},
					Descriptions: []string{"avgPrice", "stopPrice", "timeInForce"},
					Labels:       []string{"timeInForce", "workingType"},
				},
				{
					Read: "fills", Route: venuetest.Route{Method: "GET", Path: "/fapi/v1/userTrades"},
					Words:        []string{"side"},
					Figures:      []string{"price", "qty"},
					Descriptions: []string{"realizedPnl", "commission", "commissionAsset"},
					Labels:       []string{"commissionAsset"},
				},
			},
			OrderEvent: venuetest.Event{
				Mark:  `"e":"ORDER_TRADE_UPDATE"`,
				Words: []string{"X", "x", "S"}, Figures: []string{"q", "z"},
				Descriptions: []string{"ap", "sp", "f", "er"}, Labels: []string{"f", "er", "V", "wt"},
			},
			FillEvent: venuetest.Event{Mark: `"x":"TRADE"`, Figures: []string{"l", "L", "t"}},
			PositionEvent: venuetest.Event{
				Mark:  `"e":"ACCOUNT_UPDATE"`,
				Words: []string{"ps"}, Figures: []string{"pa"}, Descriptions: []string{"up", "cr", "bep", "iw", "mt"}, Entry: "ep",
			},
			WalletEvent: venuetest.Event{Mark: `"e":"ACCOUNT_UPDATE"`, Figures: []string{"wb", "cw", "bc"}},
			BookEvent:   venuetest.Event{Mark: `"e":"depthUpdate"`},
			TradeEvent:  venuetest.Event{Mark: `"e":"aggTrade"`, Words: []string{"m"}, Figures: []string{"p", "q"}},
			CandleEvent: venuetest.Event{Mark: `"e":"kline"`},
			MarkEvent:   venuetest.Event{Mark: `"e":"markPriceUpdate"`, Figures: []string{"p"}},
			FillsPage:   1000,
			BusyBody:    `{"code":-1001,"msg":"Internal error; unable to process your request. Please try again."}`,
		},
	}
}

func TestEveryRecordingIsRead(t *testing.T) { venuetest.RecordingsAreRead(t, venues.Binance) }

func simulate(c venuetest.Conditions) (venuetest.Simulator, error) {
	limits := binancesim.RateLimits{WeightPerMinute: -1, OrdersPer10s: -1, OrdersPerMinute: -1}
	if c.OrdersMax > 0 {
		limits = binancesim.RateLimits{OrdersPerMinute: c.OrdersMax, MinuteSpan: time.Hour}
	}
	return binancesim.New(binancesim.Options{Setup: simnet.Setup{Seed: 1, Quiet: !c.Lively, ClockOffset: c.ClockOffset}, RateLimits: limits})
}

func connect(restURL, streamURL string, c venuetest.Conditions) venuetest.Connector {
	o := Sim(restURL, streamURL)
	o.KeyURL = restURL
	o.Timeout, o.OrderEntry = c.Timeout, c.OrderEntry
	o.BookSilenceMax, o.EventSilenceMax = c.SilenceMax, c.SilenceMax
	o.ConnLifetime = c.ConnLifetime
	o.BackoffMin, o.BackoffMax = 10*time.Millisecond, 50*time.Millisecond
	o.RenewOverlap = 2 * time.Second // time enough for a slow machine to subscribe
	o.tickInterval = 20 * time.Millisecond
	return New(o)
}
