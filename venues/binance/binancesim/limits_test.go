package binancesim_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"venuegate/venues/binance/binancesim"
)

func TestWeightLimitAndBan(t *testing.T) {
	v := start(t, binancesim.Options{Quiet: true, RateLimits: binancesim.RateLimits{WeightPerMinute: 60}})
	first := v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000")
	if used := first.header.Get("X-Mbx-Used-Weight-1m"); first.status != 200 || used != "20" {
		t.Fatalf("%d, weight %s", first.status, used)
	}
	v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000")
	if last := v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000"); last.status != 200 {
		t.Fatalf("at the limit: %d", last.status)
	}
	over := v.public("/fapi/v1/ping")
	wait, err := strconv.Atoi(over.header.Get("Retry-After"))
	if over.status != http.StatusTooManyRequests || over.code() != -1003 || err != nil || wait < 1 || wait > 60 {
		t.Fatalf("beyond it: %d %s, retry after %d", over.status, over.body, wait)
	}
	if !strings.Contains(string(over.body), "current limit of IP(127.0.0.1) is 60 requests per minute") {
		t.Errorf("%s", over.body)
	}
	var banned reply
	for range 30 {
		if banned = v.public("/fapi/v1/ping"); banned.status == http.StatusTeapot {
			break
		}
	}
	if banned.status != http.StatusTeapot || !strings.Contains(string(banned.body), "banned until ") || banned.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", banned.status, banned.body)
	}
}

func TestOrderCounts(t *testing.T) {
	v := start(t, binancesim.Options{Quiet: true, RateLimits: binancesim.RateLimits{OrdersPer10s: 6}})
	r := v.signed(http.MethodPost, orderPath, limitBuy())
	if r.header.Get("X-Mbx-Order-Count-10s") != "1" || r.header.Get("X-Mbx-Order-Count-1m") != "1" {
		t.Errorf("%v", r.header)
	}
	r = v.signed(http.MethodPost, "/fapi/v1/batchOrders", "batchOrders="+batch(`{"symbol":"NOPE"}`))
	if r.header.Get("X-Mbx-Order-Count-10s") != "6" || r.header.Get("X-Mbx-Order-Count-1m") != "2" {
		t.Errorf("%v", r.header)
	}
	r = v.signed(http.MethodPost, orderPath, limitBuy())
	if r.status != http.StatusTooManyRequests || r.code() != -1015 || r.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r = v.signed(http.MethodGet, "/fapi/v1/openOrders", ""); r.status != 200 {
		t.Errorf("reading is limited too: %d", r.status)
	}
}

func TestUnlimited(t *testing.T) {
	t.Parallel()
	v := start(t, binancesim.Options{
		Quiet: true, RateLimits: binancesim.RateLimits{WeightPerMinute: -1, OrdersPer10s: -1, OrdersPerMinute: -1},
	})
	for range 200 {
		if r := v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000"); r.status != 200 {
			t.Fatalf("%d", r.status)
		}
	}
}
