package binancesim_test

import (
	"encoding/json"
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

// clientIDs returns the client order ids in the venue's ledger.
func (v *venue) taken() map[string]int {
	v.Helper()
	counts := map[string]int{}
	for _, row := range v.sim.Exchange().Ledger().Orders() {
		if row.Status != "refused" && row.Kind == "order" {
			counts[row.ClientOrderID]++
		}
	}
	return counts
}

// requestFault is an injected fault and its effect on an order.
type requestFault struct {
	name, fault string
	// status zero means that the connection ends without an answer.
	status, code int
	placed       bool
}

// requestFaults have the same effect over HTTP and over a socket.
var requestFaults = []requestFault{
	{"delay", `{"do":"delay","args":{"delayMs":50}}`, 200, 0, true},
	{"timeout before", `{"do":"timeout_before","args":{"delayMs":20}}`, 0, 0, false},
	{"timeout after", `{"do":"timeout_after","args":{"delayMs":20}}`, 0, 0, true},
	{"dropped", `{"do":"drop_connection"}`, 0, 0, false},
	{"dropped after", `{"do":"drop_connection","args":{"executed":true}}`, 0, 0, true},
	{"ban", `{"do":"ban","args":{"delayMs":30000}}`, 418, -1003, false},
	{"maintenance", `{"do":"maintenance"}`, 503, -1016, false},
	{"reject", `{"do":"reject","args":{"code":-1007,"executed":true}}`, 408, -1007, true},
}

func TestInjectedFaultsOfRequests(t *testing.T) {
	t.Parallel()
	for _, test := range slices.Concat(requestFaults, []requestFault{
		{"gateway page", `{"do":"status","args":{"status":502}}`, 502, 0, false},
		{"unknown outcome, executed", `{"do":"status","args":{"status":503,"executed":true,"body":"{\"msg\":\"Unknown error, please check your request or try again later.\"}"}}`, 503, 0, true},
		{"reject definitely", `{"do":"reject","args":{"code":-1008}}`, 503, -1008, false},
		{"reject with words", `{"do":"reject","args":{"code":-4088,"message":"User can not place order currently","status":400}}`, 400, -4088, false},
	}) {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := quiet(t)
				fault := `{"match":{"path":"/fapi/v1/order","op":"POST"},"times":1,` + strings.TrimPrefix(test.fault, "{")
				v.Script(http.MethodPost, "/faults", fault)
				response, err := v.HTTP.Do(v.request(http.MethodPost, orderPath, limitBuy("newClientOrderId=x")))
				if err == nil {
					defer response.Body.Close()
				}
				switch {
				case test.status == 0:
					if err == nil {
						t.Errorf("status = %d, want no answer", response.StatusCode)
					}
				case err != nil:
					t.Error(err)
				default:
					var body struct {
						Code int `json:"code"`
					}
					_ = json.NewDecoder(response.Body).Decode(&body)
					if response.StatusCode != test.status || body.Code != test.code {
						t.Errorf("status %d with code %d, want %d with %d", response.StatusCode, body.Code, test.status, test.code)
					}
				}
				if placed := v.taken()["x"] == 1; placed != test.placed {
					t.Errorf("placed: %t, want %t", placed, test.placed)
				}
				listed := v.Script(http.MethodGet, "/faults", "")["faults"].([]any)[0].(map[string]any)
				simtest.Expect(t, listed, simtest.Object{"struck": 1})
			})
		})
	}
}

// A request that arrives in time and is executed after its window is rejected.
func TestRequestDelayedBeyondTheWindowIsRejected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/fapi/v1/order","op":"POST"},"times":1,"do":"delay","args":{"delayMs":1100}}`)
		params := limitBuy("newClientOrderId=x") + "&recvWindow=1000&timestamp=" + jsonText(v.Now().UnixMilli())
		r := v.do(v.rawRequest(http.MethodPost, orderPath+"?"+params+"&signature="+simtest.HMACHex(v.Credentials.APISecret, params)))
		r.expect(t, 400, -5028)
		simtest.Equal(t, "orders", v.taken()["x"], 0)
	})
}

func TestBanRejectsAllCallsUntilItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/fapi/v1/ping"},"do":"ban","args":{"delayMs":60000},"times":1}`)
		v.public("/fapi/v1/ping")
		v.public("/fapi/v1/time").ExpectStatus(t, http.StatusTeapot)
		v.Script(http.MethodPost, "/clock", `{"offsetMs":61000}`)
		v.public("/fapi/v1/time").ExpectStatus(t, http.StatusOK)
	})
}

// A client order id may be used again once its order is closed: resending a market
// order blindly doubles the position.
func TestBlindResendDoublesThePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for range 2 {
			v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010&newClientOrderId=same")
		}
		simtest.Equal(t, "orders", v.taken()["same"], 2)
	})
}

func TestInjectedFaultsOfStreams(t *testing.T) {
	t.Parallel()
	fill := func(v *venue, n int) {
		for range n {
			v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010")
		}
	}
	ids := func(s *stream, n int) []json.Number {
		var found []json.Number
		for len(found) < n {
			message := s.nextOf("TRADE_LITE")
			found = append(found, message["t"].(json.Number))
		}
		return found
	}
	match := `{"match":{"path":"/private","op":"TRADE_LITE"},"times":1,"do":`
	t.Run("duplicate", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := quiet(t)
			s := v.private()
			v.Script(http.MethodPost, "/faults", match+`"duplicate"}`)
			fill(v, 1)
			if got := ids(s, 2); got[0] != got[1] {
				t.Errorf("ids = %v, want the same id twice", got)
			}
		})
	})
	t.Run("gap", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := quiet(t)
			s := v.private()
			fill(v, 1)
			first := ids(s, 1)[0]
			v.Script(http.MethodPost, "/faults", match+`"gap"}`)
			fill(v, 2)
			if got := ids(s, 1)[0]; !simtest.Num(got).Equal(simtest.Num(first).Add(simtest.Num("2"))) {
				t.Errorf("id after the gap = %v, want %v and 2", got, first)
			}
		})
	})
	t.Run("reorder", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := quiet(t)
			s := v.private()
			v.Script(http.MethodPost, "/faults", match+`"reorder"}`)
			fill(v, 1)
			s.nextOf("ACCOUNT_UPDATE")
			simtest.Expect(t, s.Next(), simtest.Object{"e": "ORDER_TRADE_UPDATE"})
			simtest.Expect(t, s.Next(), simtest.Object{"e": "TRADE_LITE"})
		})
	})
	t.Run("delay", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := quiet(t)
			s := v.private()
			v.Script(http.MethodPost, "/faults", match+`"delay","args":{"delayMs":150}}`)
			began := time.Now()
			fill(v, 1)
			ids(s, 1)
			if took := time.Since(began); took < 150*time.Millisecond {
				t.Errorf("delivered after %s, want at least 150ms", took)
			}
		})
	})
	t.Run("mute", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := quiet(t)
			s := v.private()
			v.Script(http.MethodPost, "/faults", `{"match":{"path":"/private","op":""},"do":"mute"}`)
			fill(v, 3)
			v.Script(http.MethodDelete, "/faults", "")
			fill(v, 1)
			orders := 0
			for message := s.Next(); ; message = s.Next() {
				if o, ok := message["o"].(map[string]any); ok {
					if orders++; o["X"] == "FILLED" {
						break
					}
				}
			}
			if orders != 2 {
				t.Errorf("%d order events, want 2", orders)
			}
		})
	})
	t.Run("dropped", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := quiet(t)
			s := v.private()
			v.Script(http.MethodPost, "/faults", match+`"drop_connection"}`)
			fill(v, 1)
			s.Closed()
		})
	})
}

func TestInjectedFaultsOfHandshakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for fault, status := range map[string]int{
			`{"match":{"path":"/market"},"times":1,"do":"maintenance"}`:                            503,
			`{"match":{"path":"/market"},"times":1,"do":"status","args":{"status":403}}`:           403,
			`{"match":{"path":"/market","op":"GET"},"times":1,"do":"drop_connection"}`:             0,
			`{"match":{"path":"/market","op":"GET"},"times":1,"do":"delay","args":{"delayMs":10}}`: 0,
			`{"match":{"path":"/market"},"times":1,"do":"timeout_before","args":{"delayMs":10}}`:   0,
			`{"match":{"path":"/market","op":"btc"},"times":1,"do":"drop_connection"}`:             101,
		} {
			v.Script(http.MethodDelete, "/faults", "")
			v.Script(http.MethodPost, "/faults", fault)
			simtest.Equal(t, fault+": status of the handshake", v.Handshake("/market/ws"), status)
		}
	})
}

func TestReadLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}, ReadLag: time.Hour})
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010&newClientOrderId=x")
		query := func() reply {
			return v.signed(http.MethodGet, orderPath, "symbol=BTCUSDT&origClientOrderId=x")
		}
		query().expectCode(t, -2013)
		simtest.ExpectRows(t, v.signed(http.MethodGet, "/fapi/v1/userTrades", "symbol=BTCUSDT").List(t))
		v.Script(http.MethodPost, "/clock", `{"offsetMs":3600001}`)
		query().ExpectStatus(t, http.StatusOK)
		simtest.ExpectLen(t, v.signed(http.MethodGet, "/fapi/v1/userTrades", "symbol=BTCUSDT").List(t), 1)
	})
}

func TestRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.order(limitBuy("newClientOrderId=unfilled"))
		v.signed(http.MethodDelete, orderPath, "symbol=BTCUSDT&origClientOrderId=unfilled")
		v.order("symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.010&newClientOrderId=filled")
		found := func() string {
			known := ""
			for _, id := range []string{"unfilled", "filled"} {
				if v.signed(http.MethodGet, orderPath, "symbol=BTCUSDT&origClientOrderId="+id).Status == http.StatusOK {
					known += id + " "
				}
			}
			return known
		}
		for _, step := range []struct {
			after time.Duration
			want  string
		}{
			{0, "unfilled filled "},
			{3*24*time.Hour - time.Minute, "unfilled filled "},
			{3*24*time.Hour + time.Minute, "filled "},
			{90*24*time.Hour + time.Minute, ""},
		} {
			v.Script(http.MethodPost, "/clock", `{"offsetMs":`+jsonText(step.after.Milliseconds())+`}`)
			if got := found(); got != step.want {
				t.Errorf("after %s: %q, want %q", step.after, got, step.want)
			}
		}
	})
}
