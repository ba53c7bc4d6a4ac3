package okxsim_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
)

func TestRequestChecksInTheVenuesOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		for name, c := range map[string]struct {
			header, value, code string
			status              int
		}{
			"no key":           {"OK-ACCESS-KEY", "", "50103", http.StatusUnauthorized},
			"no passphrase":    {"OK-ACCESS-PASSPHRASE", "", "50104", http.StatusUnauthorized},
			"no signature":     {"OK-ACCESS-SIGN", "", "50106", http.StatusUnauthorized},
			"no timestamp":     {"OK-ACCESS-TIMESTAMP", "", "50107", http.StatusUnauthorized},
			"bad timestamp":    {"OK-ACCESS-TIMESTAMP", "1597026383", "50112", http.StatusUnauthorized},
			"old timestamp":    {"OK-ACCESS-TIMESTAMP", "2020-12-08T09:08:57.715Z", "50102", http.StatusUnauthorized},
			"short key":        {"OK-ACCESS-KEY", "abc", "50111", http.StatusUnauthorized},
			"unknown key":      {"OK-ACCESS-KEY", "000000000000000000000000000000000000", "50119", http.StatusOK},
			"demo header":      {"x-simulated-trading", "1", "50101", http.StatusUnauthorized},
			"wrong passphrase": {"OK-ACCESS-PASSPHRASE", "no", "50105", http.StatusUnauthorized},
			"wrong signature":  {"OK-ACCESS-SIGN", "no", "50113", http.StatusUnauthorized},
		} {
			request := v.request(http.MethodGet, "/api/v5/account/balance", "")
			request.Header.Set(c.header, c.value)
			if r := v.do(request); r.Code != c.code || r.Status != c.status {
				t.Errorf("%s: %d %s, want %d %s", name, r.Status, r.raw(), c.status, c.code)
			}
		}
		request := v.request(http.MethodPost, "/api/v5/trade/order", restingBuy)
		request.Header.Set("Content-Type", "text/plain")
		if r := v.do(request); r.Code != "50006" {
			t.Errorf(`content type: %s, want r.Code == "50006"`, r.raw())
		}
	})
}

func TestKeyThatMayOnlyRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.control("/accounts/demo", `{"permissions":{"read":true,"trade":false}}`)
		expect(t, v.one(v.get("/account/config")), object{"perm": "read_only"})
		if r := v.post("/trade/order", restingBuy); r.Code != "50120" {
			t.Errorf(`order: %s, want r.Code == "50120"`, r.raw())
		}
	})
}

func TestDemoTradingNeedsItsHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}, DemoTrading: true})
		if r := v.get("/account/config"); r.Code != "50101" {
			t.Errorf(`without: %s, want r.Code == "50101"`, r.raw())
		}
		request := v.request(http.MethodGet, "/api/v5/account/config", "")
		request.Header.Set("x-simulated-trading", "1")
		if r := v.do(request); r.Code != "0" {
			t.Errorf(`with: %s, want r.Code == "0"`, r.raw())
		}
	})
}

func TestShiftedClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true, ClockOffset: time.Hour}})
		serverTime := v.one(v.get("/public/time"))["ts"].(string)
		if now := unixMilli(time.Now().Add(59 * time.Minute)); serverTime < now {
			t.Errorf("server time = %s, want after %s", serverTime, now)
		}
	})
}
