package okxsim_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
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
		v.do(request).expectCode(t, "50006")
	})
}

func TestKeyThatMayOnlyRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.control("/accounts/demo", `{"permissions":{"read":true,"trade":false}}`)
		simtest.Expect(t, v.one(v.get("/account/config")), object{"perm": "read_only"})
		v.post("/trade/order", restingBuy).expectCode(t, "50120")
	})
}

func TestDemoTradingNeedsItsHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}, DemoTrading: true})
		v.get("/account/config").expectCode(t, "50101")
		request := v.request(http.MethodGet, "/api/v5/account/config", "")
		request.Header.Set("x-simulated-trading", "1")
		v.do(request).expectCode(t, "0")
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
