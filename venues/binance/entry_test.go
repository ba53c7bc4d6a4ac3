package binance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

// trades is a WebSocket API that answers as it is told, for an account whose
// connection for orders is up.
type trades struct {
	*script
	*connectortest.Streams[tradeRequest]
}

type tradeRequest struct {
	ID     string                     `json:"id"`
	Method string                     `json:"method"`
	Params map[string]json.RawMessage `json:"params"`
}

func (r tradeRequest) Verb() string { return r.Method }

// text is a parameter without its quotes.
func (r tradeRequest) text(name string) string { return strings.Trim(string(r.Params[name]), `"`) }

// values are the parameters without what signing adds, as REST would encode them.
func (r tradeRequest) values() url.Values {
	values := url.Values{}
	for name := range r.Params {
		if !slices.Contains([]string{"apiKey", "recvWindow", "signature", "timestamp"}, name) {
			values.Set(name, r.text(name))
		}
	}
	return values
}

const placed = `"status":200,"result":` + openOrder

// newTrades is a venue that answers the n-th request with the members of an envelope
// that reply makes, or with nothing; a nil reply takes every order.
func newTrades(t *testing.T, reply func(n int, in tradeRequest) string) *trades {
	t.Helper()
	if reply == nil {
		reply = func(int, tradeRequest) string { return placed }
	}
	v := &trades{script: newScriptWith(t, func(o *Options) { o.OrderEntry = venues.OrderEntryWebSocket })}
	n := 0
	v.Streams = connectortest.ServeStreams(v.Server, func(c *websocket.Conn, in tradeRequest) {
		v.checkSignature(in)
		n++
		if says := reply(n, in); says != "" {
			_ = c.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%q,%s}`, in.ID, says))
		}
	})
	entry := v.account.openEntry()
	t.Cleanup(entry.close)
	connectortest.Await(t, "the connection", entry.up)
	return v
}

// requests lists what came over the connection for orders.
func (v *trades) requests() []tradeRequest { return v.Told("/ws-fapi/v1", "") }

// checkSignature holds a request against the venue's rule: all parameters but the
// signature, sorted by name.
func (v *trades) checkSignature(in tradeRequest) {
	var pairs []string
	for name := range in.Params {
		if name != "signature" {
			pairs = append(pairs, name+"="+in.text(name))
		}
	}
	slices.Sort(pairs)
	payload := strings.Join(pairs, "&")
	if want := sign(scriptSecret, payload, ""); in.text("signature") != want || in.text("apiKey") != scriptKey {
		v.t.Errorf("%s: key %s, signature %s of %s, want %s", in.Method, in.text("apiKey"), in.text("signature"), payload, want)
	}
}

// change is one of the calls that go over the connection for orders.
type change struct {
	name, method, rest string
	do                 func(*Account) (venues.ExecutionReport, error)
}

var changes = []change{
	{"place", "order.place", "POST /fapi/v1/order", func(a *Account) (venues.ExecutionReport, error) { return a.Place(background, limitOrder()) }},
	{"amend", "order.modify", "PUT /fapi/v1/order", func(a *Account) (venues.ExecutionReport, error) {
		return a.Amend(background, venues.AmendRequest{
			OrderRef: venues.OrderRef{Symbol: "BTCUSDT", VenueOrderID: "77", Type: venues.TypeLimit},
			Side:     venues.Buy, Qty: venues.MustDecimal("0.02"), Price: dec("61000"),
		})
	}},
	{"cancel", "order.cancel", "DELETE /fapi/v1/order", func(a *Account) (venues.ExecutionReport, error) {
		return a.Cancel(background, venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", Type: venues.TypeLimit})
	}},
}

// Both carriers say the same and read the same.
func TestEntrySaysWhatRESTSays(t *testing.T) {
	v := newTrades(t, nil)
	rest := newScript(t)
	for _, c := range changes {
		rest.On(c.rest, 200, openOrder)
		want, err := c.do(rest.account)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.do(v.account)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, want)
		}
		asked := v.requests()
		in := asked[len(asked)-1]
		if in.Method != c.method || in.values().Encode() != rest.last(c.rest) {
			t.Errorf("%s: %s %s, by REST %s", c.name, in.Method, in.values().Encode(), rest.last(c.rest))
		}
		for name, raw := range in.Params {
			if isText := raw[0] == '"'; isText == slices.Contains([]string{"timestamp", "recvWindow", "orderId"}, name) {
				t.Errorf("%s: %s is %s", c.name, name, raw)
			}
		}
		if n := len(v.sent(c.rest)); n != 0 {
			t.Errorf("%s: sent %d times by REST too", c.name, n)
		}
	}
}

func TestStopsStayOnREST(t *testing.T) {
	v := newTrades(t, nil)
	v.On("POST /fapi/v1/algoOrder", 200, openAlgo)
	_, err := v.account.Place(background, orderWith(func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice, r.TriggerWhen = venues.TypeStopMarket, venues.Sell, venues.Optional{}, dec("58000"), venues.TriggerFalling
	}))
	if err != nil || len(v.requests()) != 0 {
		t.Errorf("%v, asked %d times", err, len(v.requests()))
	}
}

// A request that cannot be written as a message was not sent: REST has no numbers.
func TestRESTTakesWhatIsNoMessage(t *testing.T) {
	v := newTrades(t, nil)
	v.On("DELETE /fapi/v1/order", 400, `{"code":-1102,"msg":"Illegal orderId."}`)
	_, err := v.account.Cancel(background, venues.OrderRef{Symbol: "BTCUSDT", VenueOrderID: "none", Type: venues.TypeLimit})
	if venues.CodeOf(err) != venues.CodeInvalidRequest || len(v.requests()) != 0 {
		t.Errorf("%v, asked %d times", err, len(v.requests()))
	}
}

func TestEntryCarriesTheDeadline(t *testing.T) {
	v := newTrades(t, nil)
	if _, err := v.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	window := v.requests()[0].Params["recvWindow"]
	var ms int64
	if err := json.Unmarshal(window, &ms); err != nil || ms <= 0 || ms > orderLife.Milliseconds() {
		t.Errorf("a window of %s", window)
	}
}

// envelope is an answer that refuses.
func envelope(status int, body string) string {
	return fmt.Sprintf(`"status":%d,"error":%s`, status, body)
}

// What comes over the connection is judged by the rules of REST.
func TestEntryAnswersAreJudged(t *testing.T) {
	for _, c := range []struct {
		name, reply string
		code        venues.Code // empty for success
		unknown     bool
	}{
		{"taken", placed, "", false},
		{"no margin", envelope(400, `{"code":-2019,"msg":"Margin is insufficient."}`), venues.CodeInsufficientBalance, false},
		{"post-only", envelope(400, `{"code":-5022,"msg":"x"}`), venues.CodeOrderRejected, false},
		{"key", envelope(401, `{"code":-2015,"msg":"x"}`), venues.CodeUnauthorized, false},
		{"-1006", envelope(400, `{"code":-1006,"msg":"x"}`), venues.CodeExchangeUnavailable, true},
		{"-1007", envelope(408, `{"code":-1007,"msg":"x"}`), venues.CodeExchangeUnavailable, true},
		{"-1000", envelope(400, `{"code":-1000,"msg":"x"}`), venues.CodeExchangeUnavailable, true},
		{"throttled", envelope(503, `{"code":-1008,"msg":"x"}`), venues.CodeExchangeUnavailable, false},
		{"maintenance", envelope(503, `{"code":-1016,"msg":"x"}`), venues.CodeMaintenance, true},
		{"503", envelope(503, `{"msg":"Unknown error, please check your request or try again later."}`), venues.CodeExchangeUnavailable, true},
		{"502 without words", `"status":502`, venues.CodeExchangeUnavailable, true},
		{"no status", `"result":` + openOrder, venues.CodeExchangeUnavailable, true},
		{"status of text", `"status":"200","result":` + openOrder, venues.CodeExchangeUnavailable, true},
		{"nothing but a status", `"status":200`, venues.CodeExchangeUnavailable, true},
		{"no order", `"status":200,"result":{}`, venues.CodeExchangeUnavailable, true},
		{"error in spite of 200", `"status":200,"error":{"code":-2019,"msg":"x"}`, venues.CodeInsufficientBalance, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := newTrades(t, func(int, tradeRequest) string { return c.reply })
			_, err := v.account.Place(background, limitOrder())
			if venues.CodeOf(err) != c.code && (err != nil || c.code != "") || errors.Is(err, venues.ErrOutcomeUnknown) != c.unknown || errors.Is(err, venues.ErrNotSent) {
				t.Errorf("%v", err)
			}
			if asked, sent := len(v.requests()), len(v.sent("POST /fapi/v1/order")); asked != 1 || sent != 0 {
				t.Errorf("sent %d times by the connection and %d by REST", asked, sent)
			}
		})
	}
}

// limits are counters as the venue reports them.
func limits(weight, tens, minute int) string {
	return fmt.Sprintf(`,"rateLimits":[{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":2400,"count":%d},`+
		`{"rateLimitType":"ORDERS","interval":"SECOND","intervalNum":10,"limit":300,"count":%d},`+
		`{"rateLimitType":"ORDERS","interval":"MINUTE","intervalNum":1,"limit":1200,"count":%d}]`, weight, tens, minute)
}

// hurried is an order that cannot wait for the next span of the shortest limit.
func hurried() venues.OrderRequest {
	return orderWith(func(r *venues.OrderRequest) { r.Deadline = time.Now().Add(3 * time.Second) })
}

// refused places an order for which the limits leave no room before its deadline.
func (v *trades) refused(order venues.OrderRequest) *venues.Error {
	v.t.Helper()
	_, err := v.account.Place(background, order)
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeRateLimited {
		v.t.Fatalf("%v", err)
	}
	return e
}

func TestCountersOfEntryFeedTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newTrades(t, func(int, tradeRequest) string { return placed + limits(1, 290, 290) })
		if _, err := v.account.Place(background, limitOrder()); err != nil {
			t.Fatal(err)
		}
		if e := v.refused(hurried()); e.Details["limit"] != "orders_10s" || !errors.Is(e, venues.ErrNotSent) || len(v.requests()) != 1 {
			t.Errorf("%v, asked %d times", e, len(v.requests()))
		}
	})
}

// An order limit stops the account's orders for its span and leaves cancels.
func TestOrderLimitOnEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newTrades(t, func(n int, _ tradeRequest) string {
			if n > 1 {
				return placed
			}
			return envelope(429, `{"code":-1015,"msg":"Too many new orders; current limit is 300 orders per TEN_SECONDS."}`) + limits(5, 301, 400)
		})
		if e := v.refused(limitOrder()); e.RetryAfter != 10*time.Second || errors.Is(e, venues.ErrNotSent) || errors.Is(e, venues.ErrOutcomeUnknown) {
			t.Errorf("%v after %s", e, e.RetryAfter)
		}
		if e := v.refused(hurried()); !errors.Is(e, venues.ErrNotSent) || e.RetryAfter > 10*time.Second {
			t.Errorf("%v", e)
		}
		if _, err := changes[2].do(v.account); err != nil {
			t.Errorf("cancel: %v", err)
		}
	})
}

// A ban heard on one carrier closes both, and no new connection is tried.
func TestBanOnEntryClosesBothCarriers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until := time.Now().Add(time.Hour).UnixMilli()
		v := newTrades(t, func(int, tradeRequest) string {
			return envelope(418, fmt.Sprintf(`{"code":-1003,"msg":"Way too many requests; IP(1.2.3.4) banned until %d. Please use the websocket."}`, until))
		})
		if e := v.refused(limitOrder()); e.RetryAfter < 59*time.Minute {
			t.Errorf("%v after %s", e, e.RetryAfter)
		}
		if _, err := v.account.OpenOrders(background); venues.CodeOf(err) != venues.CodeRateLimited {
			t.Errorf("%v", err)
		}
		before := len(v.requests())
		if e := v.refused(limitOrder()); !errors.Is(e, venues.ErrNotSent) || len(v.requests()) != before {
			t.Errorf("%v, asked %d times", e, len(v.requests()))
		}
		if _, err := v.account.entry.Load().address(background); venues.CodeOf(err) != venues.CodeRateLimited {
			t.Errorf("a connection is tried during the ban: %v", err)
		}
	})
}

// A refused timestamp is definite: the clock is read, the order signed once more
// under its old deadline.
func TestClockRefusalOnEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newTrades(t, func(n int, _ tradeRequest) string {
			if n == 1 {
				return envelope(400, `{"code":-1021,"msg":"Timestamp for this request is outside of the recvWindow."}`)
			}
			return placed
		})
		v.now = func() time.Time { return time.Now().Add(time.Minute) }
		order := limitOrder()
		if _, err := v.account.Place(background, order); err != nil {
			t.Fatal(err)
		}
		asked := v.requests()
		if len(asked) != 2 {
			t.Fatalf("asked %d times", len(asked))
		}
		var sentAt, window int64
		_ = json.Unmarshal(asked[1].Params["timestamp"], &sentAt)
		_ = json.Unmarshal(asked[1].Params["recvWindow"], &window)
		end := time.UnixMilli(sentAt + window).Add(-v.connector.clock.Offset())
		if late := end.Sub(order.Deadline).Abs(); late > 5*time.Millisecond {
			t.Errorf("the second one may be executed until %s, want %s", end, order.Deadline)
		}
	})
}

func TestRESTTakesOverWithoutEntry(t *testing.T) {
	v := newTrades(t, nil)
	v.On("POST /fapi/v1/order", 200, openOrder)
	v.account.entry.Load().close()
	if _, err := v.account.Place(background, limitOrder()); err != nil || len(v.requests()) != 0 || len(v.sent("POST /fapi/v1/order")) != 1 {
		t.Errorf("%v, asked %d times", err, len(v.requests()))
	}
}

// A connection that ends with an order on it leaves its outcome open; nothing is
// sent by REST.
func TestConnectionLostWithAnOrder(t *testing.T) {
	v := newTrades(t, nil)
	v.Answer(func(c *websocket.Conn, _ tradeRequest) { c.Close() })
	_, err := v.account.Place(background, limitOrder())
	if !errors.Is(err, venues.ErrOutcomeUnknown) || len(v.sent("POST /fapi/v1/order")) != 0 {
		t.Errorf("%v", err)
	}
	connectortest.Await(t, "the next connection", func() bool { return v.Connections("") == 2 })
}

// A server that announces its end is left before it comes.
func TestShutdownIsAnnounced(t *testing.T) {
	v := newTrades(t, nil)
	v.Say("", `{"event":{"e":"serverShutdown","E":1770123456789}}`)
	connectortest.Await(t, "the next connection", func() bool { return v.Connections("") == 2 && v.account.entry.Load().up() })
	if _, err := v.account.Place(background, limitOrder()); err != nil || len(v.requests()) != 1 {
		t.Errorf("%v", err)
	}
}

// A refusal that names no request may be that of any: its answer is not waited for
// as long as others.
func TestNamelessRefusalEndsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newTrades(t, nil)
		v.Answer(func(c *websocket.Conn, _ tradeRequest) {
			const revoked = `{"id":null,"status":401,"error":{"code":-2015,"msg":"Invalid API-key, IP, or permissions for action."}}`
			_ = c.WriteMessage(websocket.TextMessage, []byte(revoked))
		})
		begun := time.Now()
		_, err := v.account.Place(background, limitOrder())
		if took := time.Since(begun); !errors.Is(err, venues.ErrOutcomeUnknown) || took > v.connector.options.Timeout/2 {
			t.Errorf("%v after %s", err, took)
		}
		connectortest.Await(t, "the next connection", func() bool { return v.Connections("") == 2 })
	})
}

// A member error that is null is none.
func TestAnAnswerWithAnErrorOfNull(t *testing.T) {
	v := newTrades(t, func(int, tradeRequest) string { return strings.TrimSuffix(placed, "}") + `,"error":null}` })
	if _, err := v.account.Place(background, limitOrder()); err != nil {
		t.Error(err)
	}
	v.Say("", `{"id":null,"status":200,"result":{},"error":null}`)
	if _, err := v.account.Place(background, limitOrder()); err != nil || v.Connections("") != 1 {
		t.Errorf("%v, %d connections", err, v.Connections(""))
	}
}

func TestSpanOfALimit(t *testing.T) {
	for limit, want := range map[usedLimit]time.Duration{
		{Interval: "SECOND", IntervalNum: 10}:      10 * time.Second,
		{Interval: "MINUTE", IntervalNum: 1}:       time.Minute,
		{Interval: "DAY", IntervalNum: 1}:          spanMax,
		{Interval: "MINUTE", IntervalNum: -1}:      spanMax,
		{Interval: "MINUTE", IntervalNum: 1 << 60}: spanMax,
	} {
		if got := limit.span(); got != want {
			t.Errorf("%+v: %s, want %s", limit, got, want)
		}
	}
}

func TestOptionsNeedATradeURL(t *testing.T) {
	o := Sim("http://127.0.0.1:1", "ws://127.0.0.1:1")
	o.OrderEntry = venues.OrderEntryWebSocket
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	if o.TradeURL = ""; o.Validate() == nil {
		t.Error("orders go nowhere")
	}
	for _, name := range []string{Live, Testnet} {
		if preset, _ := Preset(name); !strings.HasPrefix(preset.TradeURL, "wss://") {
			t.Errorf("%s: %q", name, preset.TradeURL)
		}
	}
}

func FuzzEntryAnswer(f *testing.F) {
	f.Add([]byte(`{"id":"1",` + placed + limits(1, 2, 3) + `}`))
	f.Add([]byte(`{"id":"1",` + envelope(429, `{"code":-1015,"msg":"x"}`) + limits(1, 301, 3) + `}`))
	f.Add([]byte(`{"id":null,"status":401,"error":{}}`))
	f.Add([]byte(`{"id":"1","status":429,"rateLimits":[{"limit":1,"count":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		answerID(data)
		answer, err := parseEntryAnswer(data)
		if err != nil {
			return
		}
		if answer.Status <= 0 || !json.Valid(data) || len(answer.Body) > 0 && !bytes.Contains(data, answer.Body) {
			t.Fatalf("%+v", answer)
		}
	})
}
