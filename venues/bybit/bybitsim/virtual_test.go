package bybitsim_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp/fasthttputil"

	"venuegate/venues/bybit/bybitsim"
)

// The whole simulator runs in virtual time over listeners in memory: a client
// that says nothing is cut off after ten minutes that take no time.
func TestSilentClientIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim, err := bybitsim.New(bybitsim.Options{Quiet: true})
		if err != nil {
			t.Fatal(err)
		}
		venueListener := fasthttputil.NewInmemoryListener()
		sim.Serve(venueListener, fasthttputil.NewInmemoryListener())
		defer func() {
			if err := sim.Close(); err != nil {
				t.Error(err)
			}
			// The HTTP server's housekeeping outlives its listener for a moment.
			time.Sleep(time.Second)
		}()
		began := time.Now()
		dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return venueListener.Dial() }}
		conn, _, err := dialer.Dial("ws://venue/v5/private", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, _, err := conn.ReadMessage(); err == nil {
			t.Error("a message")
		}
		if took := time.Since(began).Round(time.Minute); took != 10*time.Minute {
			t.Errorf("cut off after %s", took)
		}
	})
}
