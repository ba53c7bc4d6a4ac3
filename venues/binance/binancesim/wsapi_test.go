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
		a.Fatalf("id of the answer = %v, want call", answer["id"])
	}
	return answer
}

// ok returns the result of a call that must succeed.
func (a api) ok(method string, f fields) map[string]any {
	a.Helper()
	answer := a.call(method, f)
	if statusOf(answer) != http.StatusOK || answer["error"] != nil {
		a.Fatalf("answer to %s = %v, want status 200", method, answer)
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

// expectError reports an answer with another status or error code.
func expectError(t testing.TB, answer map[string]any, status, code int) {
	t.Helper()
	if got, _ := codeOf(answer); statusOf(answer) != status || got != code {
		t.Errorf("status %d with code %d, want %d with %d: %v", statusOf(answer), got, status, code, answer)
	}
}

func TestOrderOverTheSocket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		placed := a.ok("order.place", limitBuyFields.with(fields{"newClientOrderId": "x"}))
		simtest.Expect(t, placed, simtest.Object{"status": "NEW", "clientOrderId": "x", "cumQty": "0.000", "avgPrice": nil})
		ref := fields{"symbol": "BTCUSDT", "origClientOrderId": "x"}
		changed := a.ok("order.modify", ref.with(fields{"side": "BUY", "quantity": "0.020", "price": "61000.0"}))
		simtest.Expect(t, changed, simtest.Object{"price": "61000.00", "origQty": "0.020", "orderId": placed["orderId"]})
		simtest.Expect(t, a.ok("order.status", ref), simtest.Object{"status": "NEW", "time": simtest.Any})
		gone := a.ok("v1/order.cancel", fields{"symbol": "BTCUSDT", "orderId": json.Number(fmt.Sprint(placed["orderId"]))})
		simtest.Expect(t, gone, simtest.Object{"status": "CANCELED"})
		expectError(t, a.call("order.cancel", ref), http.StatusBadRequest, -2011)
		taken := a.ok("order.place", fields{"symbol": "BTCUSDT", "side": "SELL", "type": "MARKET", "quantity": "0.010", "newOrderRespType": "RESULT"})
		simtest.Expect(t, taken, simtest.Object{"status": "FILLED"})
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
		simtest.Expect(t, placed, simtest.Object{"algoStatus": "NEW"})
		simtest.Expect(t, a.ok("algoOrder.cancel", fields{"clientAlgoId": "s"}), simtest.Object{"code": "200"})
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
				t.Errorf("id of the answer = %v, want %v", got, id)
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
		simtest.Expect(t, a.call("order.place", limitBuyFields.with(fields{"returnRateLimits": false})), simtest.Object{"rateLimits": nil})
		silent := api{stream: v.stream(apiPath + "?returnRateLimits=false"), venue: v}
		simtest.Expect(t, silent.call("order.place", limitBuyFields), simtest.Object{"rateLimits": nil})
		simtest.Expect(t, silent.call("order.place", limitBuyFields.with(fields{"returnRateLimits": true})), simtest.Object{"rateLimits": simtest.Any})
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
			simtest.Equal(t, "members", strings.Join(outer, " "), name)
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
				t.Errorf("%s: %v, want status %d with code %d %q", test.name, answer, test.status, test.code, test.message)
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
				t.Errorf("answer to %s = %v, want status 400 with code %d and no id", text, answer, want)
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
				t.Errorf("session = %v, want it without a key, connected and with rate limits", result)
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
		r := v.signed(http.MethodPost, orderPath, limitBuy())
		r.ExpectHeader(t, "X-Mbx-Order-Count-10s", "2")
		r.ExpectHeader(t, "X-Mbx-Used-Weight-1m", "5")
		a.ok("order.place", limitBuyFields)
		limited := a.call("order.place", limitBuyFields)
		expectError(t, limited, http.StatusTooManyRequests, -1015)
		for range 26 {
			v.public("/fapi/v1/ping")
		}
		limited = a.call("order.status", fields{"symbol": "BTCUSDT", "orderId": 1})
		expectError(t, limited, http.StatusTooManyRequests, -1003)
		simtest.Equal(t, "status of the handshake", v.Handshake(apiPath), http.StatusTooManyRequests)
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
					simtest.Expect(t, a.Next(), simtest.Object{"id": 2})
				case test.status == 0:
					a.Closed()
				default:
					answer := a.Next()
					expectError(t, answer, test.status, test.code)
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
		expectError(t, a.call("order.place", limitBuyFields.with(fields{"newClientOrderId": "x", "recvWindow": 1000})), http.StatusBadRequest, -5028)
		simtest.Equal(t, "orders", v.taken()["x"], 0)
	})
}

func TestBanOfASocketRequestBansTheAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		a := v.api()
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/ws-fapi/v1"},"do":"ban","args":{"delayMs":60000},"times":1}`)
		a.call("order.place", limitBuyFields)
		v.public("/fapi/v1/time").ExpectStatus(t, http.StatusTeapot)
		simtest.Expect(t, a.call("order.place", limitBuyFields), simtest.Object{"status": http.StatusTeapot})
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
			simtest.Expect(t, a.Next(), simtest.Object{"status": http.StatusOK, "id": n})
		}
	})
}
