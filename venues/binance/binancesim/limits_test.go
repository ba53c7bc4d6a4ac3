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
		if used := first.Header.Get("X-Mbx-Used-Weight-1m"); first.Status != 200 || used != "20" {
			t.Fatalf(`%d, weight %s, want first.Status == 200 && used == "20"`, first.Status, used)
		}
		v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000")
		if last := v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000"); last.Status != 200 {
			t.Fatalf("at the limit: %d, want last.Status == 200", last.Status)
		}
		over := v.public("/fapi/v1/ping")
		wait, err := strconv.Atoi(over.Header.Get("Retry-After"))
		if over.Status != http.StatusTooManyRequests || over.code() != -1003 || err != nil || wait < 1 || wait > 60 {
			t.Fatalf("beyond it: %d %s, retry after %d, want over.Status == http.StatusTooManyRequests && over.code() == -1003 && err == nil && wait >= 1 && wait <= 60", over.Status, over.Body, wait)
		}
		if !strings.Contains(string(over.Body), "current limit of IP(127.0.0.1) is 60 requests per minute") {
			t.Errorf(`over.Body = %s, want strings.Contains(string(over.Body), "current limit of IP(127.0.0.1) is 60 requests per minute")`, over.Body)
		}
		var banned reply
		for range 30 {
			if banned = v.public("/fapi/v1/ping"); banned.Status == http.StatusTeapot {
				break
			}
		}
		if banned.Status != http.StatusTeapot || !strings.Contains(string(banned.Body), "banned until ") || banned.Header.Get("Retry-After") == "" {
			t.Errorf(`%d %s, want banned.Status == http.StatusTeapot && strings.Contains(string(banned.Body), "banned until ") && banned.Header.Get("Retry-After") != ""`, banned.Status, banned.Body)
		}
	})
}

func TestOrderCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}, RateLimits: binancesim.RateLimits{OrdersPer10s: 6}})
		r := v.signed(http.MethodPost, orderPath, limitBuy())
		if r.Header.Get("X-Mbx-Order-Count-10s") != "1" || r.Header.Get("X-Mbx-Order-Count-1m") != "1" {
			t.Errorf(`r.Header = %v, want r.Header.Get("X-Mbx-Order-Count-10s") == "1" && r.Header.Get("X-Mbx-Order-Count-1m") == "1"`, r.Header)
		}
		r = v.signed(http.MethodPost, "/fapi/v1/batchOrders", "batchOrders="+batch(`{"symbol":"NOPE"}`))
		if r.Header.Get("X-Mbx-Order-Count-10s") != "6" || r.Header.Get("X-Mbx-Order-Count-1m") != "2" {
			t.Errorf(`r.Header = %v, want r.Header.Get("X-Mbx-Order-Count-10s") == "6" && r.Header.Get("X-Mbx-Order-Count-1m") == "2"`, r.Header)
		}
		r = v.signed(http.MethodPost, orderPath, limitBuy())
		if r.Status != http.StatusTooManyRequests || r.code() != -1015 || r.Header.Get("Retry-After") == "" {
			t.Errorf(`%d %s, want r.Status == http.StatusTooManyRequests && r.code() == -1015 && r.Header.Get("Retry-After") != ""`, r.Status, r.Body)
		}
		if r = v.signed(http.MethodGet, "/fapi/v1/openOrders", ""); r.Status != 200 {
			t.Errorf("reading is limited too: %d, want r.Status == 200", r.Status)
		}
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
			if r := v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000"); r.Status != 200 {
				t.Fatalf("r.Status = %d, want r.Status == 200", r.Status)
			}
		}
	})
}
