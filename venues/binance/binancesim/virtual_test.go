package binancesim_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// An hour of pings and the expiry of a listen key take no real time.
func TestVirtualTime(t *testing.T) {
	options := binancesim.Options{Setup: simnet.Setup{Quiet: true}, SessionLifeMax: 61 * time.Minute}
	synctest.Test(t, func(t *testing.T) {
		v := start(t, options)
		key := v.do(v.rawRequest(http.MethodPost, "/fapi/v1/listenKey")).Object(v)["listenKey"].(string)
		began := time.Now()
		conn := v.DialRaw("/private/ws?listenKey=" + key)
		pings := 0
		answer := conn.PingHandler()
		conn.SetPingHandler(func(payload string) error {
			pings++
			return answer(payload)
		})
		_, message, err := conn.ReadMessage()
		if err != nil {
			v.Fatal(err)
		}
		if event := simtest.Decode(v, message); event["e"] != "listenKeyExpired" || event["listenKey"] != key {
			v.Errorf(`message = %s, want event["e"] == "listenKeyExpired" && event["listenKey"] == key`, message)
		}
		if took := time.Since(began).Round(time.Second); took != time.Hour {
			v.Errorf("the key lived %s, want took == time.Hour", took)
		}
		if pings < 19 || pings > 20 {
			v.Errorf("%d pings in an hour, want pings >= 19 && pings <= 20", pings)
		}
		if _, _, err := conn.ReadMessage(); err == nil {
			v.Error("a message after the key expired")
		}
		if took := time.Since(began).Round(time.Second); took != 61*time.Minute {
			v.Errorf("the connection lived %s, want took == 61 * time.Minute", took)
		}
	})
}

// A client that never answers a ping is disconnected.
func TestSilentClientIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := quiet(t)
		began := time.Now()
		conn := v.DialRaw("/market/ws")
		conn.SetPingHandler(func(string) error { return nil })
		if _, _, err := conn.ReadMessage(); err == nil {
			v.Error("a message")
		}
		if took := time.Since(began).Round(time.Minute); took != 10*time.Minute {
			v.Errorf("cut off after %s, want took == 10 * time.Minute", took)
		}
	})
}
