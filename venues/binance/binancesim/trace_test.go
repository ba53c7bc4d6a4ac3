package binancesim_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/simcore/simtest"
)

// recordedEvent is a user event of the venue within a recorded scenario.
type recordedEvent struct {
	Scenario string          `json:"scenario"`
	Event    json.RawMessage `json:"event"`
}

// step describes an event: kind, execution, status.
func step(t testing.TB, raw []byte) string {
	t.Helper()
	var event struct {
		Kind string `json:"e"`
		// Without its own field the time would be decoded as the kind, because names
		// are matched in any case.
		Time  json.RawMessage `json:"E"`
		Order struct {
			Execution string `json:"x"`
			Status    string `json:"X"`
		} `json:"o"`
	}
	if err := json.Unmarshal(raw, &event); err != nil {
		t.Fatal(err)
	}
	if event.Order.Execution == "" {
		return event.Kind + " " + event.Order.Status
	}
	return event.Kind + " " + event.Order.Execution + " " + event.Order.Status
}

func recordedScenario(t *testing.T, name string) [][]byte {
	t.Helper()
	var events [][]byte
	eachLine(t, fixture(t, "ws_user_events_scenarios_2026.real.jsonl"), func(line []byte) {
		var e recordedEvent
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Scenario == name {
			events = append(events, slices.Clone(e.Event))
		}
	})
	if len(events) == 0 {
		t.Fatalf("no events of scenario %s", name)
	}
	return events
}

// rawUserEvents reads the private stream as bytes, without balances, which the
// recordings lack.
func rawUserEvents(v *venue, n int, act func()) [][]byte {
	v.Helper()
	key := v.do(v.rawRequest(http.MethodPost, "/fapi/v1/listenKey")).Object(v)["listenKey"].(string)
	conn := v.DialRaw("/private/ws?listenKey=" + key + "&events=" + url.QueryEscape("ORDER_TRADE_UPDATE/ALGO_UPDATE"))
	if err := conn.SetReadDeadline(time.Now().Add(simtest.WaitMax)); err != nil {
		v.Fatal(err)
	}
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"method":"LIST_SUBSCRIPTIONS","id":1}`)); err != nil {
		v.Fatal(err)
	}
	if _, _, err := conn.ReadMessage(); err != nil {
		v.Fatal(err)
	}
	act()
	var events [][]byte
	for len(events) < n {
		_, data, err := conn.ReadMessage()
		if err != nil {
			v.Fatalf("after %d of %d events: %v", len(events), n, err)
		}
		events = append(events, data)
	}
	return events
}

func TestRecordedScenarios(t *testing.T) {
	t.Parallel()
	// ACHUSDT of the recordings is replaced by a listed symbol of equal rules.
	place := func(v *venue, path, params string) {
		v.Helper()
		v.signed(http.MethodPost, path, params).ExpectStatus(v, http.StatusOK)
	}
	move := func(v *venue, price string) {
		v.Script(http.MethodPost, "/market", fmt.Sprintf(`{"symbol":"DOGEUSDT","price":%q}`, price))
	}
	algo := "algoType=CONDITIONAL&symbol=DOGEUSDT&side=BUY&quantity=800&clientAlgoId=it&type="
	for _, test := range []struct {
		scenario string
		// from and to cut the part of a recording that one order made.
		from, to int
		act      func(*venue)
	}{
		{"LimitSubmittedCancelled", 0, 2, func(v *venue) {
			place(v, orderPath, "symbol=DOGEUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=900&price=0.149&newClientOrderId=it")
			v.signed(http.MethodDelete, orderPath, "symbol=DOGEUSDT&origClientOrderId=it")
		}},
		{"MarketSubmittedFilled", 0, 2, func(v *venue) {
			place(v, orderPath, "symbol=DOGEUSDT&side=BUY&type=MARKET&quantity=800")
		}},
		{"StopMarketSubmittedCanceled", 0, 2, func(v *venue) {
			place(v, algoPath, algo+"STOP_MARKET&triggerPrice=0.155")
			v.signed(http.MethodDelete, algoPath, "clientAlgoId=it")
		}},
	} {
		t.Run(test.scenario, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want := recordedScenario(t, test.scenario)[test.from:test.to]
				v := quiet(t)
				compareEvents(t, rawUserEvents(v, len(want), func() { test.act(v) }), want)
			})
		})
	}
	t.Run("StopLimitSubmittedFilled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var want [][]byte
			for _, raw := range recordedScenario(t, "StopLimitSubmittedFilled") {
				var event struct {
					Order struct {
						Client string `json:"c"`
						Algo   string `json:"caid"`
					} `json:"o"`
				}
				if err := json.Unmarshal(raw, &event); err != nil {
					t.Fatal(err)
				}
				if event.Order.Client+event.Order.Algo == "nKgZz1THtAn74I7cPHQ0Kj" {
					want = append(want, raw)
				}
			}
			v := quiet(t)
			compareEvents(t, rawUserEvents(v, len(want), func() {
				place(v, algoPath, algo+"STOP&triggerPrice=0.155&price=0.152")
				move(v, "0.155")
				v.WaitFor("the triggered order", func() bool {
					return len(v.signed(http.MethodGet, "/fapi/v1/openOrders", "symbol=DOGEUSDT").List(t)) == 1
				})
				move(v, "0.152")
			}), want)
		})
	})
	t.Run("rejected at the trigger", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var want [][]byte
			for _, raw := range recordedScenario(t, "StopLimitSubmittedFilled") {
				if s := step(t, raw); s == "ALGO_UPDATE REJECTED" {
					want = append(want, raw)
				}
			}
			v := quiet(t)
			got := rawUserEvents(v, 3, func() {
				place(v, algoPath, "algoType=CONDITIONAL&symbol=DOGEUSDT&side=BUY&quantity=20000000&type=STOP&triggerPrice=0.155&price=0.152")
				move(v, "0.155")
			})
			compareEvents(t, got[2:], want)
			var event struct {
				Order struct {
					Reason string `json:"rm"`
				} `json:"o"`
			}
			if err := json.Unmarshal(got[2], &event); err != nil || event.Order.Reason != "margin not enough" {
				t.Errorf("third event = %s, %v, want reason margin not enough", got[2], err)
			}
		})
	})
}

// compareEvents compares the steps and their fields, in order.
func compareEvents(t *testing.T, got, want [][]byte) {
	t.Helper()
	for i := range want {
		if g, w := step(t, got[i]), step(t, want[i]); g != w {
			t.Errorf("event %d is %s, want %s", i, g, w)
		}
		if g, w := keys(t, got[i]), keys(t, want[i]); !slices.Equal(g, w) {
			t.Errorf("event %d\n got %v\nwant %v", i, g, w)
		}
	}
}

func TestStopMarketTriggersInTheRecordedOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := []string{
			"ALGO_UPDATE NEW", "ALGO_UPDATE TRIGGERING", "ORDER_TRADE_UPDATE NEW NEW",
			"ORDER_TRADE_UPDATE TRADE FILLED", "ALGO_UPDATE TRIGGERED", "ALGO_UPDATE FINISHED",
		}
		v := quiet(t)
		events := rawUserEvents(v, len(want), func() {
			v.signed(http.MethodPost, algoPath, "algoType=CONDITIONAL&symbol=DOGEUSDT&side=BUY&type=STOP_MARKET&quantity=800&triggerPrice=0.155")
			v.Script(http.MethodPost, "/market", `{"symbol":"DOGEUSDT","price":"0.155"}`)
		})
		for i := range want {
			if got := step(t, events[i]); got != want[i] {
				t.Errorf("event %d is %s, want %s", i, got, want[i])
			}
		}
		// The order carries the id of its conditional, decimals are trimmed.
		var filled struct {
			Order struct {
				Strategy int64  `json:"si"`
				State    int    `json:"ss"`
				Qty      string `json:"q"`
				Price    string `json:"p"`
			} `json:"o"`
		}
		if err := json.Unmarshal(events[3], &filled); err != nil {
			t.Fatal(err)
		}
		if filled.Order.Strategy < 2_000_000_000_000_000 || filled.Order.State != -1 || filled.Order.Qty != "800" || filled.Order.Price != "0" {
			t.Errorf("event = %+v, want a long strategy id, state -1, quantity 800 and price 0", filled)
		}
	})
}
