package bybitsim_test

import (
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
			if r := v.do(request); r.code(t) != test.code {
				t.Errorf("%s: %s, want r.code(t) == test.code", name, r.Body)
			}
		}
		for _, test := range []struct {
			ahead time.Duration
			code  int
		}{{-4 * time.Second, 0}, {-6 * time.Second, 10002}, {500 * time.Millisecond, 0}, {1500 * time.Millisecond, 10002}} {
			r := v.do(v.request(http.MethodGet, path, query, "", v.Now().Add(test.ahead)))
			if a := r.answer(t); a.RetCode != test.code || test.code != 0 && !strings.Contains(a.RetMsg, "recv_window[5000]") {
				t.Errorf(`%s ahead: %s, want a.RetCode == test.code && (test.code == 0 || strings.Contains(a.RetMsg, "recv_window[5000]"))`, test.ahead, r.Body)
			}
		}
		if r := v.do(v.request(http.MethodGet, path, query, "{}", v.Now())); r.Status != http.StatusForbidden {
			t.Errorf("r.Status = %d, want r.Status == http.StatusForbidden", r.Status)
		}
		if r := v.get("/v5/nowhere", ""); r.Status != http.StatusNotFound {
			t.Errorf("r.Status = %d, want r.Status == http.StatusNotFound", r.Status)
		}
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
			if r.code(t) != code {
				t.Errorf("%d ms ahead: %s, want r.code(t) == code", ahead, r.Body)
			}
		}
	})
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.Script(http.MethodPost, "/accounts/demo", `{"permissions":{"read":true,"trade":false}}`)
		if r := v.post("/v5/order/create", order()); r.code(t) != 10005 {
			t.Errorf("r.Body = %s, want r.code(t) == 10005", r.Body)
		}
		if key := v.get("/v5/user/query-api", "").result(t); !simtest.Num(key["readOnly"]).Equal(simtest.Num("1")) {
			t.Errorf(`key = %v, want simtest.Num(key["readOnly"]).Equal(simtest.Num("1"))`, key)
		}
		if info := v.get("/v5/account/info", "").result(t); info["marginMode"] != "REGULAR_MARGIN" {
			t.Errorf(`info = %v, want info["marginMode"] == "REGULAR_MARGIN"`, info)
		}
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
			if h := r.Header; r.code(t) != 0 || h.Get("X-Bapi-Limit") != "2" || h.Get("X-Bapi-Limit-Status") != left || h.Get("X-Bapi-Limit-Reset-Timestamp") != now {
				t.Errorf(`%v %s, want r.code(t) == 0 && h.Get("X-Bapi-Limit") == "2" && h.Get("X-Bapi-Limit-Status") == left && h.Get("X-Bapi-Limit-Reset-Timestamp") == now`, r.Header, r.Body)
			}
		}
		r := v.post("/v5/order/create", order())
		reset, err := strconv.ParseInt(r.Header.Get("X-Bapi-Limit-Reset-Timestamp"), 10, 64)
		if r.Status != http.StatusOK || r.code(t) != 10006 || r.Header.Get("X-Bapi-Limit-Status") != "0" || err != nil || reset != v.Now().UnixMilli()+1000 {
			t.Errorf(`%v %s, want r.Status == http.StatusOK && r.code(t) == 10006 && r.Header.Get("X-Bapi-Limit-Status") == "0" && err == nil && reset == v.Now().UnixMilli() + 1000`, r.Header, r.Body)
		}
		if r := v.post("/v5/order/cancel-all", `{"category":"linear","settleCoin":"USDT"}`); r.code(t) != 0 {
			t.Errorf("r.Body = %s, want r.code(t) == 0", r.Body)
		}
		v.Script(http.MethodPost, "/clock", `{"offsetMs":1001}`)
		if r := v.post("/v5/order/create", order()); r.code(t) != 0 {
			t.Errorf("r.Body = %s, want r.code(t) == 0", r.Body)
		}
	})
}

// Some calls have their own limit.
func TestLimitOfOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true, Now: frozen()}})
		for range 5 {
			if r := v.get("/v5/account/fee-rate", "category=linear&symbol=BTCUSDT"); r.code(t) != 0 || r.Header.Get("X-Bapi-Limit") != "5" {
				t.Errorf(`%v %s, want r.code(t) == 0 && r.Header.Get("X-Bapi-Limit") == "5"`, r.Header, r.Body)
			}
		}
		if r := v.get("/v5/account/fee-rate", "category=linear&symbol=BTCUSDT"); r.code(t) != 10006 {
			t.Errorf("r.Body = %s, want r.code(t) == 10006", r.Body)
		}
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
		if r := v.get("/v5/market/time", ""); r.Status != http.StatusForbidden || string(r.Body) != "403, access too frequent" {
			t.Errorf(`%d %s, want r.Status == http.StatusForbidden && string(r.Body) == "403, access too frequent"`, r.Status, r.Body)
		}
		v.Script(http.MethodPost, "/clock", `{"offsetMs":599000}`)
		if r := v.get("/v5/market/time", ""); r.Status != http.StatusForbidden {
			t.Errorf("after nearly ten minutes: %d, want r.Status == http.StatusForbidden", r.Status)
		}
		v.Script(http.MethodPost, "/clock", `{"offsetMs":600001}`)
		v.get("/v5/market/time", "").result(t)
	})
}

func TestInstrumentsArePaged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		seen, cursor := 0, ""
		for pages := 0; pages < 10; pages++ {
			r := v.get("/v5/market/instruments-info", "category=linear&limit=3&cursor="+cursor)
			seen += len(r.rows(t))
			if cursor = r.result(t)["nextPageCursor"].(string); cursor == "" {
				break
			}
		}
		if seen != 8 || cursor != "" {
			t.Errorf(`%d symbols, cursor %q, want seen == 8 && cursor == ""`, seen, cursor)
		}
		if rows := v.get("/v5/market/instruments-info", "category=linear&status=Delivering").rows(t); len(rows) != 1 || rows[0]["symbol"] != "OMGUSDT" {
			t.Errorf(`rows = %v, want len(rows) == 1 && rows[0]["symbol"] == "OMGUSDT"`, rows)
		}
	})
}

func TestMarketData(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		book := v.get("/v5/market/orderbook", "category=linear&symbol=BTCUSDT&limit=5").result(t)
		if len(book["b"].([]any)) != 5 || len(book["a"].([]any)) != 5 {
			t.Errorf(`book = %v, want len(book["b"].([]any)) == 5 && len(book["a"].([]any)) == 5`, book)
		}
		candles := v.get("/v5/market/kline", "category=linear&symbol=BTCUSDT&interval=5&limit=3").result(t)["list"].([]any)
		newest, older := candles[0].([]any), candles[1].([]any)
		if len(candles) != 3 || len(newest) != 7 || !simtest.Num(newest[0]).Sub(simtest.Num(older[0])).Equal(simtest.Num("300000")) {
			t.Errorf(`candles = %v, want len(candles) == 3 && len(newest) == 7 && simtest.Num(newest[0]).Sub(simtest.Num(older[0])).Equal(simtest.Num("300000"))`, candles)
		}
		if rows := v.get("/v5/market/tickers", "category=linear").rows(t); len(rows) != 8 || rows[0]["bid1Price"] == "" {
			t.Errorf(`rows = %v, want len(rows) == 8 && rows[0]["bid1Price"] != ""`, rows)
		}
		for _, query := range []string{"category=spot&symbol=BTCUSDT", "category=linear&symbol=NOPE", "category=linear"} {
			if r := v.get("/v5/market/orderbook", query); r.code(t) != 10001 {
				t.Errorf("%s: %s, want r.code(t) == 10001", query, r.Body)
			}
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
		if rows := first.rows(t); rows[0]["orderLinkId"] != "unfilled" {
			t.Errorf(`rows = %v, want rows[0]["orderLinkId"] == "unfilled"`, rows)
		}
		cursor := first.result(t)["nextPageCursor"].(string)
		last := v.get("/v5/order/history", "category=linear&limit=1&cursor="+cursor)
		if rows := last.rows(t); rows[0]["orderLinkId"] != "filled" {
			t.Errorf(`rows = %v, want rows[0]["orderLinkId"] == "filled"`, rows)
		}
		// The last page has a cursor, too; the page after it is empty.
		beyond := last.result(t)["nextPageCursor"].(string)
		if rows := v.get("/v5/order/history", "category=linear&limit=1&cursor="+beyond).rows(t); !strings.Contains(beyond, "%3A") || len(rows) != 0 {
			t.Errorf(`%s: %v, want strings.Contains(beyond, "%%3A") && len(rows) == 0`, beyond, rows)
		}
		v.Script(http.MethodPost, "/clock", `{"offsetMs":86401000}`)
		for _, query := range []string{"category=linear", "category=linear&orderLinkId=filled"} {
			if rows := v.get("/v5/order/history", query).rows(t); len(rows) != 1 || rows[0]["orderLinkId"] != "filled" {
				t.Errorf(`%s: %v, want len(rows) == 1 && rows[0]["orderLinkId"] == "filled"`, query, rows)
			}
		}
		if rows := v.get("/v5/order/history", "category=linear&orderLinkId=unfilled").rows(t); len(rows) != 0 {
			t.Errorf("rows = %v, want len(rows) == 0", rows)
		}
		if rows := v.get("/v5/order/realtime", "category=linear&orderLinkId=unfilled").rows(t); len(rows) != 1 {
			t.Errorf("rows = %v, want len(rows) == 1", rows)
		}
		if r := v.get("/v5/execution/list", "category=linear&startTime=1&endTime=700000000"); r.code(t) != 10001 {
			t.Errorf("r.Body = %s, want r.code(t) == 10001", r.Body)
		}
	})
}

func TestInjectedFaultsOfRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		fault := func(text string) { v.Script(http.MethodPost, "/faults", text) }
		const at = `{"match":{"path":"/v5/order/create"},"times":1,"do":`
		fault(at + `"reject","args":{"code":10016,"executed":true}}`)
		if r := v.post("/v5/order/create", order("orderLinkId=doubt")); r.code(t) != 10016 {
			t.Errorf("r.Body = %s, want r.code(t) == 10016", r.Body)
		}
		if rows := v.get("/v5/order/realtime", "category=linear&orderLinkId=doubt").rows(t); len(rows) != 1 {
			t.Errorf("rows = %v, want len(rows) == 1", rows)
		}
		for code, text := range map[int]string{10000: "Server Timeout", 10019: "Service is restarting, please reconnect.", 99999: "Rejected."} {
			fault(at + `"reject","args":{"code":` + strconv.Itoa(code) + `}}`)
			if a := v.post("/v5/order/create", order()).answer(t); a.RetCode != code || a.RetMsg != text {
				t.Errorf("a = %+v, want a.RetCode == code && a.RetMsg == text", a)
			}
		}
		fault(at + `"reject","args":{"code":10016,"message":"服务超时"}}`)
		if a := v.post("/v5/order/create", order()).answer(t); a.RetCode != 10016 || a.RetMsg != "服务超时" {
			t.Errorf(`a = %+v, want a.RetCode == 10016 && a.RetMsg == "服务超时"`, a)
		}
		fault(at + `"status","args":{"status":502}}`)
		if r := v.post("/v5/order/create", order()); r.Status != http.StatusBadGateway || !strings.HasPrefix(string(r.Body), "<html>") {
			t.Errorf(`%d %s, want r.Status == http.StatusBadGateway && strings.HasPrefix(string(r.Body), "<html>")`, r.Status, r.Body)
		}
		fault(at + `"drop_connection","args":{"executed":true}}`)
		if response, err := v.HTTP.Do(v.request(http.MethodPost, "/v5/order/create", "", order("orderLinkId=lost"), v.Now())); err == nil {
			response.Body.Close()
			t.Error("answered")
		}
		if rows := v.get("/v5/order/realtime", "category=linear&orderLinkId=lost").rows(t); len(rows) != 1 {
			t.Errorf("rows = %v, want len(rows) == 1", rows)
		}
		fault(`{"match":{"path":"/v5/order"},"do":"maintenance"}`)
		if r := v.post("/v5/order/create", order()); r.code(t) != 3100197 {
			t.Errorf("r.Body = %s, want r.code(t) == 3100197", r.Body)
		}
		if rows := v.get("/v5/system/status", "").rows(t); len(rows) != 1 || rows[0]["state"] != "ongoing" {
			t.Errorf(`rows = %v, want len(rows) == 1 && rows[0]["state"] == "ongoing"`, rows)
		}
		v.Script(http.MethodDelete, "/faults", "")
		fault(`{"match":{"path":"/v5/market"},"times":1,"do":"ban","args":{"delayMs":60000}}`)
		v.get("/v5/market/time", "")
		if r := v.get("/v5/market/time", ""); r.Status != http.StatusForbidden {
			t.Errorf("r.Status = %d, want r.Status == http.StatusForbidden", r.Status)
		}
	})
}

func TestInjectedFaultsOfStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.private("order", "execution")
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/v5/private","op":"execution"},"times":1,"do":"duplicate"}`)
		v.placed(market())
		if a, b := s.data("execution"), s.data("execution"); a["execId"] != b["execId"] {
			t.Errorf(`%v then %v, want a["execId"] == b["execId"]`, a, b)
		}
		v.Script(http.MethodPost, "/faults", `{"match":{"path":"/v5/private","op":"order"},"times":1,"do":"drop_connection"}`)
		v.placed(order())
		s.Closed()
	})
}

func TestDemoTrading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}, DemoTrading: true})
		if r := v.get("/v5/account/fee-rate", "category=linear"); r.code(t) != 10032 {
			t.Errorf("r.Body = %s, want r.code(t) == 10032", r.Body)
		}
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
		if good["venueOrderId"] != id || good["clientOrderId"] != "good" || good["status"] != "new" {
			t.Errorf(`good = %v, want good["venueOrderId"] == id && good["clientOrderId"] == "good" && good["status"] == "new"`, good)
		}
		if bad["clientOrderId"] != "bad" || bad["status"] != "refused" || bad["refusal"] != "110007 ab not enough for new order" {
			t.Errorf(`bad = %v, want bad["clientOrderId"] == "bad" && bad["status"] == "refused" && bad["refusal"] == "110007 ab not enough for new order"`, bad)
		}
	})
}
