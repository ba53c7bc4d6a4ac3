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

// trades is a WebSocket API with scripted answers, for an account whose connection for
// orders is up.
type trades struct {
	*script
	*connectortest.Streams[tradeRequest]
	closeEntry func()
}

type tradeRequest struct {
	ID     string                     `json:"id"`
	Method string                     `json:"method"`
	Params map[string]json.RawMessage `json:"params"`
}

func (r tradeRequest) Verb() string { return r.Method }

// text returns a parameter without its quotes.
func (r tradeRequest) text(name string) string { return strings.Trim(string(r.Params[name]), `"`) }

// values returns the parameters without those added by signing, as REST encodes them.
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

// newTrades returns a venue that answers the n-th request with the members of an envelope
// that reply returns, or not at all; a nil reply accepts every order.
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
		if text := reply(n, in); text != "" {
			_ = c.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%q,%s}`, in.ID, text))
		}
	})
	v.closeEntry = v.account.openEntry()
	t.Cleanup(v.closeEntry)
	connectortest.Await(t, "connection", v.account.entry.Up)
	return v
}

// requests returns the requests on the connection for orders.
func (v *trades) requests() []tradeRequest { return v.Received("/ws-fapi/v1", "") }

// checkSignature checks a request against the venue's rule: all parameters but the
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

// change is one of the calls that use the connection for orders.
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

// WebSocket and REST requests have equal parameters and equal results.
func TestEntryEqualsREST(t *testing.T) {
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
			t.Errorf("%s: %s %s, want %s with the parameters of REST %s", c.name, in.Method, in.values().Encode(), c.method, rest.last(c.rest))
		}
		for name, raw := range in.Params {
			if isText := raw[0] == '"'; isText == slices.Contains([]string{"timestamp", "recvWindow", "orderId"}, name) {
				t.Errorf("%s: %s is %s, want a number for timestamp, recvWindow and orderId only", c.name, name, raw)
			}
		}
		if n := len(v.sent(c.rest)); n != 0 {
			t.Errorf("%s: also sent %d times by REST, want 0", c.name, n)
		}
	}
}

func TestStopsGoByREST(t *testing.T) {
	v := newTrades(t, nil)
	v.On("POST /fapi/v1/algoOrder", 200, openAlgo)
	_, err := v.account.Place(background, orderWith(func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice, r.TriggerDirection = venues.TypeStopMarket, venues.Sell, venues.Optional{}, dec("58000"), venues.TriggerFalling
	}))
	if err != nil || len(v.requests()) != 0 {
		t.Errorf("error %v, %d requests by WebSocket, want none", err, len(v.requests()))
	}
}

// A request that cannot be encoded as a message was not sent, and goes by REST.
func TestUnencodableRequestGoesByREST(t *testing.T) {
	v := newTrades(t, nil)
	v.On("DELETE /fapi/v1/order", 400, `{"code":-1102,"msg":"Illegal orderId."}`)
	_, err := v.account.Cancel(background, venues.OrderRef{Symbol: "BTCUSDT", VenueOrderID: "none", Type: venues.TypeLimit})
	if venues.CodeOf(err) != venues.CodeInvalidRequest || len(v.requests()) != 0 {
		t.Errorf("error %v, %d requests by WebSocket, want invalid_request and none", err, len(v.requests()))
	}
}

func TestEntryHasTheDeadline(t *testing.T) {
	v := newTrades(t, nil)
	if _, err := v.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	window := v.requests()[0].Params["recvWindow"]
	var ms int64
	if err := json.Unmarshal(window, &ms); err != nil || ms <= 0 || ms > orderLife.Milliseconds() {
		t.Errorf("receive window %s, want at most %d", window, orderLife.Milliseconds())
	}
}

// envelope returns an answer with an error.
func envelope(status int, body string) string {
	return fmt.Sprintf(`"status":%d,"error":%s`, status, body)
}

// Answers on the connection are classified by the rules of REST.
func TestEntryAnswersAreClassified(t *testing.T) {
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
				t.Errorf("error %v, want code %q, unknown outcome %v", err, c.code, c.unknown)
			}
			if asked, sent := len(v.requests()), len(v.sent("POST /fapi/v1/order")); asked != 1 || sent != 0 {
				t.Errorf("%d requests by WebSocket and %d by REST, want 1 and 0", asked, sent)
			}
		})
	}
}

// limits returns counters as the venue reports them.
func limits(weight, tens, minute int) string {
	return fmt.Sprintf(`,"rateLimits":[{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":2400,"count":%d},`+
		`{"rateLimitType":"ORDERS","interval":"SECOND","intervalNum":10,"limit":300,"count":%d},`+
		`{"rateLimitType":"ORDERS","interval":"MINUTE","intervalNum":1,"limit":1200,"count":%d}]`, weight, tens, minute)
}

// hurried returns an order that cannot wait for the next span of the shortest limit.
func hurried() venues.OrderRequest {
	return orderWith(func(r *venues.OrderRequest) { r.Deadline = time.Now().Add(3 * time.Second) })
}

// rejected places an order for which the rate limits have no units before its deadline.
func (v *trades) rejected(order venues.OrderRequest) *venues.Error {
	v.t.Helper()
	_, err := v.account.Place(background, order)
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeRateLimited {
		v.t.Fatalf("error %v, want rate_limited", err)
	}
	return e
}

func TestEntryCountersReachTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newTrades(t, func(int, tradeRequest) string { return placed + limits(1, 290, 290) })
		if _, err := v.account.Place(background, limitOrder()); err != nil {
			t.Fatal(err)
		}
		if e := v.rejected(hurried()); e.Details["limit"] != "orders_10s" || !errors.Is(e, venues.ErrNotSent) || len(v.requests()) != 1 {
			t.Errorf("error %v, %d requests, want ErrNotSent by orders_10s after 1 request", e, len(v.requests()))
		}
	})
}

// An order limit stops the account's orders for its span, and not its cancels.
func TestOrderLimitOnEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newTrades(t, func(n int, _ tradeRequest) string {
			if n > 1 {
				return placed
			}
			return envelope(429, `{"code":-1015,"msg":"Too many new orders; current limit is 300 orders per TEN_SECONDS."}`) + limits(5, 301, 400)
		})
		if e := v.rejected(limitOrder()); e.RetryAfter != 10*time.Second || errors.Is(e, venues.ErrNotSent) || errors.Is(e, venues.ErrOutcomeUnknown) {
			t.Errorf("error %v, RetryAfter %s, want a definite rejection with 10 s", e, e.RetryAfter)
		}
		if e := v.rejected(hurried()); !errors.Is(e, venues.ErrNotSent) || e.RetryAfter > 10*time.Second {
			t.Errorf("error %v, want ErrNotSent with RetryAfter of at most 10 s", e)
		}
		if _, err := changes[2].do(v.account); err != nil {
			t.Errorf("cancel: error %v, want none", err)
		}
	})
}

// A ban received by WebSocket also stops REST, and no new connection is dialled.
func TestBanOnEntryStopsREST(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until := time.Now().Add(time.Hour).UnixMilli()
		v := newTrades(t, func(int, tradeRequest) string {
			return envelope(418, fmt.Sprintf(`{"code":-1003,"msg":"Way too many requests; IP(1.2.3.4) banned until %d. Please use the websocket."}`, until))
		})
		if e := v.rejected(limitOrder()); e.RetryAfter < 59*time.Minute {
			t.Errorf("error %v, RetryAfter %s, want the rest of the hour", e, e.RetryAfter)
		}
		if _, err := v.account.OpenOrders(background); venues.CodeOf(err) != venues.CodeRateLimited {
			t.Errorf("reads during the ban: error %v, want rate_limited", err)
		}
		before := len(v.requests())
		if e := v.rejected(limitOrder()); !errors.Is(e, venues.ErrNotSent) || len(v.requests()) != before {
			t.Errorf("error %v, %d requests, want ErrNotSent after %d", e, len(v.requests()), before)
		}
		if _, err := v.account.entryAddress(background); venues.CodeOf(err) != venues.CodeRateLimited {
			t.Errorf("dial during the ban: error %v, want rate_limited", err)
		}
	})
}

// A rejected timestamp is definite: the clock is measured, and the order signed once more
// under its old deadline.
func TestRejectedTimestampOnEntry(t *testing.T) {
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
			t.Fatalf("%d requests, want 2", len(asked))
		}
		var sentAt, window int64
		_ = json.Unmarshal(asked[1].Params["timestamp"], &sentAt)
		_ = json.Unmarshal(asked[1].Params["recvWindow"], &window)
		end := time.UnixMilli(sentAt + window).Add(-v.connector.Clock.Offset())
		if late := end.Sub(order.Deadline).Abs(); late > 5*time.Millisecond {
			t.Errorf("the second one may be executed until %s, want %s", end, order.Deadline)
		}
	})
}

func TestOrdersGoByRESTWithoutEntry(t *testing.T) {
	v := newTrades(t, nil)
	v.On("POST /fapi/v1/order", 200, openOrder)
	v.closeEntry()
	if _, err := v.account.Place(background, limitOrder()); err != nil || len(v.requests()) != 0 || len(v.sent("POST /fapi/v1/order")) != 1 {
		t.Errorf("error %v, %d requests by WebSocket, want none and one by REST", err, len(v.requests()))
	}
}

// The outcome of an order is unknown if its connection ends. Nothing is sent by REST.
func TestOutcomeOfLostConnectionIsUnknown(t *testing.T) {
	v := newTrades(t, nil)
	v.Answer(func(c *websocket.Conn, _ tradeRequest) { c.Close() })
	_, err := v.account.Place(background, limitOrder())
	if !errors.Is(err, venues.ErrOutcomeUnknown) || len(v.sent("POST /fapi/v1/order")) != 0 {
		t.Errorf("error %v, %d orders by REST, want an unknown outcome and none by REST", err, len(v.sent("POST /fapi/v1/order")))
	}
	connectortest.Await(t, "next connection", func() bool { return v.Connections("") == 2 })
}

// A connection is replaced when its server announces the end.
func TestAnnouncedShutdownReplacesTheConnection(t *testing.T) {
	v := newTrades(t, nil)
	v.Send("", `{"event":{"e":"serverShutdown","E":1770123456789}}`)
	connectortest.Await(t, "next connection", func() bool { return v.Connections("") == 2 && v.account.entry.Up() })
	if _, err := v.account.Place(background, limitOrder()); err != nil || len(v.requests()) != 1 {
		t.Errorf("error %v, %d requests, want one request without error", err, len(v.requests()))
	}
}

// A rejection without an id may be that of any request, so pending ones wait less for
// their answers.
func TestRejectionWithoutIDFailsPendingRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newTrades(t, nil)
		v.Answer(func(c *websocket.Conn, _ tradeRequest) {
			const revoked = `{"id":null,"status":401,"error":{"code":-2015,"msg":"Invalid API-key, IP, or permissions for action."}}`
			_ = c.WriteMessage(websocket.TextMessage, []byte(revoked))
		})
		begun := time.Now()
		_, err := v.account.Place(background, limitOrder())
		if took := time.Since(begun); !errors.Is(err, venues.ErrOutcomeUnknown) || took > v.connector.options.Timeout/2 {
			t.Errorf("error %v after %s, want an unknown outcome within %s", err, took, v.connector.options.Timeout/2)
		}
		connectortest.Await(t, "next connection", func() bool { return v.Connections("") == 2 })
	})
}

// An error member that is null is none.
func TestNullErrorIsSuccess(t *testing.T) {
	v := newTrades(t, func(int, tradeRequest) string { return strings.TrimSuffix(placed, "}") + `,"error":null}` })
	if _, err := v.account.Place(background, limitOrder()); err != nil {
		t.Error(err)
	}
	v.Send("", `{"id":null,"status":200,"result":{},"error":null}`)
	if _, err := v.account.Place(background, limitOrder()); err != nil || v.Connections("") != 1 {
		t.Errorf("error %v, %d connections, want no error and 1", err, v.Connections(""))
	}
}

func TestRateLimitSpan(t *testing.T) {
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
		t.Error("Validate without TradeURL: no error")
	}
	for _, name := range []string{Live, Testnet} {
		if preset, _ := Preset(name); !strings.HasPrefix(preset.TradeURL, "wss://") {
			t.Errorf("%s: TradeURL %q, want one with the scheme wss", name, preset.TradeURL)
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
			t.Fatalf("answer %+v of %s, want a status and a body of the message", answer, data)
		}
	})
}
