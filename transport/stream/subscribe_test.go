package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"venuegate/transport/api"
	"venuegate/transport/stream"
	"venuegate/venues"
)

func TestSubscribe(t *testing.T) {
	for _, tt := range []struct {
		name, token string
		topics      []string
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
			"scope trade implies no other", "alice/trade",
			[]string{"orders", "account"},
			[]string{},
			[]rejection{{"orders", 4003, "scope_required"}, {"account", 4003, "scope_required"}},
		},
		{
			"unknown", "alice",
			[]string{"book:okx:BTCUSDT:7", "book:nowhere:BTCUSDT:5", "Orders", "", "book:okx:GONEUSDT:5", "book:okx:DOWNUSDT:5", "book:okx:BUGUSDT:5", "orders"},
			[]string{"orders"},
			[]rejection{
				{"book:okx:BTCUSDT:7", 4004, "not_found"},
				{"book:nowhere:BTCUSDT:5", 4004, "not_found"},
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
				s.feed.onSubscribe = rejectSome
				c := s.login(tt.token)
				list := `"` + strings.Join(tt.topics, `","`) + `"`
				if len(tt.topics) == 0 {
					list = ""
				}
				c.send(`{"op":"subscribe","id":"s","channels":[` + list + `]}`)
				m := c.next()
				if m.Op != "subscribe" || m.ID != "s" || !m.OK || !slices.Equal(m.Channels, tt.accepted) || !slices.Equal(m.Rejected, tt.rejected) {
					t.Fatalf("reply = %s, want accepted %q and rejected %v", m.text, tt.accepted, tt.rejected)
				}
				for range slices.DeleteFunc(slices.Clone(tt.accepted), func(c string) bool { return strings.HasPrefix(c, "trades") }) {
					if m := c.next(); m.Type != "snapshot" || !slices.Contains(tt.accepted, m.Channel) {
						t.Fatalf("message = %s, want a snapshot", m.text)
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

func rejectSome(topic venues.Topic) error {
	switch topic.Symbol {
	case "GONEUSDT":
		return venues.Errorf(venues.CodeNotFound, "no such instrument")
	case "DOWNUSDT":
		return venues.Errorf(venues.CodeExchangeUnavailable, "the exchange does not respond")
	case "BUGUSDT":
		panic("bug of the feed")
	}
	return nil
}

func TestSubscribingAgainChangesNothing(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		c.subscribe("orders")
		c.next()
		if m := c.subscribe("orders"); !slices.Equal(m.Channels, []string{"orders"}) {
			t.Fatalf("reply = %s, want orders", m.text)
		}
		s.feed.owner("alice", "orders").publish()
		if m := c.next(); m.Type != "update" || m.Seq != 2 {
			t.Fatalf("message = %s, want update 2", m.text)
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
			t.Fatalf("reply = %s, want orders and rejected %v", m.text, want)
		}
		synctest.Wait() // the upstream subscription ends after the reply
		if n := s.feed.open(); n != 1 {
			t.Errorf("%d upstream subscriptions, want 1", n)
		}
		s.feed.owner("alice", "orders").publish()
		s.feed.owner("alice", "account").publish()
		if m := c.next(); m.Channel != "account" {
			t.Fatalf("message = %s, want one of account", m.text)
		}
		if m := c.subscribe("orders"); len(m.Channels) != 1 {
			t.Fatalf("reply = %s, want one topic", m.text)
		}
		if m := c.next(); m.Type != "snapshot" || m.Seq != 2 {
			t.Fatalf("message = %s, want snapshot 2", m.text)
		}
		c.close()
	})
}

func TestTopicLimit(t *testing.T) {
	topics := func(from, to int) []string {
		var list []string
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf("trades:okx:C%dUSDT", i))
		}
		return list
	}
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		c.subscribe(topics(0, 201)...)
		// subscribe has read the error; send the request again to check it.
		c.send(`{"op":"subscribe","id":"x","channels":["` + strings.Join(topics(0, 201), `","`) + `"]}`)
		m := c.wantError(api.StreamLimit)
		if m.ID != "x" || m.Details["limit"] != 200.0 || m.Details["have"] != 0.0 {
			t.Fatalf("error = %s, want id x, limit 200, have 0", m.text)
		}
		if m := c.subscribe(topics(0, 199)...); len(m.Channels) != 199 {
			t.Fatalf("reply = %s, want 199 topics", m.text)
		}
		c.send(`{"op":"subscribe","channels":["orders","positions"]}`)
		if m := c.wantError(api.StreamLimit); m.Details["have"] != 199.0 {
			t.Fatalf("error = %s, want have 199", m.text)
		}
		if n := s.feed.open(); n != 199 {
			t.Fatalf("%d upstream subscriptions, want 199: rejected requests must change nothing", n)
		}
		if m := c.subscribe("trades:okx:C0USDT", "trades:okx:C199USDT"); len(m.Channels) != 2 { // one is subscribed already
			t.Fatalf("reply = %s, want two topics", m.text)
		}
		c.send(`{"op":"unsubscribe","channels":["` + strings.Join(topics(0, 201), `","`) + `"]}`)
		c.wantError(api.StreamLimit)
		c.close()
	})
}
