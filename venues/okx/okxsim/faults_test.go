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

// lost sends a call that must not be answered.
func (v *venue) lost(body string) {
	v.Helper()
	client := &http.Client{Timeout: 300 * time.Millisecond, Transport: v.HTTP.Transport}
	response, err := client.Do(v.request(http.MethodPost, "/api/v5/trade/order", body))
	if err == nil {
		response.Body.Close()
		v.Fatal("answered, want no answer")
	}
}

func TestInjectedFaultsOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.control("/faults", `{"match":{"path":"/api/v5/trade/order","op":"POST"},"do":"timeout_after","times":1}`)
		v.lost(restingBuy)
		simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&clOrdId=a1")), object{"state": "live"})

		v.control("/faults", `{"match":{"path":"/api/v5/trade/order","op":"POST"},"do":"timeout_before","times":1}`)
		v.lost(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"a2","side":"buy","ordType":"limit","px":"64000","sz":"1"}`)
		v.get("/trade/order?instId="+btc+"&clOrdId=a2").expectCode(t, "51603")

		v.control("/faults", `{"match":{"path":"/api/v5/account"},"do":"status","args":{"status":502},"times":1}`)
		v.get("/account/balance").expect(t, 502, "")
		v.control("/faults", `{"match":{"path":"/api/v5/trade/order","op":"POST"},"do":"reject","args":{"code":"50004","executed":true},"times":1}`)
		unknown := v.post("/trade/order", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"a3","side":"buy","ordType":"limit","px":"64000","sz":"1"}`)
		unknown.expect(t, http.StatusBadRequest, "50004")
		simtest.Expect(t, v.one(v.get("/trade/order?instId="+btc+"&clOrdId=a3")), object{"state": "live"})
		v.control("/faults", `{"match":{"path":"/api/v5/trade/order","op":"POST"},"do":"reject","args":{"code":"51008"},"times":1}`)
		v.post("/trade/order", `{}`).expectItem(t, "51008")
	})
}

func TestMaintenanceInTheSystemStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		r := v.get("/system/status?state=ongoing")
		r.expectCode(t, "0")
		simtest.ExpectRows(t, r.Data)
		v.control("/faults", `{"match":{"path":"/api/v5/trade"},"do":"maintenance"}`)
		v.post("/trade/order", restingBuy).expect(t, http.StatusServiceUnavailable, "50001")
		simtest.Expect(t, v.one(v.get("/system/status?state=ongoing")), object{"state": "ongoing", "serviceType": "5", "env": "1"})
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
		simtest.Expect(t, first, object{"state": "canceled", "ordId": id})
	})
}

func TestAddressIsBanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}})
		v.control("/faults", `{"match":{"path":"/api/v5/public/time"},"do":"ban","args":{"delayMs":60000},"times":1}`)
		for range 2 {
			v.get("/public/time").expect(t, http.StatusTooManyRequests, "50011")
		}
	})
}

func TestHandshakeIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		v.control("/faults", `{"match":{"path":"/ws/v5/public"},"do":"status","args":{"status":503},"times":1}`)
		simtest.Equal(t, "status of the handshake", v.Handshake("/ws/v5/public"), http.StatusServiceUnavailable)
		v.stream("public").Send("ping")
	})
}
