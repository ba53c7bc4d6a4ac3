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

// inMemory runs a test in virtual time over a network in memory.
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
			t.Fatalf("got %s", m.text)
		}
		c.close()
	})
}

func TestAuth(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.connect()
		c.send(`{"op":"auth","token":"alice/read,trade","id":"a1"}`)
		if m := c.next(); m.Op != "auth" || !m.OK || m.ID != "a1" || !slices.Equal(m.Scopes, []string{"read", "trade"}) {
			t.Fatalf("got %s", m.text)
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
				s.keys.answer("alice", tt.err)
				c := s.connect()
				c.send(`{"op":"auth","token":"alice","id":7}`)
				m := c.wantError(tt.code)
				if m.ID != 7.0 || m.Details["reason"] != tt.reason || strings.Contains(m.text, "canary") {
					t.Errorf("got %s", m.text)
				}
				if tt.reason == "rate_limited" && m.Details["retryAfterSec"] != 2.0 {
					t.Errorf("got %s", m.text)
				}
				c.wantClosed(int(tt.code))
			})
		})
	}
}

func TestNothingBeforeAuth(t *testing.T) {
	for _, op := range []string{`{"op":"subscribe","channels":["orders"]}`, `{"op":"unsubscribe","channels":["orders"]}`} {
		inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
			c := s.connect()
			c.send(`{"op":"ping"}`)
			if m := c.next(); m.Op != "pong" {
				t.Fatalf("got %s", m.text)
			}
			c.send(op)
			c.wantError(api.StreamUnauthorized)
			c.wantClosed(4001)
			if n := s.feed.subscriptions(); n != 0 {
				t.Errorf("%d subscriptions", n)
			}
		})
	}
}

func TestSubscribe(t *testing.T) {
	for _, tt := range []struct {
		name, token string
		channels    []string
		accepted    []string
		rejected    []rejection
	}{
		{
			"market", "alice/read",
			[]string{"trades:okx:BTCUSDT", "book:binance:BTC-USDT-SWAP:5", "kline:bybit:ETHUSDT:1h", "orders"},
			[]string{"trades:okx:BTCUSDT", "book:binance:BTCUSDT:5", "kline:bybit:ETHUSDT:1h", "orders"},
			nil,
		},
		{
			"scopes", "alice/account",
			[]string{"orders", "positions", "account", "book:okx:BTCUSDT:1"},
			[]string{"positions", "account"},
			[]rejection{{"orders", 4003, "scope_required"}, {"book:okx:BTCUSDT:1", 4003, "scope_required"}},
		},
		{
			"trade implies nothing", "alice/trade",
			[]string{"orders", "account"},
			[]string{},
			[]rejection{{"orders", 4003, "scope_required"}, {"account", 4003, "scope_required"}},
		},
		{
			"unknown", "alice",
			[]string{"book:okx:BTCUSDT:7", "book:kraken:BTCUSDT:5", "Orders", "", "book:okx:GONEUSDT:5", "book:okx:DOWNUSDT:5", "book:okx:BUGUSDT:5", "orders"},
			[]string{"orders"},
			[]rejection{
				{"book:okx:BTCUSDT:7", 4004, "not_found"},
				{"book:kraken:BTCUSDT:5", 4004, "not_found"},
				{"Orders", 4004, "not_found"},
				{"", 4004, "not_found"},
				{"book:okx:GONEUSDT:5", 4004, "not_found"},
				{"book:okx:DOWNUSDT:5", 4012, "exchange_unavailable"},
				{"book:okx:BUGUSDT:5", 4012, "internal_error"},
			},
		},
		{
			"twice", "alice",
			[]string{"orders", "orders", "book:okx:BTCUSDT:5", "book:okx:BTC/USDT:USDT:5"},
			[]string{"orders", "book:okx:BTCUSDT:5"},
			nil,
		},
		{"none", "alice", []string{}, []string{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
				s.feed.refuse = refuseSome
				c := s.login(tt.token)
				list := `"` + strings.Join(tt.channels, `","`) + `"`
				if len(tt.channels) == 0 {
					list = ""
				}
				c.send(`{"op":"subscribe","id":"s","channels":[` + list + `]}`)
				m := c.next()
				if m.Op != "subscribe" || m.ID != "s" || !m.OK || !slices.Equal(m.Channels, tt.accepted) || !slices.Equal(m.Rejected, tt.rejected) {
					t.Fatalf("got %s", m.text)
				}
				for range slices.DeleteFunc(slices.Clone(tt.accepted), func(c string) bool { return strings.HasPrefix(c, "trades") }) {
					if m := c.next(); m.Type != "snapshot" || !slices.Contains(tt.accepted, m.Channel) {
						t.Fatalf("got %s, want a snapshot", m.text)
					}
				}
				if got := s.hub.Stats().Subscriptions; got != len(tt.accepted) {
					t.Errorf("%d subscriptions, want %d", got, len(tt.accepted))
				}
				c.close()
			})
		})
	}
}

func refuseSome(topic venues.Topic) error {
	switch topic.Symbol {
	case "GONEUSDT":
		return venues.Errorf(venues.CodeNotFound, "no such instrument")
	case "DOWNUSDT":
		return venues.Errorf(venues.CodeExchangeUnavailable, "the exchange does not answer")
	case "BUGUSDT":
		panic("a bug of the feed")
	}
	return nil
}

func TestSubscribedAgainChangesNothing(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		c.subscribe("orders")
		c.next()
		if m := c.subscribe("orders"); !slices.Equal(m.Channels, []string{"orders"}) {
			t.Fatalf("got %s", m.text)
		}
		s.feed.owner("alice", "orders").publish()
		if m := c.next(); m.Type != "update" || m.Seq != 2 {
			t.Fatalf("got %s", m.text)
		}
		c.close()
	})
}

func TestUnsubscribe(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		c.subscribe("orders", "account")
		c.next()
		c.next()
		c.send(`{"op":"unsubscribe","id":2,"channels":["orders","positions","nonsense"]}`)
		m := c.next()
		want := []rejection{{"positions", 4004, "not_found"}, {"nonsense", 4004, "not_found"}}
		if m.Op != "unsubscribe" || !m.OK || m.ID != 2.0 || !slices.Equal(m.Channels, []string{"orders"}) || !slices.Equal(m.Rejected, want) {
			t.Fatalf("got %s", m.text)
		}
		if n := s.feed.open(); n != 1 {
			t.Errorf("%d upstream subscriptions", n)
		}
		s.feed.owner("alice", "orders").publish()
		s.feed.owner("alice", "account").publish()
		if m := c.next(); m.Channel != "account" {
			t.Fatalf("got %s", m.text)
		}
		if m := c.subscribe("orders"); len(m.Channels) != 1 {
			t.Fatalf("got %s", m.text)
		}
		if m := c.next(); m.Type != "snapshot" || m.Seq != 2 {
			t.Fatalf("got %s", m.text)
		}
		c.close()
	})
}

func TestChannelLimit(t *testing.T) {
	channels := func(from, to int) []string {
		var list []string
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf("trades:okx:C%dUSDT", i))
		}
		return list
	}
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		c.subscribe(channels(0, 201)...)
		// The frame was read as the answer by subscribe; ask again to look at it.
		c.send(`{"op":"subscribe","id":"x","channels":["` + strings.Join(channels(0, 201), `","`) + `"]}`)
		m := c.wantError(api.StreamLimit)
		if m.ID != "x" || m.Details["limit"] != 200.0 || m.Details["have"] != 0.0 {
			t.Fatalf("got %s", m.text)
		}
		if m := c.subscribe(channels(0, 199)...); len(m.Channels) != 199 {
			t.Fatalf("got %s", m.text)
		}
		c.send(`{"op":"subscribe","channels":["orders","positions"]}`)
		if m := c.wantError(api.StreamLimit); m.Details["have"] != 199.0 {
			t.Fatalf("got %s", m.text)
		}
		if n := s.feed.open(); n != 199 {
			t.Fatalf("%d upstream subscriptions: the refused ones changed something", n)
		}
		if m := c.subscribe("trades:okx:C0USDT", "trades:okx:C199USDT"); len(m.Channels) != 2 { // one is there already
			t.Fatalf("got %s", m.text)
		}
		c.send(`{"op":"unsubscribe","channels":["` + strings.Join(channels(0, 201), `","`) + `"]}`)
		c.wantError(api.StreamLimit)
		c.close()
	})
}

func TestBadMessages(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		c.send(`{"id":3,"op":"dance"}`)
		if m := c.wantError(api.StreamBadMessage); m.ID != 3.0 || m.Details["fields"] == nil {
			t.Fatalf("got %s", m.text)
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
			t.Fatalf("got %s", m.text)
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
			t.Fatalf("got %s", m.text)
		}
		_ = c.ws.WriteMessage(websocket.TextMessage, []byte(pad(api.StreamFrameBytesMax+1))) // may fail: the server closes meanwhile
		c.wantClosed(1009)
	})
}

func TestFragmentsCountTogether(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.connect()
		w, err := c.ws.NextWriter(websocket.TextMessage)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 { // the client's buffer makes fragments of this
			if _, err := w.Write([]byte(strings.Repeat(" ", 4000))); err != nil {
				break
			}
		}
		c.wantClosed(1009)
	})
}

func TestAuthTimeout(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		start := time.Now()
		c := s.connect()
		for range 3 { // pings do not make a client known
			time.Sleep(3 * time.Second)
			c.send(`{"op":"ping"}`)
			c.next()
		}
		c.wantClosed(4010)
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("closed after %v", took)
		}
	})
}

func TestPingTimeout(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		time.Sleep(44 * time.Second)
		c.send(`{"op":"ping","id":"p"}`)
		if m := c.next(); m.Op != "pong" || m.ID != "p" || m.Rest["serverTime"] == nil {
			t.Fatalf("got %s", m.text)
		}
		start := time.Now()
		time.Sleep(30 * time.Second)
		var pong string
		c.ws.SetPongHandler(func(payload string) error { pong = payload; return nil })
		if err := c.ws.WriteControl(websocket.PingMessage, []byte("hello"), time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		c.wantClosed(4008) // a control frame is answered, but is no message
		if took := time.Since(start); took != 45*time.Second {
			t.Errorf("closed after %v", took)
		}
		if pong != "hello" {
			t.Errorf("got pong %q", pong)
		}
	})
}

func TestSlowMessageIsNoSignOfLife(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		raw := c.ws.NetConn()
		start := time.Now()
		for _, b := range []byte{0x81, 0x80 | 20, 0, 0, 0, 0} { // a text frame that never gets further
			if _, err := raw.Write([]byte{b}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Second)
		}
		c.wantClosed(4008)
		if took := time.Since(start); took != 45*time.Second {
			t.Errorf("closed after %v", took)
		}
	})
}

func TestMessagesArePaced(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		time.Sleep(time.Minute / 2)
		start := time.Now()
		go func() {
			for i := range 100 {
				_ = c.ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"op":"ping","id":%d}`, i)) // read below, if it came
			}
		}()
		for i := range 100 {
			if m := c.next(); m.ID != float64(i) {
				t.Fatalf("got %s as answer %d", m.text, i)
			}
		}
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("100 messages took %v, want 20 at once and 20 a second", took)
		}
		c.close()
	})
}

func TestClientCloses(t *testing.T) {
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
				t.Errorf("%d upstream subscriptions left", n)
			}
			if got := s.hub.Stats(); got.Connections != 0 || got.Subscriptions != 0 || got.Topics != 0 {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// A client closes with any code it likes; that makes no place in the statistics.
func TestCloseCodesOfClientsAreBounded(t *testing.T) {
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
		if got := s.hub.Stats().Closes; len(got) != 1 || got[0] != 50 {
			t.Errorf("got %v", got)
		}
	})
}

func TestBreachOfTheStandard(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		if _, err := c.ws.NetConn().Write([]byte{0x81, 0x02, '{', '}'}); err != nil { // not masked
			t.Fatal(err)
		}
		c.wantClosed(websocket.CloseProtocolError)
		c.close()
	})
}

func TestUnaskedPongsAreNoSignOfLife(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		start := time.Now()
		time.Sleep(30 * time.Second)
		if err := c.ws.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		c.wantClosed(4008)
		if took := time.Since(start); took != 45*time.Second {
			t.Errorf("closed after %v", took)
		}
	})
}

func TestPanicOfTheReaderCostsItsConnectionOnly(t *testing.T) {
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

func TestAnswersAreBoundedToo(t *testing.T) {
	inMemory(t, stream.Options{Shards: 1, QueueBytesMax: 500}, func(t *testing.T, s *server) {
		c := s.login("alice")
		for range 20 { // and reads none of the answers
			c.send(`{"op":"ping"}`)
		}
		synctest.Wait()
		for {
			m, err := c.read()
			if err == nil && m.Op == "pong" {
				continue
			}
			if !websocket.IsCloseError(err, 4009) {
				t.Fatalf("got %s, %v", m.text, err)
			}
			break
		}
		c.close()
	})
}
