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
		Up:     func(account venues.Account) bool { return account.(*Account).entry.Up() },
		Place:  venuetest.Route{Method: "op:order", Path: pathPrivate},
		Amend:  venuetest.Route{Method: "op:amend-order", Path: pathPrivate},
		Cancel: venuetest.Route{Method: "op:cancel-order", Path: pathPrivate},
		Stop:   venuetest.Route{Method: "POST", Path: algoPath},
		Login:  venuetest.Route{Method: "op:login", Path: pathPrivate},

		NotTaken: strconv.Quote(strconv.Itoa(codeLoggedOut)),
		Answers:  entryAnswers(),
	})
}

func harness() venuetest.Harness {
	return venuetest.Harness{
		Simulate: simulate,
		Connect:  connect,
		Lacks: map[venuetest.Capability]string{
			venuetest.RESTSnapshots:    "the stream sends its own snapshots",
			venuetest.ClientIDForever:  "an id is unique among open orders only",
			venuetest.InstrumentPages:  "public/instruments has no pages",
			venuetest.EntryProtection:  "the WebSocket operations document no attachAlgoOrds: such orders go by REST",
			venuetest.SyncAck:          "an answer means only that the request was received",
			venuetest.OrderedEvents:    "stops are reported on /business, the orders that they become on /private",
			venuetest.MinNotional:      "minSz is the only minimum (51020)",
			venuetest.MovedPrices:      "a price outside the band is rejected (51006) unless the order itself allows the venue to move it",
			venuetest.AmendAboveFilled: "an order amended to its filled quantity is filled",
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
			PositionTopic:   "positions",
			InstrumentState: venuetest.Swap{Old: `"state":"live"`, New: `"state":"quantum"`},
			NoMargin:        `"51008"`,
			Uncertain:       `"50004"`,
			NotListed:       `"51987"`,
			Answers:         restAnswers(),
			Events:          streamEvents(),
			Control:         []string{`"event":"`, `pong`},
			PositionEntry:   "avgPx",
			FillsPage:       100,
			BusyBody:        `{"code":"50026","data":[],"msg":"%s"}`,
		},
	}
}

func simulate(c venuetest.Conditions) (venuetest.Simulator, error) {
	limits := okxsim.RateLimits{Off: true}
	switch {
	case c.StreamsMax > 0:
		limits = okxsim.RateLimits{ConnsPerChannel: c.StreamsMax}
	case c.OrdersMax > 0:
		limits = okxsim.RateLimits{OrdersPerWindow: c.OrdersMax, Window: time.Hour}
	}
	return okxsim.New(okxsim.Options{
		Setup:        simnet.Setup{Seed: 1, Quiet: !c.Lively, ClockOffset: c.ClockOffset},
		RateLimits:   limits,
		ConnLifetime: c.ConnLifetime, EngineDelay: c.EngineDelay, SnapshotRowsMax: 1,
	})
}

func connect(restURL, streamURL string, c venuetest.Conditions) venuetest.Connector {
	o := Sim(restURL, streamURL)
	o.Timeout, o.OrderEntry = c.Timeout, c.OrderEntry
	o.BookSilenceMax, o.MarkSilenceMax, o.EventSilenceMax = c.SilenceMax, c.SilenceMax, c.SilenceMax
	o.BackoffMin, o.BackoffMax = 10*time.Millisecond, 50*time.Millisecond
	o.RenewOverlap = 5 * time.Second // enough time for a slow machine to subscribe
	o.TickInterval = 20 * time.Millisecond
	return New(o)
}
