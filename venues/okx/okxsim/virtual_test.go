package okxsim_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
)

// inVirtualTimeAs runs the whole simulator in virtual time over listeners in
// memory, with one connection to a socket.
func inVirtualTimeAs(t *testing.T, options okxsim.Options, socket string, test func(*testing.T, *venue, *websocket.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v := start(t, options)
		test(t, v, v.DialRaw("/ws/v5/"+socket))
	})
}

func inVirtualTime(t *testing.T, options okxsim.Options, socket string, test func(*testing.T, *websocket.Conn)) {
	t.Helper()
	inVirtualTimeAs(t, options, socket, func(t *testing.T, _ *venue, conn *websocket.Conn) { test(t, conn) })
}

// A connection without outgoing messages for half a minute is closed, unless it
// pings.
func TestSilentConnectionIsClosed(t *testing.T) {
	inVirtualTime(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}}, "public", func(t *testing.T, conn *websocket.Conn) {
		began := time.Now()
		for range 3 {
			time.Sleep(20 * time.Second)
			if err := conn.WriteMessage(websocket.TextMessage, []byte("ping")); err != nil {
				t.Fatal(err)
			}
			if _, data, err := conn.ReadMessage(); err != nil || string(data) != "pong" {
				t.Fatalf("answer to a ping = %q, %v, want pong", data, err)
			}
		}
		_, _, err := conn.ReadMessage()
		if !websocket.IsCloseError(err, 4004) {
			t.Errorf("connection ended with %v, want close code 4004", err)
		}
		if lived := time.Since(began); lived < 90*time.Second || lived > 91*time.Second {
			t.Errorf("the connection ends after %s, want 90 to 91 seconds", lived)
		}
	})
}

// A connection gets a notice a minute before its end; those of the business socket
// stay open.
func TestNoticeBeforeAServiceUpgrade(t *testing.T) {
	const lifetime = 10 * time.Minute
	options := okxsim.Options{Setup: simnet.Setup{Quiet: true}, ConnLifetime: lifetime, SilenceMax: -1}
	inVirtualTime(t, options, "private", func(t *testing.T, conn *websocket.Conn) {
		began := time.Now()
		_, data, err := conn.ReadMessage()
		if lived := time.Since(began); err != nil || !strings.Contains(string(data), `"event":"notice","code":"64008"`) || lived < lifetime || lived > lifetime+time.Second {
			t.Errorf("read after %s = %q, %v, want the notice after %s", lived, data, err, lifetime)
		}
		_, data, err = conn.ReadMessage()
		if lived := time.Since(began); err == nil || lived < lifetime+time.Minute || lived > lifetime+time.Minute+time.Second {
			t.Errorf("read after %s = %q, %v, want the end of the connection a minute after %s", lived, data, err, lifetime)
		}
	})
	inVirtualTime(t, options, "business", func(t *testing.T, conn *websocket.Conn) {
		time.Sleep(2 * lifetime)
		if err := conn.WriteMessage(websocket.TextMessage, []byte("ping")); err != nil {
			t.Fatal(err)
		}
		if _, data, err := conn.ReadMessage(); err != nil || string(data) != "pong" {
			t.Errorf("answer to a ping = %q, %v, want pong", data, err)
		}
	})
}
