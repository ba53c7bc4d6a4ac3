package okx

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
)

func private(t *testing.T, prepare func(*script, *connectortest.Streams[command])) (*script, *connectortest.Streams[command], *connectortest.Recorder) {
	t.Helper()
	s := newScript(t)
	v := serveStreams(s)
	if _, err := s.connector.Instruments(background); err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(s, v)
	}
	h := new(connectortest.Recorder)
	f := s.account.OpenPrivate(h)
	t.Cleanup(f.Close)
	return s, v, h
}

func pushOn(channel string, rows ...string) string {
	return `{"arg":{"channel":"` + channel + `","instType":"ANY","uid":"1"},"data":[` + strings.Join(rows, ",") + `]}`
}

func TestPrivateLogsInAndSubscribes(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	logins := v.Received("", "login")
	if len(logins) != 2 {
		t.Fatalf("%d logins, want 2", len(logins))
	}
	arg := logins[0].Args[0]
	if arg["apiKey"] != scriptKey || arg["passphrase"] != scriptPassphrase || arg["sign"] != sign(scriptSecret, arg["timestamp"], "GET", loginTarget, "") {
		t.Errorf("arg = %v, want key, passphrase and signature of the account", arg)
	}
	requests := make(map[string]string)
	for _, path := range []string{pathPrivate, pathBusiness} {
		for _, m := range v.Received(path, "subscribe") {
			for _, arg := range m.Args {
				requests[arg["channel"]] = path + " " + arg["instType"] + " " + arg["extraParams"]
			}
		}
	}
	for channel, want := range map[string]string{
		"orders":      "/ws/v5/private ANY ",
		"positions":   `/ws/v5/private ANY {"updateInterval":"0"}`,
		"account":     `/ws/v5/private  {"updateInterval":"0"}`,
		"orders-algo": "/ws/v5/business ANY ",
	} {
		if requests[channel] != want {
			t.Errorf("%s: subscribed %q times, want %v", channel, requests[channel], want)
		}
	}
}

func TestPrivateReportsOrders(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	fill := anOrder(`"live"`, `"partially_filled"`, `"accFillSz":"0"`, `"accFillSz":"0.2"`, `"fillSz":"0"`, `"fillSz":"0.2"`, `"fillPx":""`, `"fillPx":"60000"`,
		`"fillTime":""`, `"fillTime":"1758827099600"`, `"tradeId":""`, `"tradeId":"11"`, `"execType":""`, `"execType":"M"`, `"fillFee":"0"`, `"fillFee":"-0.024"`,
		`"fillFeeCcy":""`, `"fillFeeCcy":"USDT"`, `"avgPx":""`, `"avgPx":"60000"`)
	v.Send(pathPrivate, pushOn(channelOrders, anOrder(), fill,
		strings.Replace(fill, `"tradeId":"11"`, `"tradeId":""`, 1),
		strings.Replace(anOrder(), "BTC-USDT-SWAP", "BTC-USDT", 1), // spot: not supported
		anOrder(`"live"`, `"canceled"`, `"cancelSource":""`, `"cancelSource":"31"`),
		anOrder(`"algoId":""`, `"algoId":"5"`, `"algoClOrdId":""`, `"algoClOrdId":"vgstop"`, `"limit"`, `"market"`, `"category":"normal"`, `"category":"partial_liquidation"`)))
	h.Await(t, "reports", func() bool { return len(h.Reports) == 5 })
	h.With(func() {
		if r := h.Reports[0]; r.Status != venues.StatusOpen || r.Qty.String() != "0.005" || r.Fill != nil || r.VenueTime.UnixMilli() != 1758827099513 {
			t.Errorf("r = %+v, want an open order of 0.005 at 1758827099513 without a fill", r)
		}
		r := h.Reports[1]
		if r.Status != venues.StatusPartiallyFilled || r.FilledQty.String() != "0.002" || r.Fill == nil {
			t.Fatalf("r = %+v, want a partially filled order with 0.002 and its fill", r)
		}
		if f := r.Fill; f.Qty.String() != "0.002" || f.Fee.Decimal.String() != "0.024" || f.FeeCurrency != "USDT" || f.Liquidity != venues.Maker || f.VenueTradeID != "11" {
			t.Errorf("f = %+v, want the maker fill 11 of 0.002 with a fee of 0.024 USDT", f)
		}
		if h.Reports[2].Fill != nil {
			t.Error("a repeated event contains a fill")
		}
		if r := h.Reports[3]; r.RejectReason == nil || r.RejectReason.Reason != venues.ReasonPostOnlyWouldTake {
			t.Errorf("r = %+v, want the reason %s", r, venues.ReasonPostOnlyWouldTake)
		}
		if r := h.Reports[4]; r.ClientOrderID != "vgstop" || r.Type != venues.TypeStopMarket || !r.Forced {
			t.Errorf("r = %+v, want the forced stop market order vgstop", r)
		}
	})
}

func TestPrivateReportsStops(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	v.Send(pathBusiness, pushOn(channelAlgos, anAlgo(), anAlgo(`"live"`, `"effective"`, `"ordId":""`, `"ordId":"77"`),
		anAlgo(`"live"`, `"order_failed"`, `"failCode":""`, `"failCode":"51008"`), anAlgo("conditional", "chase")))
	h.Await(t, "reports", func() bool { return len(h.Reports) == 2 })
	h.With(func() {
		if r := h.Reports[0]; r.Status != venues.StatusUntriggered || r.TriggerPrice.Decimal.String() != "58000" || !r.ReduceOnly || r.Price.Valid {
			t.Errorf("r = %+v, want an untriggered reduce-only stop at 58000 without a price", r)
		}
		if r := h.Reports[1]; r.Status != venues.StatusRejected || r.RejectReason.Code != venues.CodeInsufficientBalance {
			t.Errorf("r = %+v, want a stop rejected with insufficient_balance", r)
		}
	})
}

func TestPrivateReportsPositions(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	snapshot := func(page, last string, rows ...string) string {
		return strings.Replace(pushOn(channelPositions, rows...), `"data"`, `"eventType":"snapshot","curPage":`+page+`,"lastPage":`+last+`,"data"`, 1)
	}
	eth := strings.Replace(longBTC, "BTC-", "ETH-", 1)
	v.Send(pathPrivate, snapshot("1", "false", longBTC))
	v.Send(pathPrivate, snapshot("2", "true", eth))
	h.Await(t, "snapshot", func() bool { return len(h.Positions) == 2 })
	v.Send(pathPrivate, strings.Replace(pushOn(channelPositions, strings.Replace(longBTC, `"pos":"50"`, `"pos":"0"`, 1)), `"data"`, `"eventType":"event_update","data"`, 1))
	h.Await(t, "closing", func() bool { return len(h.Positions) == 3 })
	v.Send(pathPrivate, snapshot("1", "true"))
	h.Await(t, "absence", func() bool { return len(h.Positions) == 4 })
	v.Send(pathPrivate, pushOn(channelAccount, `{"details":[]}`))
	h.Await(t, "balances", func() bool { return h.Balances == 1 })
	h.With(func() {
		if p := h.Positions[2]; p.Side != venues.Long || !p.Qty.IsZero() || p.Symbol != "BTCUSDT" {
			t.Errorf("p = %+v, want a closed long in BTCUSDT", p)
		}
		if p := h.Positions[3]; p.Side != venues.Long || !p.Qty.IsZero() || p.Symbol != "ETHUSDT" {
			t.Errorf("p = %+v, want a closed long in ETHUSDT", p)
		}
	})
}

func TestPrivateConnectionsAreUpTogether(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	v.Cut(pathBusiness)
	h.Await(t, "loss and return", func() bool { return len(h.Losses) == 1 && h.Connections == 2 })
	v.Send(pathPrivate, `{"event":"channel-conn-count-error","channel":"orders","connCount":"30","connId":"a4d3ae55"}`)
	h.Await(t, "second loss and return", func() bool { return len(h.Losses) == 2 && h.Connections == 3 })
	v.Send(pathPrivate, `{"event":"notice","code":"64008","msg":"soon","connId":"x"}`)
	h.Await(t, "a successor", func() bool { return v.Connections(pathPrivate) == 3 })
	h.With(func() {
		if len(h.Losses) != 2 {
			t.Errorf("losses %v after a renewal, want none", h.Losses)
		}
	})
}

func TestPrivateUndecodableIsALoss(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	for n, bad := range []string{
		pushOn(channelOrders, anOrder(`"live"`, `"dozing"`), anOrder()),
		pushOn(channelOrders, anOrder("BTC-USDT-SWAP", "NEW-USDT-SWAP")),
		pushOn(channelPositions, strings.Replace(longBTC, `"50"`, `"x"`, 1)),
		`{"arg":{"channel":"orders"},"data":{}}`, `[`,
	} {
		v.Send(pathPrivate, bad)
		h.Await(t, "loss", func() bool { return len(h.Losses) == n+1 && h.Connections == n+2 })
	}
	h.With(func() {
		if len(h.Reports) != 1 {
			t.Errorf("reports %+v, want the one besides the malformed row", h.Reports)
		}
	})
}

func TestPrivateLoginRejected(t *testing.T) {
	rejections := []string{
		`{"event":"error","msg":"Timestamp request expired","code":"60006","connId":"x"}`,
		string(fixturetest.Lines(fixture(t, "ws_events_real.jsonl"))[0]),
	}
	_, v, h := private(t, func(s *script, v *connectortest.Streams[command]) {
		if _, err := s.connector.SyncClock(background); err != nil {
			t.Fatal(err)
		}
		v.Answer(func(c *websocket.Conn, m command) {
			if m.Op == "login" && len(rejections) > 0 {
				_ = c.WriteMessage(websocket.TextMessage, []byte(rejections[0]))
				rejections = rejections[1:]
				return
			}
			confirm(c, m)
		})
	})
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	if n := len(v.Received("", "login")); n != 4 {
		t.Errorf("%d logins, want 4", n)
	}
}

// A stream without an event for an acknowledged order is replaced.
func TestPrivateStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v, h := private(t, func(s *script, _ *connectortest.Streams[command]) {
			s.connector.options.EventSilenceMax = 50 * time.Millisecond
		})
		h.Await(t, "connection", func() bool { return h.Connections == 1 })
		s.On(placeName, 200, placedOrder)
		if _, err := s.account.Place(background, limitOrder()); err != nil {
			t.Fatal(err)
		}
		h.Await(t, "loss and return", func() bool { return len(h.Losses) == 1 && h.Connections == 2 })
		if v.Connections(pathPrivate) != 2 || v.Connections(pathBusiness) != 2 {
			t.Error("connections replaced: want both")
		}
	})
}

// A liquidation is reported without a trade id, but its execution has one: with an id of
// the connector's own it would be counted twice.
func TestForcedExecutionIsReadFromTheList(t *testing.T) {
	var row orderRecord
	text := anOrder(`"state":"live"`, `"state":"filled"`, `"accFillSz":"0"`, `"accFillSz":"0.5"`, `"fillSz":"0"`, `"fillSz":"0.5"`, `"fillPx":""`, `"fillPx":"60000"`,
		`"fillTime":""`, `"fillTime":"1758827099600"`, `"tradeId":""`, `"tradeId":"0"`, `"category":"normal"`, `"category":"full_liquidation"`)
	if err := json.Unmarshal([]byte(text), &row); err != nil {
		t.Fatal(err)
	}
	report, err := decodeOrderEvent(&row, btcSwap(t))
	if err != nil || report.Fill != nil || !report.Forced || report.FilledQty.String() != "0.005" {
		t.Errorf("report = %+v, err = %v, want a forced order of 0.005 without a fill", report, err)
	}
}
