package binancesim_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp/fasthttputil"

	"venuegate/venues/binance/binancesim"
)

// The whole simulator runs in virtual time over listeners in memory: an hour of
// pings and the end of a listen key take no time.
func TestVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim, err := binancesim.New(binancesim.Options{Quiet: true, SessionLifeMax: 61 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		venueListener, controlListener := fasthttputil.NewInmemoryListener(), fasthttputil.NewInmemoryListener()
		sim.Serve(venueListener, controlListener)
		defer closeInBubble(t, sim)
		dial := func(context.Context, string, string) (net.Conn, error) { return venueListener.Dial() }
		client := &http.Client{Transport: &http.Transport{DialContext: dial}}
		defer client.CloseIdleConnections()

		request, err := http.NewRequest(http.MethodPost, "http://venue/fapi/v1/listenKey", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-MBX-APIKEY", sim.DemoAccount().Credentials.APIKey)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		var key struct{ ListenKey string }
		if err := json.NewDecoder(response.Body).Decode(&key); err != nil {
			t.Fatal(err)
		}
		response.Body.Close()

		began := time.Now()
		dialer := websocket.Dialer{NetDialContext: dial}
		conn, _, err := dialer.Dial("ws://venue/private/ws?listenKey="+key.ListenKey, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		pings := 0
		answer := conn.PingHandler()
		conn.SetPingHandler(func(payload string) error {
			pings++
			return answer(payload)
		})
		_, message, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		var event struct {
			Kind string `json:"e"`
			Time string `json:"E"`
		}
		if err := json.Unmarshal(message, &event); err != nil || event.Kind != "listenKeyExpired" {
			t.Errorf("%s: %v", message, err)
		}
		if took := time.Since(began).Round(time.Second); took != time.Hour {
			t.Errorf("the key lived %s", took)
		}
		if pings < 19 || pings > 20 {
			t.Errorf("%d pings in an hour", pings)
		}
		if _, _, err := conn.ReadMessage(); err == nil {
			t.Error("a message after the key expired")
		}
		if took := time.Since(began).Round(time.Second); took != 61*time.Minute {
			t.Errorf("the connection lived %s", took)
		}
	})
}

// A client that never answers a ping is cut off.
func TestSilentClientIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim, err := binancesim.New(binancesim.Options{Quiet: true})
		if err != nil {
			t.Fatal(err)
		}
		venueListener := fasthttputil.NewInmemoryListener()
		sim.Serve(venueListener, fasthttputil.NewInmemoryListener())
		defer closeInBubble(t, sim)
		began := time.Now()
		dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return venueListener.Dial() }}
		conn, _, err := dialer.Dial("ws://venue/market/ws", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetPingHandler(func(string) error { return nil })
		if _, _, err := conn.ReadMessage(); err == nil {
			t.Error("a message")
		}
		if took := time.Since(began).Round(time.Minute); took != 10*time.Minute {
			t.Errorf("cut off after %s", took)
		}
	})
}

// closeInBubble closes a simulator of virtual time: the HTTP server's housekeeping
// outlives its listener for a moment.
func closeInBubble(t *testing.T, sim *binancesim.Sim) {
	t.Helper()
	closeSim(t, sim)
	time.Sleep(time.Second)
}
