package stream_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/transport/api"
	"venuegate/transport/stream"
)

func TestAuthTimeout(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		start := time.Now()
		c := s.connect()
		for range 3 { // pings do not authenticate
			time.Sleep(3 * time.Second)
			c.send(`{"op":"ping"}`)
			c.next()
		}
		c.wantClosed(4010)
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("closed after %v, want 10s", took)
		}
	})
}

func TestPingTimeout(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		time.Sleep(44 * time.Second)
		c.send(`{"op":"ping","id":"p"}`)
		if m := c.next(); m.Op != "pong" || m.ID != "p" || m.Rest["serverTime"] == nil {
			t.Fatalf("message = %s, want pong p with serverTime", m.text)
		}
		start := time.Now()
		time.Sleep(30 * time.Second)
		var pong string
		c.ws.SetPongHandler(func(payload string) error { pong = payload; return nil })
		if err := c.ws.WriteControl(websocket.PingMessage, []byte("hello"), time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		c.wantClosed(4008) // a ping frame is answered, but does not count as a message
		if took := time.Since(start); took != 45*time.Second {
			t.Errorf("closed after %v, want 45s", took)
		}
		if pong != "hello" {
			t.Errorf("pong = %q, want hello", pong)
		}
	})
}

func TestIncompleteMessageDoesNotExtendTheIdleTimeout(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		raw := c.ws.NetConn()
		start := time.Now()
		for _, b := range []byte{0x81, 0x80 | 20, 0, 0, 0, 0} { // a text frame that is never completed
			if _, err := raw.Write([]byte{b}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Second)
		}
		c.wantClosed(4008)
		if took := time.Since(start); took != 45*time.Second {
			t.Errorf("closed after %v, want 45s", took)
		}
	})
}

func TestCloseFrameOfTheClientIsEchoed(t *testing.T) {
	for _, code := range []int{websocket.CloseNormalClosure, 3999, websocket.CloseNoStatusReceived} {
		inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
			c := s.login("alice")
			c.subscribe("orders")
			c.next()
			payload := websocket.FormatCloseMessage(code, "")
			if err := c.ws.WriteControl(websocket.CloseMessage, payload, time.Now().Add(time.Second)); err != nil {
				t.Fatal(err)
			}
			c.wantClosed(code)
			synctest.Wait()
			if n := s.feed.open(); n != 0 {
				t.Errorf("%d upstream subscriptions left, want none", n)
			}
			if got := s.hub.Stats(); got.Connections != 0 || got.Subscriptions != 0 || got.Topics != 0 {
				t.Errorf("stats = %+v, want no connections, subscriptions and topics", got)
			}
		})
	}
}

// Clients may close with any code; unknown ones are counted together.
func TestUnknownCloseCodesAreCountedTogether(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		for code := 3000; code < 3050; code++ {
			c := s.login("alice")
			if err := c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second)); err != nil {
				t.Fatal(err)
			}
			c.wantClosed(code)
			c.close()
		}
		synctest.Wait()
		got := s.hub.Stats().Closes
		if _, expected := got[int(api.StreamSlowConsumer)]; got[0] != 50 || !expected || got[3000] != 0 || got[3049] != 0 {
			t.Errorf("closes = %v, want 50 with code 0, and every code of the service", got)
		}
	})
}

func TestProtocolViolationCloses(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		if _, err := c.ws.NetConn().Write([]byte{0x81, 0x02, '{', '}'}); err != nil { // not masked
			t.Fatal(err)
		}
		c.wantClosed(websocket.CloseProtocolError)
		c.close()
	})
}

func TestUnsolicitedPongsDoNotExtendTheIdleTimeout(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		start := time.Now()
		time.Sleep(30 * time.Second)
		if err := c.ws.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		c.wantClosed(4008)
		if took := time.Since(start); took != 45*time.Second {
			t.Errorf("closed after %v, want 45s", took)
		}
	})
}

func TestPanicOfAReaderClosesOnlyItsConnection(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		other := s.login("bob")
		c := s.connect()
		c.send(`{"op":"auth","token":"panic"}`)
		c.wantClosed(1011)
		other.send(`{"op":"ping"}`)
		other.next()
		c.close()
		other.close()
	})
}
