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
		simtest.Expect(v, simtest.Decode(v, message), simtest.Object{"e": "listenKeyExpired", "listenKey": key})
		simtest.Equal(v, "life of the key", time.Since(began).Round(time.Second), time.Hour)
		if pings < 19 || pings > 20 {
			v.Errorf("%d pings in an hour, want 19 or 20", pings)
		}
		if _, _, err := conn.ReadMessage(); err == nil {
			v.Error("a message follows the expiry of the key, want the end of the connection")
		}
		simtest.Equal(v, "life of the connection", time.Since(began).Round(time.Second), 61*time.Minute)
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
			v.Error("a message was read, want the end of the connection")
		}
		simtest.Equal(v, "time until the connection ends", time.Since(began).Round(time.Minute), 10*time.Minute)
	})
}
