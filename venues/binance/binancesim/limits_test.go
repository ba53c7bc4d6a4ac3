package binancesim_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore/simnet"
)

func TestWeightLimitAndBan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: binancesim.RateLimits{WeightPerMinute: 60}})
		first := v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000")
		first.ExpectStatus(t, http.StatusOK)
		first.ExpectHeader(t, "X-Mbx-Used-Weight-1m", "20")
		v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000")
		v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000").ExpectStatus(t, 200)
		over := v.public("/fapi/v1/ping")
		wait, err := strconv.Atoi(over.Header.Get("Retry-After"))
		if over.Status != http.StatusTooManyRequests || over.code() != -1003 || err != nil || wait < 1 || wait > 60 {
			t.Fatalf("answer beyond the limit = %d %s after %d s, want 429 with code -1003 and 1 to 60 s", over.Status, over.Body, wait)
		}
		if !strings.Contains(string(over.Body), "current limit of IP(127.0.0.1) is 60 requests per minute") {
			t.Errorf("body = %s, want the limit of the address", over.Body)
		}
		var banned reply
		for range 30 {
			if banned = v.public("/fapi/v1/ping"); banned.Status == http.StatusTeapot {
				break
			}
		}
		if banned.Status != http.StatusTeapot || !strings.Contains(string(banned.Body), "banned until ") || banned.Header.Get("Retry-After") == "" {
			t.Errorf("answer = %d %v %s, want 418 with the end of the ban", banned.Status, banned.Header, banned.Body)
		}
	})
}

func TestOrderCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: binancesim.RateLimits{OrdersPer10s: 6}})
		r := v.signed(http.MethodPost, orderPath, limitBuy())
		r.ExpectHeader(t, "X-Mbx-Order-Count-10s", "1")
		r.ExpectHeader(t, "X-Mbx-Order-Count-1m", "1")
		r = v.signed(http.MethodPost, "/fapi/v1/batchOrders", "batchOrders="+batch(`{"symbol":"NOPE"}`))
		r.ExpectHeader(t, "X-Mbx-Order-Count-10s", "6")
		r.ExpectHeader(t, "X-Mbx-Order-Count-1m", "2")
		r = v.signed(http.MethodPost, orderPath, limitBuy())
		if r.Status != http.StatusTooManyRequests || r.code() != -1015 || r.Header.Get("Retry-After") == "" {
			t.Errorf("answer = %d %v %s, want 429 with code -1015 and Retry-After", r.Status, r.Header, r.Body)
		}
		v.signed(http.MethodGet, "/fapi/v1/openOrders", "").ExpectStatus(t, http.StatusOK)
	})
}

func TestNegativeLimitsMeanNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{
			Setup:      simnet.Setup{Quiet: true},
			RateLimits: binancesim.RateLimits{WeightPerMinute: -1, OrdersPer10s: -1, OrdersPerMinute: -1},
		})
		for range 200 {
			v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000").ExpectStatus(t, 200)
		}
	})
}
