package okx

import (
	"strconv"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/venuetest"
)

func TestConformance(t *testing.T) { venuetest.Run(t, harness()) }

func TestConformanceWebSocket(t *testing.T) {
	venuetest.RunWebSocket(t, harness(), venuetest.OrderEntry{
		Up:     func(account venues.Account) bool { return account.(*Account).entry.Load().up() },
		Place:  venuetest.Route{Method: "op:order", Path: pathPrivate},
		Amend:  venuetest.Route{Method: "op:amend-order", Path: pathPrivate},
		Cancel: venuetest.Route{Method: "op:cancel-order", Path: pathPrivate},
		Stop:   venuetest.Route{Method: "POST", Path: algoPath},
		Login:  venuetest.Route{Method: "op:login", Path: pathPrivate},

		NotTaken: strconv.Quote(strconv.Itoa(codeLoggedOut)),
	})
}

func harness() venuetest.Harness {
	return venuetest.Harness{
		Simulate: simulate,
		Connect:  connect,
		Lacks: map[venuetest.Capability]string{
			venuetest.RESTSnapshots:   "the stream brings its own snapshots",
			venuetest.ClientIDForever: "an id is unique among open orders",
			venuetest.InstrumentPages: "the list comes whole",
			venuetest.SyncAck:         "an answer says only that the request was taken",
			venuetest.OrderedEvents:   "stops and the orders they become are told on two connections",
			venuetest.MinNotional:     "the least quantity is the only floor",
			venuetest.MovedPrices:     "a price outside the band is refused",
		},
		Wire: venuetest.Wire{
			Place:           venuetest.Route{Method: "POST", Path: "/api/v5/trade/order"},
			Amend:           venuetest.Route{Method: "POST", Path: "/api/v5/trade/amend-order"},
			Cancel:          venuetest.Route{Method: "POST", Path: "/api/v5/trade/cancel-order"},
			Query:           venuetest.Route{Method: "GET", Path: "/api/v5/trade/order"},
			OpenOrders:      venuetest.Route{Method: "GET", Path: "/api/v5/trade/orders-pending"},
			Instruments:     venuetest.Route{Method: "GET", Path: "/api/v5/public/instruments"},
			SetLeverage:     venuetest.Route{Method: "POST", Path: "/api/v5/account/set-leverage"},
			PublicStream:    "/ws/v5/public",
			PrivateStream:   "/ws/v5/private",
			BookTopic:       "books:BTC-USDT-SWAP",
			OrderTopic:      "orders",
			OrderState:      venuetest.Swap{Old: `"state":"live"`, New: `"state":"quantum"`},
			OrderStateEvent: venuetest.Swap{Old: `"state":"live"`, New: `"state":"novel"`},
			OrderStateType:  venuetest.Swap{Old: `"state":"live"`, New: `"state":[7]`},
			InstrumentState: venuetest.Swap{Old: `"state":"live"`, New: `"state":"quantum"`},
			BookKey:         venuetest.Swap{Old: `"seqId":`, New: `"seq?d":`},
			NoMargin:        `"51008"`,
			Uncertain:       `"50004"`,
			NotListed:       `"51987"`,
			Answers: []venuetest.Answer{
				{
					Read: "instruments", Route: venuetest.Route{Method: "GET", Path: "/api/v5/public/instruments"},
					Figures:      []string{"tickSz", "lotSz", "minSz", "ctVal"},
					Descriptions: []string{"maxLmtSz"},
					Labels:       []string{"ruleType"},
				},
				{
					Read: "clock", Route: venuetest.Route{Method: "GET", Path: "/api/v5/public/time"},
					Figures: []string{"ts"},
				},
				{
					Read: "mode", Route: venuetest.Route{Method: "GET", Path: "/api/v5/account/config"},
					Words: []string{"acctLv", "posMode"},
				},
				{
					Read: "balances", Route: venuetest.Route{Method: "GET", Path: "/api/v5/account/balance"},
					Figures:      []string{"eq"},
					Descriptions: []string{"upl"},
				},
				{
					Read: "positions", Route: venuetest.Route{Method: "GET", Path: "/api/v5/account/positions"},
					Words:        []string{"posSide", "mgnMode"},
					Figures:      []string{"pos"},
					Descriptions: []string{"avgPx", "markPx", "upl", "lever"},
					Labels:       []string{"adl"},
				},
				{
					Read: "open orders", Route: venuetest.Route{Method: "GET", Path: "/api/v5/trade/orders-pending"},
					Words:        []string{"state", "side", "ordType"},
					Figures:      []string{"sz", "accFillSz"},
					Descriptions: []string{"px", "lever", "category"},
					Labels:       []string{"category", "stpMode"},
				},
				{
					Read: "order", Route: venuetest.Route{Method: "GET", Path: "/api/v5/trade/order"},
					Words:        []string{"state", "side", "ordType"},
					Figures:      []string{"sz", "accFillSz"},
					Descriptions: []string{"px", "lever", "category"},
					Labels:       []string{"category", "stpMode"},
				},
				{
					Read: "fills", Route: venuetest.Route{Method: "GET", Path: "/api/v5/trade/fills"},
					Words:        []string{"side"},
					Figures:      []string{"fillPx", "fillSz"},
					Descriptions: []string{"fillPnl", "feeCcy", "execType"},
					Labels:       []string{"execType", "feeCcy"},
				},
			},
			OrderEvent: venuetest.Event{
				Mark:  `"channel":"orders"`,
				Words: []string{"state", "side", "ordType"}, Figures: []string{"sz", "accFillSz"},
				Descriptions: []string{"avgPx", "lever", "category", "cancelSource", "feeCcy"}, Labels: []string{"category", "source", "stpMode"},
			},
			FillEvent: venuetest.Event{Mark: `"channel":"orders"`, Figures: []string{"fillSz", "fillPx"}},
			PositionEvent: venuetest.Event{
				Mark:  `"channel":"positions"`,
				Words: []string{"posSide", "mgnMode"}, Figures: []string{"pos"},
				Descriptions: []string{"markPx", "upl", "lever", "uTime"}, Entry: "avgPx",
			},
			WalletEvent: venuetest.Event{Mark: `"channel":"account"`, Figures: []string{"cashBal", "eq"}},
			BookEvent:   venuetest.Event{Mark: `"channel":"books"`},
			TradeEvent:  venuetest.Event{Mark: `"channel":"trades"`, Words: []string{"side"}, Figures: []string{"px", "sz"}},
			CandleEvent: venuetest.Event{Mark: `"channel":"candle1m"`},
			MarkEvent:   venuetest.Event{Mark: `"channel":"mark-price"`, Figures: []string{"markPx"}},
			FillsPage:   100,
			BusyBody:    `{"code":"50026","data":[],"msg":"System error. Try again later"}`,
		},
	}
}

func TestEveryRecordingIsRead(t *testing.T) { venuetest.RecordingsAreRead(t, venues.OKX) }

func simulate(c venuetest.Conditions) (venuetest.Simulator, error) {
	limits := okxsim.RateLimits{Off: true}
	if c.OrdersMax > 0 {
		limits = okxsim.RateLimits{OrdersPerWindow: c.OrdersMax, Window: time.Hour}
	}
	return okxsim.New(okxsim.Options{
		Setup:        simnet.Setup{Seed: 1, Quiet: !c.Lively, ClockOffset: c.ClockOffset},
		RateLimits:   limits,
		ConnLifetime: c.ConnLifetime,
	})
}

func connect(restURL, streamURL string, c venuetest.Conditions) venuetest.Connector {
	o := Sim(restURL, streamURL)
	o.Timeout, o.OrderEntry = c.Timeout, c.OrderEntry
	o.BookSilenceMax, o.EventSilenceMax = c.SilenceMax, c.SilenceMax
	o.BackoffMin, o.BackoffMax = 10*time.Millisecond, 50*time.Millisecond
	o.tickInterval = 20 * time.Millisecond
	return New(o)
}
