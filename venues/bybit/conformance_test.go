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
		Up:     entryUp,
		Place:  venuetest.Route{Method: "order.create", Path: "/v5/trade"},
		Amend:  venuetest.Route{Method: "order.amend", Path: "/v5/trade"},
		Cancel: venuetest.Route{Method: "order.cancel", Path: "/v5/trade"},
		Login:  venuetest.Route{Method: "auth", Path: "/v5/trade"},

		NotTaken: "10404",
		Answers:  entryAnswers(),
	})
}

func TestBans(t *testing.T) {
	venuetest.RunBans(t, harness(), entryUp)
}

// entryUp reports whether an account's connection for orders is up.
func entryUp(account venues.Account) bool { return account.(*Account).entry.Up() }

func harness() venuetest.Harness {
	return venuetest.Harness{
		Simulate: simulate,
		Connect:  connect,
		Lacks: map[venuetest.Capability]string{
			venuetest.RESTSnapshots:      "the stream sends its own snapshots; u of a REST book belongs to another sequence",
			venuetest.ClientIDReuse:      "orderLinkId is always unique (110072)",
			venuetest.ContractUnits:      "quantities are in base coin",
			venuetest.SyncAck:            "an answer means only that the request was received",
			venuetest.Renewal:            "connections have no lifetime, the venue closes only silent ones",
			venuetest.PartialLiquidation: "the simulator liquidates complete positions",
			venuetest.StreamPositions:    "the stream reports changes only",
			venuetest.StreamLimits:       "the simulator does not limit streams",
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
			InstrumentState: venuetest.Swap{Old: `"status":"Trading"`, New: `"status":"Quantum"`},
			Halted:          venues.InstrumentSettling, // the venue has no state of a halt: what does not trade is delisted
			InstrumentPage:  venuetest.Swap{Old: "limit=1000", New: "limit=3"},
			PageMax:         1000,
			PageRows:        `"list":[`,
			NoMargin:        `110007`,
			Uncertain:       `10016`,
			NotListed:       `199999`,
			Answers:         restAnswers(),
			Events:          streamEvents(),
			Control:         []string{`"op":`},
			PositionEntry:   "entryPrice",
			FillsPage:       100,
			BusyBody:        `{"retCode":10016,"retMsg":"%s","result":{},"retExtInfo":{},"time":1}`,
		},
	}
}

func simulate(c venuetest.Conditions) (venuetest.Simulator, error) {
	limits := bybitsim.RateLimits{RequestsPer5s: -1, TradePerSecond: -1, QueryPerSecond: -1}
	if c.OrdersMax > 0 {
		limits.TradePerSecond, limits.EndpointSpan = c.OrdersMax, time.Hour
	}
	return bybitsim.New(bybitsim.Options{
		Setup:      simnet.Setup{Seed: 1, Quiet: !c.Lively, ClockOffset: c.ClockOffset},
		RateLimits: limits, EngineDelay: c.EngineDelay,
	})
}

func connect(restURL, streamURL string, c venuetest.Conditions) venuetest.Connector {
	o := Sim(restURL, streamURL)
	o.Timeout, o.OrderEntry = c.Timeout, c.OrderEntry
	o.BookSilenceMax, o.MarkSilenceMax, o.EventSilenceMax = c.SilenceMax, c.SilenceMax, c.SilenceMax
	if o.Dial = c.Dial; o.Dial == nil { // cases in real time use short times
		o.BackoffMin, o.BackoffMax, o.TickInterval = 10*time.Millisecond, 50*time.Millisecond, 20*time.Millisecond
	}
	return New(o)
}
