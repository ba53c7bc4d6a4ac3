package binancesim_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

const apiPath = "/ws-fapi/v1"

// fields are the parameters of a request to the WebSocket API.
type fields map[string]any

// with returns a copy with more fields; a nil value removes one.
func (f fields) with(more fields) fields {
	f = maps.Clone(f)
	for name, value := range more {
		if f[name] = value; value == nil {
			delete(f, name)
		}
	}
	return f
}

// payload is what the signature covers: names in alphabetical order.
func (f fields) payload() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		parts = append(parts, name+"="+fmt.Sprint(f[name]))
	}
	return strings.Join(parts, "&")
}

// limitBuyFields rest in the book.
var limitBuyFields = fields{
	"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.010", "price": "60000.0",
}

// signedFields returns the parameters of a valid signed request.
func (v *venue) signedFields(f fields) fields {
	f = fields{"apiKey": v.Credentials.APIKey, "timestamp": v.Now().UnixMilli(), "recvWindow": 60_000}.with(f)
	return f.with(fields{"signature": simtest.HMACHex(v.Credentials.APISecret, f.payload())})
}

// sendRaw sends a request as it is.
func (s *stream) sendRaw(id any, method string, f fields) {
	s.Helper()
	data, err := json.Marshal(map[string]any{"id": id, "method": method, "params": f})
	if err != nil {
		s.Fatal(err)
	}
	s.Send(string(data))
}

// api is a connection to the WebSocket API with the account's calls.
type api struct {
	*stream
	venue *venue
}

func (v *venue) api() api {
	v.Helper()
	return api{stream: v.stream(apiPath), venue: v}
}

// call sends a signed request and returns its answer.
func (a api) call(method string, f fields) map[string]any {
	a.Helper()
	a.sendRaw("call", method, a.venue.signedFields(f))
	answer := a.Next()
	if answer["id"] != "call" {
		a.Fatalf(`answer = %v, want answer["id"] == "call"`, answer)
	}
	return answer
}

// ok returns the result of a call that must succeed.
func (a api) ok(method string, f fields) map[string]any {
	a.Helper()
	answer := a.call(method, f)
	if statusOf(answer) != http.StatusOK || answer["error"] != nil {
		a.Fatalf(`%s: %v, want statusOf(answer) == http.StatusOK && answer["error"] == nil`, method, answer)
	}
	return answer["result"].(map[string]any)
}

func statusOf(answer map[string]any) int {
	n, _ := answer["status"].(json.Number).Int64()
	return int(n)
}

// codeOf returns the error code of an answer.
func codeOf(answer map[string]any) (code int, message string) {
	failed, ok := answer["error"].(map[string]any)
	if !ok {
		return 0, ""
	}
	n, _ := failed["code"].(json.Number).Int64()
	return int(n), failed["msg"].(string)
}

func TestOrderOverTheSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		placed := a.ok("order.place", limitBuyFields.with(fields{"newClientOrderId": "x"}))
		if placed["status"] != "NEW" || placed["clientOrderId"] != "x" || placed["cumQty"] != "0.000" || placed["avgPrice"] != nil {
			t.Errorf(`placed = %v, want placed["status"] == "NEW" && placed["clientOrderId"] == "x" && placed["cumQty"] == "0.000" && placed["avgPrice"] == nil`, placed)
		}
		ref := fields{"symbol": "BTCUSDT", "origClientOrderId": "x"}
		changed := a.ok("order.modify", ref.with(fields{"side": "BUY", "quantity": "0.020", "price": "61000.0"}))
		if changed["price"] != "61000.00" || changed["origQty"] != "0.020" || changed["orderId"] != placed["orderId"] {
			t.Errorf(`changed = %v, want changed["price"] == "61000.00" && changed["origQty"] == "0.020" && changed["orderId"] == placed["orderId"]`, changed)
		}
		if seen := a.ok("order.status", ref); seen["status"] != "NEW" || seen["time"] == nil {
			t.Errorf(`seen = %v, want seen["status"] == "NEW" && seen["time"] != nil`, seen)
		}
		gone := a.ok("v1/order.cancel", fields{"symbol": "BTCUSDT", "orderId": json.Number(fmt.Sprint(placed["orderId"]))})
		if gone["status"] != "CANCELED" {
			t.Errorf(`gone = %v, want gone["status"] == "CANCELED"`, gone)
		}
		if code, _ := codeOf(a.call("order.cancel", ref)); code != -2011 {
			t.Errorf("code = %d, want code == -2011", code)
		}
		taken := a.ok("order.place", fields{"symbol": "BTCUSDT", "side": "SELL", "type": "MARKET", "quantity": "0.010", "newOrderRespType": "RESULT"})
		if taken["status"] != "FILLED" {
			t.Errorf(`taken = %v, want taken["status"] == "FILLED"`, taken)
		}
	})
}

func TestStopOverTheSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		placed := a.ok("algoOrder.place", fields{
			"algoType": "CONDITIONAL", "symbol": "BTCUSDT", "side": "BUY", "type": "STOP_MARKET",
			"quantity": "0.010", "triggerPrice": "70000.0", "clientAlgoId": "s",
		})
		if placed["algoStatus"] != "NEW" {
			t.Errorf(`placed = %v, want placed["algoStatus"] == "NEW"`, placed)
		}
		if gone := a.ok("algoOrder.cancel", fields{"clientAlgoId": "s"}); gone["code"] != "200" {
			t.Errorf(`gone = %v, want gone["code"] == "200"`, gone)
		}
	})
}

func TestEnvelopeOfTheSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		messages := v.DialBytes(apiPath)
		a := v.api()
		for _, id := range []any{"text", 7, nil} {
			a.sendRaw(id, "session.status", nil)
			if got := a.Next()["id"]; fmt.Sprint(got) != fmt.Sprint(id) {
				t.Errorf("asked %v, answered %v, want fmt.Sprint(got) == fmt.Sprint(id)", id, got)
			}
		}
		answer := a.call("order.place", limitBuyFields)
		limits := answer["rateLimits"].([]any)
		for i, want := range []string{"REQUEST_WEIGHT MINUTE 1 2400", "ORDERS SECOND 10 300 1", "ORDERS MINUTE 1 1200 1"} {
			limit := limits[i].(map[string]any)
			got := fmt.Sprint(limit["rateLimitType"], " ", limit["interval"], " ", limit["intervalNum"], " ", limit["limit"], " ", limit["count"])
			if !strings.HasPrefix(got, want) {
				t.Errorf("%s, want %s", got, want)
			}
		}
		if hidden := a.call("order.place", limitBuyFields.with(fields{"returnRateLimits": false})); hidden["rateLimits"] != nil {
			t.Errorf(`hidden = %v, want hidden["rateLimits"] == nil`, hidden)
		}
		silent := api{stream: v.stream(apiPath + "?returnRateLimits=false"), venue: v}
		if hidden := silent.call("order.place", limitBuyFields); hidden["rateLimits"] != nil {
			t.Errorf(`hidden = %v, want hidden["rateLimits"] == nil`, hidden)
		}
		if shown := silent.call("order.place", limitBuyFields.with(fields{"returnRateLimits": true})); shown["rateLimits"] == nil {
			t.Errorf(`shown = %v, want shown["rateLimits"] != nil`, shown)
		}
		select {
		case data := <-messages:
			t.Errorf("another connection received %s, want nothing", data)
		default:
		}
	})
}

func TestSocketAnswersKeepTheFieldOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		conn := v.DialRaw(apiPath)
		for name, f := range map[string]fields{
			"id status result rateLimits": limitBuyFields,
			"id status error rateLimits":  limitBuyFields.with(fields{"quantity": nil}),
		} {
			if err := conn.WriteJSON(map[string]any{"id": 1, "method": "order.place", "params": v.signedFields(f)}); err != nil {
				t.Fatal(err)
			}
			_, data, err := conn.ReadMessage()
			if err != nil {
				t.Fatal(err)
			}
			var outer []string
			for _, key := range keys(t, data) {
				if !strings.Contains(key, ".") && !slices.Contains(outer, key) {
					outer = append(outer, key)
				}
			}
			if got := strings.Join(outer, " "); got != name {
				t.Errorf("%s: %s, want got == name", got, data)
			}
		}
	})
}

func TestSocketRejections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		good := func() fields { return v.signedFields(limitBuyFields) }
		resigned := func(change fields) fields { return v.signedFields(limitBuyFields.with(change)) }
		missing := func(name string) string {
			return "Mandatory parameter '" + name + "' was not sent, was empty/null, or malformed."
		}
		for _, test := range []struct {
			name, method string
			params       fields
			status, code int
			message      string
		}{
			{"good", "order.place", good(), 200, 0, ""},
			{"no quantity", "order.place", resigned(fields{"quantity": nil}), 400, -1102, missing("quantity")},
			{"a number for a decimal", "order.place", resigned(fields{"quantity": 1}), 400, -1102, missing("quantity")},
			{"text for an integer", "order.place", resigned(fields{"recvWindow": "5000"}), 400, -1102, missing("recvWindow")},
			{"an object for a parameter", "order.place", resigned(fields{"side": fields{}}), 400, -1102, missing("side")},
			{"null for a parameter", "order.place", good().with(fields{"side": json.RawMessage("null")}), 400, -1102, missing("side")},
			{"no key", "order.place", good().with(fields{"apiKey": nil}), 400, -1102, missing("apiKey")},
			{"short key", "order.place", good().with(fields{"apiKey": "abc"}), 401, -2014, "API-key format invalid."},
			{"unknown key", "order.place", good().with(fields{"apiKey": strings.Repeat("z", 64)}), 401, -2015, ""},
			{"no signature", "order.place", good().with(fields{"signature": nil}), 400, -1102, missing("signature")},
			{"no timestamp", "order.place", good().with(fields{"timestamp": nil}), 400, -1102, missing("timestamp")},
			{"another signature", "order.place", good().with(fields{"price": "60000.1"}), 400, -1022, ""},
			{"behind", "order.place", resigned(fields{"timestamp": v.Now().Add(-time.Hour).UnixMilli()}), 400, -1021, ""},
			{"ahead", "order.place", resigned(fields{"timestamp": v.Now().Add(time.Hour).UnixMilli()}), 400, -1021, ""},
			{"unknown method", "order.dance", good(), 400, -1020, ""},
			{"no method", "", good(), 400, -1102, missing("method")},
			{"log on", "session.logon", good(), 400, -4056, ""},
		} {
			a.sendRaw(1, test.method, test.params)
			answer := a.Next()
			code, message := codeOf(answer)
			if statusOf(answer) != test.status || code != test.code || test.message != "" && message != test.message {
				t.Errorf(`%s: %v, want statusOf(answer) == test.status && code == test.code && (test.message == "" || message == test.message)`, test.name, answer)
			}
		}
	})
}

func TestMalformedSocketMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		for text, want := range map[string]int{
			`{`:                        -1010,
			`[]`:                       -1010,
			`{"id":1,"method":2}`:      -1010,
			`{"method":"order.place"}`: -1102,
			`{"id":{},"method":"x"}`:   -1102,
			`{"id":1.5,"method":"x"}`:  -1102,
			`{"id":true,"method":"x"}`: -1102,
		} {
			a.Send(text)
			answer := a.Next()
			if code, _ := codeOf(answer); code != want || answer["id"] != nil || statusOf(answer) != http.StatusBadRequest {
				t.Errorf(`%s: %v, want code == want && answer["id"] == nil && statusOf(answer) == http.StatusBadRequest`, text, answer)
			}
		}
	})
}

func TestSessionOfTheSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		for _, method := range []string{"session.status", "session.logout"} {
			a.sendRaw(1, method, nil)
			result := a.Next()["result"].(map[string]any)
			if key, present := result["apiKey"]; !present || key != nil || result["connectedSince"] == nil || result["returnRateLimits"] != true {
				t.Errorf(`result = %v, want present && key == nil && result["connectedSince"] != nil && result["returnRateLimits"] == true`, result)
			}
		}
	})
}

// REST and the socket share the limits of an account and of an address.
func TestSocketSharesTheLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		v := start(t, binancesim.Options{
			Setup: simnet.Setup{Quiet: true, Now: func() time.Time { return began }},
			// no window ends meanwhile
			RateLimits: binancesim.RateLimits{OrdersPer10s: 3, WeightPerMinute: 30},
		})
		a := v.api()
		a.ok("order.place", limitBuyFields)
		if r := v.signed(http.MethodPost, orderPath, limitBuy()); r.Header.Get("X-Mbx-Order-Count-10s") != "2" || r.Header.Get("X-Mbx-Used-Weight-1m") != "5" {
			t.Errorf(`r.Header = %v, want r.Header.Get("X-Mbx-Order-Count-10s") == "2" && r.Header.Get("X-Mbx-Used-Weight-1m") == "5"`, r.Header)
		}
		a.ok("order.place", limitBuyFields)
		limited := a.call("order.place", limitBuyFields)
		if code, _ := codeOf(limited); code != -1015 || statusOf(limited) != http.StatusTooManyRequests {
			t.Errorf("limited = %v, want code == -1015 && statusOf(limited) == http.StatusTooManyRequests", limited)
		}
		for range 26 {
			v.public("/fapi/v1/ping")
		}
		limited = a.call("order.status", fields{"symbol": "BTCUSDT", "orderId": 1})
		if code, _ := codeOf(limited); code != -1003 || statusOf(limited) != http.StatusTooManyRequests {
			t.Errorf("limited = %v, want code == -1003 && statusOf(limited) == http.StatusTooManyRequests", limited)
		}
		if status := v.Handshake(apiPath); status != http.StatusTooManyRequests {
			t.Errorf("status %d, want status == http.StatusTooManyRequests", status)
		}
	})
}

func TestInjectedFaultsOfTheSocket(t *testing.T) {
	t.Parallel()
	for _, test := range slices.Concat(requestFaults, []requestFault{
		{"status", `{"do":"status","args":{"status":502}}`, 502, -1000, false},
		{"status of its own", `{"do":"status"}`, 503, -1000, false},
		{"status with words", `{"do":"status","args":{"status":503,"executed":true,"body":"{\"code\":-1008,\"msg\":\"no\"}"}}`, 503, -1008, true},
		{"lost answer", `{"do":"gap"}`, 0, 0, true},
	}) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := quiet(t)
				a := v.api()
				v.Script(http.MethodPost, "/faults", `{"match":{"path":"/ws-fapi/v1","op":"order.place"},"times":1,`+strings.TrimPrefix(test.fault, "{"))
				a.sendRaw(1, "order.place", v.signedFields(limitBuyFields.with(fields{"newClientOrderId": "x"})))
				switch {
				case test.name == "lost answer":
					a.sendRaw(2, "session.status", nil)
					if id := a.Next()["id"]; id != json.Number("2") {
						t.Errorf(`id = %v, want id == json.Number("2")`, id)
					}
				case test.status == 0:
					a.Closed()
				default:
					answer := a.Next()
					if code, _ := codeOf(answer); statusOf(answer) != test.status || code != test.code {
						t.Errorf("answer = %v, want statusOf(answer) == test.status && code == test.code", answer)
					}
				}
				if placed := v.taken()["x"] == 1; placed != test.placed {
					t.Errorf("placed: %t, want %t", placed, test.placed)
				}
			})
		})
	}
}

// A request that arrives in time and is executed after its window is rejected.
func TestSocketRequestDelayedBeyondTheWindowIsRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/ws-fapi/v1","op":"order.place"},"times":1,"do":"delay","args":{"delayMs":1100}}`)
		if code, _ := codeOf(a.call("order.place", limitBuyFields.with(fields{"newClientOrderId": "x", "recvWindow": 1000}))); code != -5028 {
			t.Errorf("code = %d, want code == -5028", code)
		}
		if n := v.taken()["x"]; n != 0 {
			t.Errorf("%d orders, want n == 0", n)
		}
	})
}

func TestBanOfASocketRequestBansTheAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/ws-fapi/v1"},"do":"ban","args":{"delayMs":60000},"times":1}`)
		a.call("order.place", limitBuyFields)
		if r := v.public("/fapi/v1/time"); r.Status != http.StatusTeapot {
			t.Errorf("r.Status = %d, want r.Status == http.StatusTeapot", r.Status)
		}
		if answer := a.call("order.place", limitBuyFields); statusOf(answer) != http.StatusTeapot {
			t.Errorf("answer = %v, want statusOf(answer) == http.StatusTeapot", answer)
		}
	})
}

func TestSocketEndsAfterItsLifetime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}, SessionLifeMax: 50 * time.Millisecond})
		v.stream(apiPath).Closed()
	})
}

// The message limit of streams does not hold here.
func TestSocketAcceptsABurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		const burst = 50
		for n := range burst {
			a.sendRaw(n, "order.place", v.signedFields(limitBuyFields))
		}
		for n := range burst {
			if answer := a.Next(); statusOf(answer) != http.StatusOK || answer["id"] != json.Number(fmt.Sprint(n)) {
				t.Fatalf(`%d: %v, want statusOf(answer) == http.StatusOK && answer["id"] == json.Number(fmt.Sprint(n))`, n, answer)
			}
		}
	})
}
