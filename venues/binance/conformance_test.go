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
		Up:     entryUp,
		Place:  venuetest.Route{Method: "order.place", Path: "/ws-fapi/v1"},
		Amend:  venuetest.Route{Method: "order.modify", Path: "/ws-fapi/v1"},
		Cancel: venuetest.Route{Method: "order.cancel", Path: "/ws-fapi/v1"},
		Stop:   venuetest.Route{Method: "POST", Path: "/fapi/v1/algoOrder"},

		Answers: entryAnswers(),
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
			venuetest.AttachedProtection: "nothing can be attached: stop loss and take profit are algo orders of their own",
			venuetest.EntryProtection:    "nothing can be attached",
			venuetest.AmendStops:         "PUT order accepts only limit orders (-5025), and algo orders cannot be amended",
			venuetest.StreamSnapshots:    "@depth sends only changes; the streams of complete lists have at most 20 levels",
			venuetest.BookRestarts:       "no restart of update ids is documented: one would be a gap",
			venuetest.ClientIDForever:    "an id is unique among open orders only",
			venuetest.ContractUnits:      "quantities are in base coin",
			venuetest.InstrumentPages:    "exchangeInfo has no pages",
			venuetest.EntryLogin:         "session.logon requires an Ed25519 key: each request is signed instead",
			venuetest.MovedPrices:        "a price outside the band is rejected (-4016, -4024)",
			venuetest.LateOutcomes:       "an answer states what was done",
			venuetest.PartialLiquidation: "the simulator liquidates complete positions",
			venuetest.StreamPositions:    "the stream reports changes only",
			venuetest.StreamLimits:       "the simulator does not limit streams",
			venuetest.AmendAboveFilled:   "an order amended to its filled quantity is cancelled",
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
			InstrumentState: venuetest.Swap{Old: `"status":"TRADING"`, New: `"status":"QUANTUM"`},
			NoMargin:        `-2019`,
			Uncertain:       `-1007`,
			NotListed:       `-9876`,
			Answers:         restAnswers(),
			Events:          streamEvents(),
			Control:         []string{`"result":`, `"rateLimits":`},
			PositionEntry:   "ep",
			FillsPage:       1000,
			BusyBody:        `{"code":-1001,"msg":"%s"}`,
		},
	}
}

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
	o.BookSilenceMax, o.MarkSilenceMax, o.EventSilenceMax = c.SilenceMax, c.SilenceMax, c.SilenceMax
	o.ConnLifetime = c.ConnLifetime
	if o.Dial = c.Dial; o.Dial == nil { // cases in real time use short times
		o.BackoffMin, o.BackoffMax, o.TickInterval = 10*time.Millisecond, 50*time.Millisecond, 20*time.Millisecond
	}
	o.RenewOverlap = 5 * time.Second // enough time for a slow machine to subscribe
	return New(o)
}
