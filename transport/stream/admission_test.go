package stream_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/stream"
	"venuegate/venues"
)

var _ stream.Authenticator = (*auth.Authenticator)(nil)

// wantRejected expects an HTTP error instead of an upgrade.
func wantRejected(t *testing.T, s *server, header http.Header, status int, code venues.Code) {
	t.Helper()
	ws, handshake, err := s.upgrade(header)
	if err == nil {
		_ = ws.Close()
		t.Fatalf("the upgrade succeeded, want %d %s", status, code)
	}
	if handshake.status != status || !strings.Contains(handshake.body, `"code":"`+string(code)+`"`) {
		t.Fatalf("error %v, response %+v, want %d %s", err, handshake, status, code)
	}
}

func TestOrigins(t *testing.T) {
	options := stream.Options{AllowedOrigins: []string{"https://console.example"}}
	inMemory(t, options, func(t *testing.T, s *server) {
		for _, origin := range []string{"https://evil.example", "https://console.example.evil", "http://console.example", "null", "http://stream.test"} {
			wantRejected(t, s, http.Header{"Origin": {origin}, "Cookie": {"session=1"}}, http.StatusForbidden, venues.CodeScopeRequired)
		}
		ws, _, err := s.upgrade(http.Header{"Origin": {"https://console.example"}})
		if err != nil {
			t.Fatal(err)
		}
		_ = ws.Close()
		s.connect().close() // without an Origin
	})
	inMemory(t, stream.Options{AllowedOrigins: []string{"*"}}, func(t *testing.T, s *server) {
		ws, _, err := s.upgrade(http.Header{"Origin": {"https://any.example"}})
		if err != nil {
			t.Fatal(err)
		}
		_ = ws.Close()
	})
}

func TestRequestsThatAreNoHandshakeAreRejected(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		client := http.Client{Transport: &http.Transport{DialContext: s.dial, DisableKeepAlives: true}}
		for name, header := range map[string]http.Header{
			"plain":     {},
			"version":   {"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"8"}, "Sec-Websocket-Key": {"eHh4eHh4eHh4eHh4eHh4eA=="}},
			"no key":    {"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}},
			"short key": {"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"eHh4eHh4eHh4eHh4eHh4"}},
			"long key":  {"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"eHh4eHh4eHh4eHh4eHh4eHg="}},
			"text key":  {"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"not base64 of a key!!!!!"}},
			"two keys":  {"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"eHh4eHh4eHh4eHh4eHh4eA==", "eHh4eHh4eHh4eHh4eHh4eA=="}},
		} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://stream.test/v1/stream", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header = header
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "invalid_request") {
				t.Errorf("%s: status %d, body %s, want 400 invalid_request", name, response.StatusCode, body)
			}
		}
	})
}

func TestUnauthenticatedPerAddress(t *testing.T) {
	inMemory(t, stream.Options{UnauthenticatedPerAddressMax: 2}, func(t *testing.T, s *server) {
		first := s.connect()
		second := s.connect()
		wantRejected(t, s, nil, http.StatusTooManyRequests, venues.CodeRateLimited)
		first.send(`{"op":"auth","token":"alice"}`)
		first.next()
		third := s.connect() // the first no longer counts
		wantRejected(t, s, nil, http.StatusTooManyRequests, venues.CodeRateLimited)
		third.close()
		synctest.Wait()
		fourth := s.connect()
		if got := s.hub.Stats(); got.Unauthenticated != 2 || got.Connections != 3 || got.Refused != 2 || got.Opened != 4 {
			t.Errorf("stats = %+v, want 3 connections, 2 unauthenticated, 4 opened, 2 refused", got)
		}
		for _, c := range []*client{first, second, fourth} {
			c.close()
		}
	})
}

func TestConnectionLimit(t *testing.T) {
	inMemory(t, stream.Options{ConnsMax: 1}, func(t *testing.T, s *server) {
		c := s.login("alice")
		wantRejected(t, s, nil, http.StatusTooManyRequests, venues.CodeRateLimited)
		c.close()
		synctest.Wait()
		s.login("alice").close()
	})
}

func TestConnectionsPerKey(t *testing.T) {
	inMemory(t, stream.Options{ConnsPerKeyMax: 1}, func(t *testing.T, s *server) {
		first := s.login("alice")
		second := s.connect()
		second.send(`{"op":"auth","token":"alice","id":1}`)
		if m := second.wantError(api.StreamLimit); m.ID != 1.0 || m.Details["limit"] != 1.0 {
			t.Fatalf("error = %s, want id 1 and limit 1", m.text)
		}
		first.close()
		synctest.Wait()
		second.send(`{"op":"auth","token":"alice"}`) // still open, and the key has no other connection now
		if m := second.next(); m.Op != "auth" {
			t.Fatalf("message = %s, want the reply to auth", m.text)
		}
		s.login("alice/read").close() // another key
		second.close()
	})
}

func TestKeysAreRechecked(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s *server)
		closes bool
	}{
		{"valid", func(*server) {}, false},
		{"revoked", func(s *server) { s.keys.setError("alice", errWrongKey) }, true},
		{"revoked, and its address limited", func(s *server) {
			s.keys.setError("alice", venues.Errorf(venues.CodeRateLimited, "too many failures"))
		}, true},
		{"cannot be checked", func(s *server) { s.keys.setError("alice", fmt.Errorf("disk")) }, false},
		{"other scopes", func(s *server) { s.keys.rename("alice", "alice/read") }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
				start := time.Now()
				first := s.login("alice")
				second := s.login("alice")
				other := s.login("bob")
				tt.change(s)
				before := s.keys.calls()
				time.Sleep(29 * time.Second)
				if n := s.keys.calls() - before; n != 0 {
					t.Errorf("%d checks within 29 s, want none", n)
				}
				if tt.closes {
					first.wantClosed(4001)
					second.wantClosed(4001)
					if took := time.Since(start); took != 30*time.Second {
						t.Errorf("closed after %v, want 30s", took)
					}
				}
				time.Sleep(2 * time.Second)
				if n := s.keys.calls() - before; n != 2 {
					t.Errorf("%d checks, want one for each of two keys", n)
				}
				other.send(`{"op":"ping"}`)
				other.next()
				if !tt.closes {
					first.send(`{"op":"ping"}`)
					first.next()
				}
				first.close()
				second.close()
				other.close()
			})
		})
	}
}

// A connection ends when its key expires, not at the next check of keys.
func TestConnectionEndsWhenItsKeyExpires(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		s.keys.expire("alice", time.Now().Add(11*time.Second))
		expiring, other := s.login("alice"), s.login("bob")
		began := time.Now()
		expiring.wantClosed(4001)
		if took := time.Since(began); took != 11*time.Second {
			t.Errorf("closed after %s, want 11s", took)
		}
		other.send(`{"op":"ping"}`)
		if m := other.next(); m.Op != "pong" {
			t.Errorf("message = %s, want pong", m.text)
		}
		s.keys.expire("carol", time.Now().Add(time.Hour))
		s.login("carol").close() // leaves no timer
	})
}

// Another expiry is noticed at the recheck even if it was not passed to RevokeKey.
func TestChangedExpiryEndsTheConnection(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice")
		s.keys.expire("alice", time.Now().Add(time.Hour))
		began := time.Now()
		c.wantClosed(4001)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("closed after %s, want at most 30s", took)
		}
	})
}

// A key that is revoked while it is checked is checked again: the session is not among
// those that the revocation closes.
func TestRevocationDuringAuth(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.connect()
		checks := 0
		s.keys.seen = func(token string) {
			if checks++; checks == 1 { // it reads the record before the revocation
				s.hub.RevokeKey("key_" + token)
				return
			}
			s.keys.errors = map[string]error{token: errWrongKey}
		}
		c.send(`{"op":"auth","token":"alice"}`)
		c.wantError(api.StreamUnauthorized)
		c.wantClosed(4001)
	})
}

func TestRevokeKey(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		revoked, other := s.login("alice"), s.login("alice/read")
		revoked.subscribe("orders")
		revoked.next()
		start := time.Now()
		s.hub.RevokeKey("key_alice")
		revoked.wantClosed(4001)
		if took := time.Since(start); took != 0 {
			t.Errorf("closed after %v, want immediately", took)
		}
		other.send(`{"op":"ping"}`)
		other.next()
		other.close()
		synctest.Wait()
		if got := s.hub.Stats(); got.Closes[4001] != 1 {
			t.Errorf("stats = %+v, want one close with 4001", got)
		}
	})
}

func TestCloseEndsEveryConnection(t *testing.T) {
	inMemory(t, stream.Options{Shards: 2}, func(t *testing.T, s *server) {
		clients := []*client{s.connect()}
		for range 5 {
			c := s.login("alice")
			c.subscribe("orders", "book:okx:BTCUSDT:5")
			c.next()
			c.next()
			clients = append(clients, c)
		}
		closed := make(chan error, 1)
		go func() { closed <- s.hub.Close(context.Background()) }()
		synctest.Wait()
		wantRejected(t, s, nil, http.StatusServiceUnavailable, venues.CodeMaintenance)
		for _, c := range clients {
			c.wantClosed(4012)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if n := s.feed.open(); n != 0 {
			t.Errorf("%d upstream subscriptions left, want none", n)
		}
		if got := s.hub.Stats(); got.Connections != 0 || got.Closes[4012] != 6 {
			t.Errorf("stats = %+v, want six closes with 4012", got)
		}
		s.stopApp()
	})
}

func TestCloseTakesAtMostASecond(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		c := s.login("alice") // never reads the close
		start := time.Now()
		if err := s.hub.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("took %v, want at most 1s", took)
		}
		s.stopApp()
		c.close()
	})
}

func TestCloseReturnsWhenItsContextEnds(t *testing.T) {
	inMemory(t, stream.Options{}, func(t *testing.T, s *server) {
		blocked := make(chan struct{})
		s.feed.onSubscribe = func(venues.Topic) error { <-blocked; return nil }
		c := s.login("alice")
		c.send(`{"op":"subscribe","channels":["orders"]}`)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := s.hub.Close(ctx); err == nil {
			t.Error("Close while the feed blocks a connection: no error, want one")
		}
		close(blocked)
		c.close()
		synctest.Wait()
		if got := s.hub.Stats(); got.Connections != 0 {
			t.Errorf("stats = %+v, want no connections", got)
		}
	})
}

func TestNewChecksItsArguments(t *testing.T) {
	if _, err := stream.New(stream.Deps{}, stream.Options{}); err == nil {
		t.Error("New with empty Deps: no error, want one")
	}
	deps := stream.Deps{Feed: newFakeFeed(), Auth: &fakeKeys{}, Log: nop}
	if _, err := stream.New(deps, stream.Options{Shards: -1}); err == nil || !strings.Contains(err.Error(), "Shards") {
		t.Errorf("error = %v, want one that names Shards", err)
	}
}
