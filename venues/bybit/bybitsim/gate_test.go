package bybitsim_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// A malformed request is rejected with the venue's code before it is executed.
func TestRequestsAreRejectedBeforeExecution(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		const path, query = "/v5/order/realtime", "category=linear&settleCoin=USDT"
		for name, test := range map[string]struct {
			change func(*http.Request)
			code   int
		}{
			"good":              {func(*http.Request) {}, 0},
			"no headers":        {func(r *http.Request) { r.Header.Del("X-BAPI-SIGN") }, 10001},
			"unknown key":       {func(r *http.Request) { r.Header.Set("X-BAPI-API-KEY", "live-key") }, 10003},
			"bad signature":     {func(r *http.Request) { r.Header.Set("X-BAPI-SIGN", "00") }, 10004},
			"reordered query":   {func(r *http.Request) { r.URL.RawQuery = "settleCoin=USDT&category=linear" }, 10004},
			"timestamp missing": {func(r *http.Request) { r.Header.Set("X-BAPI-TIMESTAMP", "soon") }, 10002},
		} {
			request := v.request(http.MethodGet, path, query, "", v.Now())
			test.change(request)
			simtest.Equal(t, name+": code", v.do(request).code(t), test.code)
		}
		for _, test := range []struct {
			ahead time.Duration
			code  int
		}{{-4 * time.Second, 0}, {-6 * time.Second, 10002}, {500 * time.Millisecond, 0}, {1500 * time.Millisecond, 10002}} {
			r := v.do(v.request(http.MethodGet, path, query, "", v.Now().Add(test.ahead)))
			if a := r.answer(t); a.RetCode != test.code || test.code != 0 && !strings.Contains(a.RetMsg, "recv_window[5000]") {
				t.Errorf("timestamp %s ahead: %s, want code %d and the receive window in a rejection", test.ahead, r.Body, test.code)
			}
		}
		v.do(v.request(http.MethodGet, path, query, "{}", v.Now())).ExpectStatus(t, http.StatusForbidden)
		v.get("/v5/nowhere", "").ExpectStatus(t, http.StatusNotFound)
	})
}

// The receive window includes its oldest millisecond, and a second ahead is too far
// whatever the window.
func TestReceiveWindowBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Now: frozen()}})
		for ahead, code := range map[int]int{-5001: 10002, -5000: 0, 999: 0, 1000: 10002} {
			r := v.do(v.request(http.MethodGet, "/v5/account/info", "", "", v.Now().Add(time.Duration(ahead)*time.Millisecond)))
			simtest.Equal(t, fmt.Sprintf("code of a timestamp %d ms ahead", ahead), r.code(t), code)
		}
	})
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.Script(http.MethodPost, "/accounts/demo", `{"permissions":{"read":true,"trade":false}}`)
		v.post("/v5/order/create", order()).expectCode(t, 10005)
		simtest.Expect(t, v.get("/v5/user/query-api", "").result(t), simtest.Object{"readOnly": 1})
		simtest.Expect(t, v.get("/v5/account/info", "").result(t), simtest.Object{"marginMode": "REGULAR_MARGIN"})
	})
}

// An endpoint has its own rolling second; past the limit there is a code and the
// time of the reset.
func TestEndpointLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Now: frozen()}, RateLimits: bybitsim.RateLimits{TradePerSecond: 2}})
		now := strconv.FormatInt(v.Now().UnixMilli(), 10)
		for _, left := range []string{"1", "0"} {
			r := v.post("/v5/order/create", order())
			r.expectCode(t, 0)
			r.ExpectHeader(t, "X-Bapi-Limit", "2")
			r.ExpectHeader(t, "X-Bapi-Limit-Status", left)
			r.ExpectHeader(t, "X-Bapi-Limit-Reset-Timestamp", now)
		}
		r := v.post("/v5/order/create", order())
		reset, err := strconv.ParseInt(r.Header.Get("X-Bapi-Limit-Reset-Timestamp"), 10, 64)
		if r.Status != http.StatusOK || r.code(t) != 10006 || r.Header.Get("X-Bapi-Limit-Status") != "0" || err != nil || reset != v.Now().UnixMilli()+1000 {
			t.Errorf("answer beyond the limit = %d %v %s, want code 10006, none left and a reset at %d", r.Status, r.Header, r.Body, v.Now().UnixMilli()+1000)
		}
		v.post("/v5/order/cancel-all", `{"category":"linear","settleCoin":"USDT"}`).expectCode(t, 0)
		v.Script(http.MethodPost, "/clock", `{"offsetMs":1001}`)
		v.post("/v5/order/create", order()).expectCode(t, 0)
	})
}

// Some calls have their own limit.
func TestLimitOfOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Now: frozen()}})
		for range 5 {
			r := v.get("/v5/account/fee-rate", "category=linear&symbol=BTCUSDT")
			r.expectCode(t, 0)
			r.ExpectHeader(t, "X-Bapi-Limit", "5")
		}
		v.get("/v5/account/fee-rate", "category=linear&symbol=BTCUSDT").expectCode(t, 10006)
	})
}

// frozen is a clock with a fixed time.
func frozen() func() time.Time {
	at := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time { return at }
}

func TestAddressLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Now: frozen()}, RateLimits: bybitsim.RateLimits{RequestsPer5s: 3}})
		for range 3 {
			v.get("/v5/market/time", "").result(t)
		}
		r := v.get("/v5/market/time", "")
		r.ExpectStatus(t, http.StatusForbidden)
		simtest.Equal(t, "body", string(r.Body), "403, access too frequent")
		v.Script(http.MethodPost, "/clock", `{"offsetMs":599000}`)
		v.get("/v5/market/time", "").ExpectStatus(t, http.StatusForbidden)
		v.Script(http.MethodPost, "/clock", `{"offsetMs":600001}`)
		v.get("/v5/market/time", "").result(t)
	})
}

func TestInstrumentsArePaged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		seen, cursor := 0, ""
		for range 10 {
			r := v.get("/v5/market/instruments-info", "category=linear&limit=3&cursor="+cursor)
			seen += len(r.rows(t))
			if cursor = r.result(t)["nextPageCursor"].(string); cursor == "" {
				break
			}
		}
		if seen != 8 || cursor != "" {
			t.Errorf("%d symbols and cursor %q, want 8 and no cursor", seen, cursor)
		}
		simtest.ExpectRows(t, v.get("/v5/market/instruments-info", "category=linear&status=Delivering").rows(t), simtest.Object{"symbol": "OMGUSDT"})
	})
}

func TestMarketData(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		book := v.get("/v5/market/orderbook", "category=linear&symbol=BTCUSDT&limit=5").result(t)
		if len(book["b"].([]any)) != 5 || len(book["a"].([]any)) != 5 {
			t.Errorf("book = %v, want 5 levels a side", book)
		}
		candles := v.get("/v5/market/kline", "category=linear&symbol=BTCUSDT&interval=5&limit=3").result(t)["list"].([]any)
		newest, older := candles[0].([]any), candles[1].([]any)
		if len(candles) != 3 || len(newest) != 7 || !simtest.Num(newest[0]).Sub(simtest.Num(older[0])).Equal(simtest.Num("300000")) {
			t.Errorf("candles = %v, want 3 of 7 fields, five minutes apart", candles)
		}
		// A start selects the first candles, an end the last ones.
		hour := time.Now().AddDate(0, -1, 0).Truncate(time.Hour).UnixMilli()
		start, end := strconv.FormatInt(hour, 10), strconv.FormatInt(hour+3_600_000, 10)
		for bounds, want := range map[string]string{"start=" + start: start, "start=" + start + "&end=" + end: end, "end=" + end: end} {
			list := v.get("/v5/market/kline", "category=linear&symbol=BTCUSDT&interval=5&limit=2&"+bounds).result(t)["list"].([]any)
			row := list[0]
			if bounds == "start="+start {
				row = list[1]
			}
			if got := row.([]any)[0]; len(list) != 2 || got != want {
				t.Errorf("%s: %d candles with %v, want 2 with %s at that end", bounds, len(list), got, want)
			}
		}
		if rows := v.get("/v5/market/tickers", "category=linear").rows(t); len(rows) != 8 || rows[0]["bid1Price"] == "" {
			t.Errorf("tickers = %v, want 8 with a bid", rows)
		}
		for _, query := range []string{"category=spot&symbol=BTCUSDT", "category=linear&symbol=NOPE", "category=linear"} {
			v.get("/v5/market/orderbook", query).expectCode(t, 10001)
		}
	})
}

// Unfilled orders are purged from history after a day; lists come in pages, and the
// last cursor is not empty.
func TestHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: bybitsim.RateLimits{TradePerSecond: -1}})
		v.placed(market("orderLinkId=filled"))
		time.Sleep(time.Millisecond) // records are sorted by time, newest first
		v.placed(order("orderLinkId=unfilled"))
		v.post("/v5/order/cancel", `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"unfilled"}`).result(t)
		first := v.get("/v5/order/history", "category=linear&limit=1")
		simtest.Expect(t, first.rows(t)[0], simtest.Object{"orderLinkId": "unfilled"})
		cursor := first.result(t)["nextPageCursor"].(string)
		last := v.get("/v5/order/history", "category=linear&limit=1&cursor="+cursor)
		simtest.Expect(t, last.rows(t)[0], simtest.Object{"orderLinkId": "filled"})
		// The last page has a cursor, too; the page after it is empty.
		beyond := last.result(t)["nextPageCursor"].(string)
		if rows := v.get("/v5/order/history", "category=linear&limit=1&cursor="+beyond).rows(t); !strings.Contains(beyond, "%3A") || len(rows) != 0 {
			t.Errorf("page after %q = %v, want an escaped cursor and no rows", beyond, rows)
		}
		v.Script(http.MethodPost, "/clock", `{"offsetMs":86401000}`)
		for _, query := range []string{"category=linear", "category=linear&orderLinkId=filled"} {
			simtest.ExpectRows(t, v.get("/v5/order/history", query).rows(t), simtest.Object{"orderLinkId": "filled"})
		}
		simtest.ExpectRows(t, v.get("/v5/order/history", "category=linear&orderLinkId=unfilled").rows(t))
		simtest.ExpectLen(t, v.get("/v5/order/realtime", "category=linear&orderLinkId=unfilled").rows(t), 1)
		v.get("/v5/execution/list", "category=linear&startTime=1&endTime=700000000").expectCode(t, 10001)
	})
}

func TestInjectedFaultsOfRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		fault := func(text string) { v.Script(http.MethodPost, "/faults", text) }
		const at = `{"match":{"path":"/v5/order/create"},"times":1,"do":`
		fault(at + `"reject","args":{"code":10016,"executed":true}}`)
		v.post("/v5/order/create", order("orderLinkId=doubt")).expectCode(t, 10016)
		simtest.ExpectLen(t, v.get("/v5/order/realtime", "category=linear&orderLinkId=doubt").rows(t), 1)
		for code, text := range map[int]string{10000: "Server Timeout", 10019: "Service is restarting, please reconnect.", 99999: "Rejected."} {
			fault(at + `"reject","args":{"code":` + strconv.Itoa(code) + `}}`)
			if a := v.post("/v5/order/create", order()).answer(t); a.RetCode != code || a.RetMsg != text {
				t.Errorf("answer = %+v, want code %d %q", a, code, text)
			}
		}
		fault(at + `"reject","args":{"code":10016,"message":"服务超时"}}`)
		if a := v.post("/v5/order/create", order()).answer(t); a.RetCode != 10016 || a.RetMsg != "服务超时" {
			t.Errorf(`answer = %+v, want code 10016 "服务超时"`, a)
		}
		fault(at + `"status","args":{"status":502}}`)
		if r := v.post("/v5/order/create", order()); r.Status != http.StatusBadGateway || !strings.HasPrefix(string(r.Body), "<html>") {
			t.Errorf("answer = %d %s, want 502 and an HTML page", r.Status, r.Body)
		}
		fault(at + `"drop_connection","args":{"executed":true}}`)
		if response, err := v.HTTP.Do(v.request(http.MethodPost, "/v5/order/create", "", order("orderLinkId=lost"), v.Now())); err == nil {
			response.Body.Close()
			t.Error("answered, want no answer")
		}
		simtest.ExpectLen(t, v.get("/v5/order/realtime", "category=linear&orderLinkId=lost").rows(t), 1)
		fault(`{"match":{"path":"/v5/order"},"do":"maintenance"}`)
		v.post("/v5/order/create", order()).expectCode(t, 3100197)
		simtest.ExpectRows(t, v.get("/v5/system/status", "").rows(t), simtest.Object{"state": "ongoing"})
		v.Script(http.MethodDelete, "/faults", "")
		fault(`{"match":{"path":"/v5/market"},"times":1,"do":"ban","args":{"delayMs":60000}}`)
		v.get("/v5/market/time", "")
		v.get("/v5/market/time", "").ExpectStatus(t, http.StatusForbidden)
	})
}

func TestInjectedFaultsOfStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private("order", "execution")
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/v5/private","op":"execution"},"times":1,"do":"duplicate"}`)
		v.placed(market())
		simtest.Expect(t, s.data("execution"), simtest.Object{"execId": s.data("execution")["execId"]})
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/v5/private","op":"order"},"times":1,"do":"drop_connection"}`)
		v.placed(order())
		s.Closed()
	})
}

func TestDemoTrading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, DemoTrading: true})
		v.get("/v5/account/fee-rate", "category=linear").expectCode(t, 10032)
	})
}

// The ledger records accepted and rejected orders.
func TestLedger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		id := v.placed(order("orderLinkId=good"))
		v.post("/v5/order/create", order("qty=100", "orderLinkId=bad"))
		rows := v.Script(http.MethodGet, "/ledger", "")["orders"].([]any)
		good, bad := rows[0].(map[string]any), rows[1].(map[string]any)
		simtest.Expect(t, good, simtest.Object{"venueOrderId": id, "clientOrderId": "good", "status": "new"})
		simtest.Expect(t, bad, simtest.Object{"clientOrderId": "bad", "status": "refused", "refusal": "110007 ab not enough for new order"})
	})
}
