package okxsim_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp/fasthttputil"

	"venuegate/venues/okx/okxsim"
)

// The whole simulator runs in virtual time over listeners in memory: a client
// that is told nothing for half a minute is closed, one that pings is not.
func TestSilentConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim, err := okxsim.New(okxsim.Options{Quiet: true})
		if err != nil {
			t.Fatal(err)
		}
		venueListener, controlListener := fasthttputil.NewInmemoryListener(), fasthttputil.NewInmemoryListener()
		sim.Serve(venueListener, controlListener)
		defer func() {
			if err := sim.Close(); err != nil {
				t.Error(err)
			}
			// The HTTP server's housekeeping outlives its listener for a moment.
			time.Sleep(time.Second)
		}()
		dialer := websocket.Dialer{
			NetDialContext: func(context.Context, string, string) (net.Conn, error) { return venueListener.Dial() },
		}
		conn, response, err := dialer.Dial("ws://venue/ws/v5/public", nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		defer conn.Close()
		began := time.Now()
		for range 3 {
			time.Sleep(20 * time.Second)
			if err := conn.WriteMessage(websocket.TextMessage, []byte("ping")); err != nil {
				t.Fatal(err)
			}
			if _, data, err := conn.ReadMessage(); err != nil || string(data) != "pong" {
				t.Fatalf("%s %v", data, err)
			}
		}
		_, _, err = conn.ReadMessage()
		if !websocket.IsCloseError(err, 4004) {
			t.Errorf("ended with %v", err)
		}
		if lived := time.Since(began); lived < 90*time.Second || lived > 91*time.Second {
			t.Errorf("lived for %s", lived)
		}
	})
}
