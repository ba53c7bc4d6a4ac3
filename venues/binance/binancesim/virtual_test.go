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

// inVirtualTime runs the whole simulator in virtual time over listeners in memory.
func inVirtualTime(t *testing.T, options binancesim.Options, test func(*venue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sim := create(t, options)
		test(&venue{Client: simtest.StartInMemory(t, sim), sim: sim})
	})
}

// An hour of pings and the end of a listen key take no time.
func TestVirtualTime(t *testing.T) {
	options := binancesim.Options{Setup: simnet.Setup{Quiet: true}, SessionLifeMax: 61 * time.Minute}
	inVirtualTime(t, options, func(v *venue) {
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
			v.Errorf("%s", message)
		}
		if took := time.Since(began).Round(time.Second); took != time.Hour {
			v.Errorf("the key lived %s", took)
		}
		if pings < 19 || pings > 20 {
			v.Errorf("%d pings in an hour", pings)
		}
		if _, _, err := conn.ReadMessage(); err == nil {
			v.Error("a message after the key expired")
		}
		if took := time.Since(began).Round(time.Second); took != 61*time.Minute {
			v.Errorf("the connection lived %s", took)
		}
	})
}

// A client that never answers a ping is cut off.
func TestSilentClientIsCutOff(t *testing.T) {
	inVirtualTime(t, binancesim.Options{Setup: simnet.Setup{Quiet: true}}, func(v *venue) {
		began := time.Now()
		conn := v.DialRaw("/market/ws")
		conn.SetPingHandler(func(string) error { return nil })
		if _, _, err := conn.ReadMessage(); err == nil {
			v.Error("a message")
		}
		if took := time.Since(began).Round(time.Minute); took != 10*time.Minute {
			v.Errorf("cut off after %s", took)
		}
	})
}
