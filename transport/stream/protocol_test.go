package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/transport/api"
	"venuegate/transport/stream"
	"venuegate/venues"
)

// inMemory runs a test in virtual time over an in-memory network.
func inMemory(t *testing.T, options stream.Options, test func(t *testing.T, s *server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, options, false)
		test(t, s)
		s.stop()
	})
}

func TestWelcome(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		ws, _, err := s.upgrade(nil)
		if err != nil {
			t.Fatal(err)
		}
		c := &client{t: t, ws: ws}
		m := c.next()
		id, _ := m.Rest["connId"].(string)
		now := time.Now().UTC().Format(venues.TimeFormat)
		if m.Op != "welcome" || !strings.HasPrefix(id, "conn_") || m.Rest["serverTime"] != now || m.Rest["pingSec"] != 20.0 || m.Rest["maxChannels"] != 200.0 {
			t.Fatalf("message = %s, want welcome with connId, time %s, pingSec 20, maxChannels 200", m.text, now)
		}
		c.close()
	})
}

func TestAuth(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.connect()
		c.send(`{"op":"auth","token":"alice/read,trade","id":"a1"}`)
		if m := c.next(); m.Op != "auth" || !m.OK || m.ID != "a1" || !slices.Equal(m.Scopes, []string{"read", "trade"}) {
			t.Fatalf("message = %s, want the reply to auth a1 with its scopes", m.text)
		}
		c.send(`{"op":"auth","token":"bob"}`)
		c.wantError(api.StreamBadMessage)
		c.close()
	})
}

func TestAuthFailures(t *testing.T) {
	limited := venues.Errorf(venues.CodeRateLimited, "too many failed authentications")
	limited.RetryAfter = 1500 * time.Millisecond
	for _, tt := range []struct {
		name   string
		err    error
		code   api.StreamCode
		reason string
	}{
		{"wrong key", errWrongKey, api.StreamUnauthorized, "unauthorized"},
		{"limited", limited, api.StreamUnauthorized, "rate_limited"},
		{"maintenance", venues.Errorf(venues.CodeMaintenance, "starting"), api.StreamServerRestart, "maintenance"},
		{"broken", fmt.Errorf("disk: canary"), api.StreamServerRestart, "internal_error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
				s.keys.setError("alice", tt.err)
				c := s.connect()
				c.send(`{"op":"auth","token":"alice","id":7}`)
				m := c.wantError(tt.code)
				if m.ID != 7.0 || m.Details["reason"] != tt.reason || strings.Contains(m.text, "canary") {
					t.Errorf("error = %s, want id 7 and reason %s", m.text, tt.reason)
				}
				if tt.reason == "rate_limited" && m.Details["retryAfterSec"] != 2.0 {
					t.Errorf("error = %s, want retryAfterSec 2", m.text)
				}
				c.wantClosed(int(tt.code))
			})
		})
	}
}

func TestOperationsBeforeAuthAreRejected(t *testing.T) {
	for _, op := range []string{`{"op":"subscribe","channels":["orders"]}`, `{"op":"unsubscribe","channels":["orders"]}`} {
		inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
			c := s.connect()
			c.send(`{"op":"ping"}`)
			if m := c.next(); m.Op != "pong" {
				t.Fatalf("message = %s, want pong", m.text)
			}
			c.send(op)
			c.wantError(api.StreamUnauthorized)
			c.wantClosed(4001)
			if n := s.feed.subscriptions(); n != 0 {
				t.Errorf("%d subscriptions, want none", n)
			}
		})
	}
}

func TestBadMessages(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		c.send(`{"id":3,"op":"dance"}`)
		if m := c.wantError(api.StreamBadMessage); m.ID != 3.0 || m.Details["fields"] == nil {
			t.Fatalf("error = %s, want id 3 and fields", m.text)
		}
		if err := c.ws.WriteMessage(websocket.BinaryMessage, []byte(`{"op":"ping"}`)); err != nil {
			t.Fatal(err)
		}
		c.wantError(api.StreamBadMessage)
		for range 7 {
			c.send(`{"op":`)
			c.wantError(api.StreamBadMessage)
		}
		c.send(`{"op":"ping"}`)
		if m := c.next(); m.Op != "pong" {
			t.Fatalf("message = %s, want pong", m.text)
		}
		c.send(`[]`)
		c.wantError(api.StreamBadMessage)
		c.wantClosed(4000)
	})
}

func TestMessageSize(t *testing.T) {
	pad := func(size int) string {
		frame := `{"op":"ping","pad":""}`
		return `{"op":"ping","pad":"` + strings.Repeat("x", size-len(frame)) + `"}`
	}
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.connect()
		c.send(pad(api.StreamFrameBytesMax))
		if m := c.next(); m.Op != "pong" {
			t.Fatalf("message = %s, want pong", m.text)
		}
		_ = c.ws.WriteMessage(websocket.TextMessage, []byte(pad(api.StreamFrameBytesMax+1))) // may fail, because the server closes the connection
		c.wantClosed(1009)
	})
}

// A frame that announces a terabyte is rejected at its header: the server does not wait for
// its payload.
func TestFrameThatAnnouncesTooMuchIsRejected(t *testing.T) {
	for name, frame := range map[string]string{
		"text":         "\x81\xff\x00\x00\x01\x00\x00\x00\x00\x00mask",
		"binary":       "\x82\xff\x00\x00\x01\x00\x00\x00\x00\x00mask",
		"continuation": "\x01\x81masky\x80\xff\x00\x00\x01\x00\x00\x00\x00\x00mask",
		"all bits":     "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xffmask",
	} {
		inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
			c := s.login("alice")
			began := time.Now()
			if _, err := c.ws.NetConn().Write([]byte(frame)); err != nil {
				t.Fatal(err)
			}
			c.wantClosed(1009)
			if took := time.Since(began); took != 0 {
				t.Errorf("%s: closed after %s, want at once", name, took)
			}
		})
	}
}

func TestSizeLimitAppliesToAllFragments(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.connect()
		w, err := c.ws.NextWriter(websocket.TextMessage)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 { // the client's buffer splits this into fragments
			if _, err := w.Write([]byte(strings.Repeat(" ", 4000))); err != nil {
				break
			}
		}
		c.wantClosed(1009)
	})
}

func TestMessagesArePaced(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		time.Sleep(time.Minute / 2)
		start := time.Now()
		go func() {
			for i := range 100 {
				_ = c.ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"op":"ping","id":%d}`, i)) // missing messages are detected below
			}
		}()
		for i := range 100 {
			if m := c.next(); m.ID != float64(i) {
				t.Fatalf("reply %d = %s, want id %d", i, m.text, i)
			}
		}
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("100 messages took %v, want 4s: a burst of 20, then 20 a second", took)
		}
		c.close()
	})
}

func TestQueuedRepliesAreBounded(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1, QueueBytesMax: 500}, func(t *testing.T, s *server) {
		c := s.login("alice")
		for range 20 { // without reading the replies
			c.send(`{"op":"ping"}`)
			synctest.Wait() // so that each reply is written on its own
		}
		synctest.Wait()
		for {
			m, err := c.read()
			if err == nil && m.Op == "pong" {
				continue
			}
			if !websocket.IsCloseError(err, 4009) {
				t.Fatalf("message %s, error %v, want close 4009", m.text, err)
			}
			break
		}
		c.close()
	})
}
