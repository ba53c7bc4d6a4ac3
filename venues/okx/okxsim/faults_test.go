package okxsim_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
)

// lost sends a call that must not be answered.
func (v *venue) lost(body string) {
	v.Helper()
	client := &http.Client{Timeout: 300 * time.Millisecond, Transport: v.HTTP.Transport}
	response, err := client.Do(v.request(http.MethodPost, "/api/v5/trade/order", body))
	if err == nil {
		response.Body.Close()
		v.Fatal("answered")
	}
}

func TestInjectedFaultsOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.control("/faults", `{"match":{"path":"/api/v5/trade/order","op":"POST"},"do":"timeout_after","times":1}`)
		v.lost(restingBuy)
		expect(t, v.one(v.get("/trade/order?instId="+btc+"&clOrdId=a1")), object{"state": "live"})

		v.control("/faults", `{"match":{"path":"/api/v5/trade/order","op":"POST"},"do":"timeout_before","times":1}`)
		v.lost(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"a2","side":"buy","ordType":"limit","px":"64000","sz":"1"}`)
		if r := v.get("/trade/order?instId=" + btc + "&clOrdId=a2"); r.Code != "51603" {
			t.Errorf(`never placed: %s, want r.Code == "51603"`, r.raw())
		}

		v.control("/faults", `{"match":{"path":"/api/v5/account"},"do":"status","args":{"status":502},"times":1}`)
		if r := v.get("/account/balance"); r.Status != 502 || r.Code != "" {
			t.Errorf(`gateway: %d %s, want r.Status == 502 && r.Code == ""`, r.Status, r.raw())
		}
		v.control("/faults", `{"match":{"path":"/api/v5/trade/order","op":"POST"},"do":"reject","args":{"code":"50004","executed":true},"times":1}`)
		unknown := v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"a3","side":"buy","ordType":"limit","px":"64000","sz":"1"}`)
		if unknown.Status != http.StatusBadRequest || unknown.Code != "50004" {
			t.Errorf(`outcome unknown: %d %s, want unknown.Status == http.StatusBadRequest && unknown.Code == "50004"`, unknown.Status, unknown.raw())
		}
		expect(t, v.one(v.get("/trade/order?instId="+btc+"&clOrdId=a3")), object{"state": "live"})
		v.control("/faults", `{"match":{"path":"/api/v5/trade/order","op":"POST"},"do":"reject","args":{"code":"51008"},"times":1}`)
		if r := v.post("/trade/order", `{}`); r.Code != "1" || r.sCode() != "51008" {
			t.Errorf(`refused item: %s, want r.Code == "1" && r.sCode() == "51008"`, r.raw())
		}
	})
}

func TestMaintenanceInTheSystemStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		if r := v.get("/system/status?state=ongoing"); r.Code != "0" || len(r.Data) != 0 {
			t.Fatalf(`r.raw() = %v, want r.Code == "0" && len(r.Data) == 0`, r.raw())
		}
		v.control("/faults", `{"match":{"path":"/api/v5/trade"},"do":"maintenance"}`)
		if r := v.post("/trade/order", restingBuy); r.Code != "50001" || r.Status != http.StatusServiceUnavailable {
			t.Errorf(`%d %s, want r.Code == "50001" && r.Status == http.StatusServiceUnavailable`, r.Status, r.raw())
		}
		expect(t, v.one(v.get("/system/status?state=ongoing")), object{"state": "ongoing", "serviceType": "5", "env": "1"})
	})
}

func TestInjectedFaultsOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		s := v.loggedIn("private")
		s.subscribe(`{"channel":"orders","instType":"SWAP"}`)
		v.control("/faults", `{"match":{"path":"/ws/v5/private","op":"orders"},"do":"gap","times":1}`)
		id := v.order(restingBuy)
		v.post("/trade/cancel-order", `{"instId":"BTC-USDT-SWAP","clOrdId":"a1"}`)
		first := s.push("orders", func(_, _ object) bool { return true })
		expect(t, first, object{"state": "canceled", "ordId": id})
	})
}

func TestAddressIsBanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}})
		v.control("/faults", `{"match":{"path":"/api/v5/public/time"},"do":"ban","args":{"delayMs":60000},"times":1}`)
		for range 2 {
			if r := v.get("/public/time"); r.Status != http.StatusTooManyRequests || r.Code != "50011" {
				t.Errorf(`%d %s, want r.Status == http.StatusTooManyRequests && r.Code == "50011"`, r.Status, r.raw())
			}
		}
	})
}

func TestHandshakeIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.control("/faults", `{"match":{"path":"/ws/v5/public"},"do":"status","args":{"status":503},"times":1}`)
		if status := v.Handshake("/ws/v5/public"); status != http.StatusServiceUnavailable {
			t.Errorf("status %d, want status == http.StatusServiceUnavailable", status)
		}
		v.stream("public").Send("ping")
	})
}
