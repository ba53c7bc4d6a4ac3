package okxsim_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp/fasthttputil"

	"venuegate/venues/okx/okxsim"
)

// inVirtualTime runs the whole simulator in virtual time over listeners in memory,
// with one client of a socket.
func inVirtualTime(t *testing.T, options okxsim.Options, socket string, test func(*testing.T, *websocket.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sim, err := okxsim.New(options)
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
		conn, response, err := dialer.Dial("ws://venue/ws/v5/"+socket, nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		defer conn.Close()
		test(t, conn)
	})
}

// A client that is told nothing for half a minute is closed, one that pings is
// not.
func TestSilentConnectionIsClosed(t *testing.T) {
	inVirtualTime(t, okxsim.Options{Quiet: true}, "public", func(t *testing.T, conn *websocket.Conn) {
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
		_, _, err := conn.ReadMessage()
		if !websocket.IsCloseError(err, 4004) {
			t.Errorf("ended with %v", err)
		}
		if lived := time.Since(began); lived < 90*time.Second || lived > 91*time.Second {
			t.Errorf("lived for %s", lived)
		}
	})
}

// A connection is told of its end a minute ahead; those of the business socket
// live on.
func TestUpgradeIsAnnounced(t *testing.T) {
	const lifetime = 10 * time.Minute
	options := okxsim.Options{Quiet: true, ConnLifetime: lifetime, SilenceMax: -1}
	inVirtualTime(t, options, "private", func(t *testing.T, conn *websocket.Conn) {
		began := time.Now()
		_, data, err := conn.ReadMessage()
		if lived := time.Since(began); err != nil || !strings.Contains(string(data), `"event":"notice","code":"64008"`) || lived < lifetime || lived > lifetime+time.Second {
			t.Errorf("%s %v after %s", data, err, lived)
		}
		_, data, err = conn.ReadMessage()
		if lived := time.Since(began); err == nil || lived < lifetime+time.Minute || lived > lifetime+time.Minute+time.Second {
			t.Errorf("%s %v after %s", data, err, lived)
		}
	})
	inVirtualTime(t, options, "business", func(t *testing.T, conn *websocket.Conn) {
		time.Sleep(2 * lifetime)
		if err := conn.WriteMessage(websocket.TextMessage, []byte("ping")); err != nil {
			t.Fatal(err)
		}
		if _, data, err := conn.ReadMessage(); err != nil || string(data) != "pong" {
			t.Errorf("%s %v", data, err)
		}
	})
}
