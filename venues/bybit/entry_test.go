package bybit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/wscall"
)

// asked is a request on the connection for orders.
type asked struct {
	ReqID  string            `json:"reqId"`
	Op     string            `json:"op"`
	Header map[string]string `json:"header"`
	Args   []json.RawMessage `json:"args"`
	text   string
}

func (a *asked) UnmarshalJSON(text []byte) error {
	type plain asked
	a.text = string(text)
	return json.Unmarshal(text, (*plain)(a))
}

// Verb returns "order" for all requests that change one.
func (a asked) Verb() string {
	verb, _, _ := strings.Cut(a.Op, ".")
	return verb
}

// tradeVenue serves connections for orders, besides a script's streams.
type tradeVenue struct{ *connectortest.Streams[asked] }

const (
	loggedIn  = `{"retCode":0,"retMsg":"OK","op":"auth","connId":"c"}`
	entryDone = `{"reqId":"%s","retCode":0,"retMsg":"OK","op":"order.create","data":` + accepted + `,"retExtInfo":{},` +
		`"header":{"X-Bapi-Limit":"10","X-Bapi-Limit-Status":"9","X-Bapi-Limit-Reset-Timestamp":"1764401421682","Traceid":"1"},"connId":"c"}`
)

func newTradeVenue(s *script) tradeVenue {
	v := tradeVenue{connectortest.ServeStreams(s.Server, answering(loggedIn, entryDone))}
	private := connectortest.ServeStreams(s.Server, confirm)
	s.Stream = func(r *http.Request, c *websocket.Conn) {
		if r.URL.Path == tradePath {
			v.Serve(r, c)
		} else {
			private.Serve(r, c)
		}
	}
	s.connector.options.OrderEntry = venues.OrderEntryWebSocket
	return v
}

// answering answers logins, and requests with answer, in which %s is their id.
func answering(login, answer string) func(*websocket.Conn, asked) {
	return func(c *websocket.Conn, a asked) {
		text := strings.ReplaceAll(answer, "%s", a.ReqID)
		switch a.Op {
		case "ping":
			return
		case "auth":
			text = login
		}
		_ = c.WriteMessage(websocket.TextMessage, []byte(text))
	}
}

func (v tradeVenue) answer(answer string) { v.Answer(answering(loggedIn, answer)) }

func (v tradeVenue) requests() []asked { return v.Received("", "order") }

func (v tradeVenue) logins() int { return len(v.Received("", "auth")) }

// trading opens the account's private feed and waits for its connection for orders.
func (s *script) trading() venues.PrivateFeed {
	s.t.Helper()
	feed := s.account.OpenPrivate(&connectortest.Recorder{})
	s.t.Cleanup(feed.Close)
	connectortest.Await(s.t, "order entry", s.account.entry.Up)
	return feed
}

// The WebSocket request has the body of REST, with the same timestamp and deadline, and
// no secret.
func TestEntryEqualsREST(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.ok(createOrder, accepted)
		s.ok(amendOrder, accepted)
		s.ok(cancelOrder, accepted)
		trade := func() {
			t.Helper()
			if _, err := s.account.Place(background, limitOrder()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.account.Amend(background, venues.AmendRequest{
				OrderRef: ours, Qty: limitOrder().Qty, Price: dec("60001"), Deadline: limitOrder().Deadline,
			}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.account.Cancel(background, ours); err != nil {
				t.Fatal(err)
			}
		}
		trade()
		v := newTradeVenue(s)
		s.trading()
		trade()
		requests, seen := v.requests(), map[string]bool{}
		if len(requests) != 3 {
			t.Fatalf("%d requests, want 3", len(requests))
		}
		life := (orderLife + timestampLag).Milliseconds()
		for n, want := range []struct {
			op, name    string
			least, most int64
		}{{"order.create", createOrder, life / 2, life}, {"order.amend", amendOrder, life / 2, life}, {"order.cancel", cancelOrder, 5000, 5000}} {
			r := requests[n]
			if r.Op != want.op || len(r.Args) != 1 || string(r.Args[0]) != s.Last(want.name).Body || len(s.Sent(want.name)) != 1 {
				t.Errorf("body %s, by REST %s", r.text, s.Last(want.name).Body)
			}
			if len(r.ReqID) > 36 || seen[r.ReqID] || strings.Contains(r.text, scriptKey) || strings.Contains(r.text, scriptSecret) {
				t.Errorf("request %s, want an id of its own and no secret", r.text)
			}
			seen[r.ReqID] = true
			ms, _ := strconv.ParseInt(r.Header["X-BAPI-TIMESTAMP"], 10, 64)
			window, _ := strconv.ParseInt(r.Header["X-BAPI-RECV-WINDOW"], 10, 64)
			age := time.Since(time.UnixMilli(ms)) + s.connector.Clock.Offset() // as the venue's clock was measured
			if age < timestampLag || age > orderLife || window < want.least || window > want.most {
				t.Errorf("%s: timestamp %v old, window %d ms, want an age of %v to %v and a window of %d to %d ms", r.Op, age, window, timestampLag, orderLife, want.least, want.most)
			}
		}
	})
}

// Answers have the same meaning by WebSocket and by REST.
func TestEntryRejections(t *testing.T) {
	rejected := func(code int) string {
		return fmt.Sprintf(`{"reqId":"%%s","retCode":%d,"retMsg":"no","op":"order.create","data":{},"retExtInfo":{},"header":{"Traceid":"1"},"connId":"c"}`, code)
	}
	for name, c := range map[string]struct {
		answer string
		want   meaning
	}{
		"margin":       {rejected(110007), meaning{code: venues.CodeInsufficientBalance}},
		"duplicate id": {rejected(110072), meaning{code: venues.CodeExchangeUnavailable, reason: "duplicate_client_id", unknown: true}},
		"uncertain":    {rejected(10016), meaning{code: venues.CodeExchangeUnavailable, unknown: true}},
		"limit":        {rejected(10006), meaning{code: venues.CodeRateLimited}},
		"address":      {rejected(10403), meaning{code: venues.CodeRateLimited}},
		"key": {
			`{"retCode":10005,"retMsg":"Permission denied for current apikey","connId":"c","op":"order.create","reqId":"%s"}`,
			meaning{code: venues.CodeUnauthorized},
		},
		"unlisted":      {rejected(12345), meaning{code: venues.CodeExchangeUnavailable, unknown: true}},
		"another order": {strings.ReplaceAll(entryDone, "vg00000001", "vg00000002"), meaning{code: venues.CodeExchangeUnavailable, unknown: true}},
		"no data":       {`{"reqId":"%s","retCode":0,"retMsg":"OK","op":"order.create"}`, meaning{code: venues.CodeExchangeUnavailable, unknown: true}},
		"no code":       {`{"reqId":"%s","op":"order.create","data":` + accepted + `}`, meaning{code: venues.CodeExchangeUnavailable, unknown: true}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			s.ok(readWallet, `{"list":[]}`)
			newTradeVenue(s).answer(c.answer)
			s.trading()
			_, err := s.account.Place(background, limitOrder())
			e, ok := errors.AsType[*venues.Error](err)
			if !ok || e.Code != c.want.code || errors.Is(err, venues.ErrOutcomeUnknown) != c.want.unknown || errors.Is(err, venues.ErrNotSent) {
				t.Fatalf("error %v, want %+v", err, c.want)
			}
			if c.want.reason != "" && e.Details["reason"] != c.want.reason || len(s.Sent(createOrder)) != 0 {
				t.Errorf("error %v, %d by REST, want the reason %q and none", err, len(s.Sent(createOrder)), c.want.reason)
			}
		})
	}
}

// A message that the connection does not accept goes by REST.
func TestEntryNotAccepted(t *testing.T) {
	for _, code := range connectionRejections {
		s := newScript(t)
		s.ok(createOrder, accepted)
		v := newTradeVenue(s)
		v.answer(fmt.Sprintf(`{"reqId":"%%s","retCode":%d,"retMsg":"no","op":"order.create","connId":"c"}`, code))
		s.trading()
		if _, err := s.account.Place(background, limitOrder()); err != nil || len(v.requests()) != 1 || len(s.Sent(createOrder)) != 1 {
			t.Errorf("%d: error %v, %d by WebSocket, %d by REST, want one each", code, err, len(v.requests()), len(s.Sent(createOrder)))
		}
	}
}

// A rate limit exceeded on the WebSocket also stops REST.
func TestEntryRateLimitStopsREST(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for code, frozen := range map[int]bool{10006: false, 10403: true} {
			s := newScript(t)
			v := newTradeVenue(s)
			feed := s.trading()
			s.ok(readRealtime, nothing)
			v.answer(fmt.Sprintf(`{"reqId":"%%s","retCode":%d,"retMsg":"no","op":"order.create","data":{},"header":{}}`, code))
			if _, err := s.account.Place(background, limitOrder()); venues.CodeOf(err) != venues.CodeRateLimited {
				t.Errorf("%d: error %v, want rate_limited", code, err)
			}
			feed.Close()
			soon := orderWith(func(r *venues.OrderRequest) { r.Deadline = time.Now().Add(300 * time.Millisecond) })
			if _, err := s.account.Place(background, soon); venues.CodeOf(err) != venues.CodeRateLimited || !errors.Is(err, venues.ErrNotSent) {
				t.Errorf("%d, then an order by REST: error %v, want rate_limited", code, err)
			}
			if _, err := s.account.OpenOrders(background); (venues.CodeOf(err) == venues.CodeRateLimited) != frozen {
				t.Errorf("%d, then a read: error %v, want rate_limited: %v", code, err, frozen)
			}
		}
	})
}

// The venue's own counter in an answer counts for both ways.
func TestEntryAdoptsTheVenuesCounter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		v := newTradeVenue(s)
		v.answer(strings.Replace(entryDone, `"X-Bapi-Limit-Status":"9"`, `"X-Bapi-Limit-Status":"0"`, 1))
		feed := s.trading()
		if _, err := s.account.Place(background, limitOrder()); err != nil {
			t.Fatal(err)
		}
		feed.Close()
		s.ok(createOrder, accepted)
		soon := orderWith(func(r *venues.OrderRequest) { r.Deadline = time.Now().Add(300 * time.Millisecond) })
		if _, err := s.account.Place(background, soon); venues.CodeOf(err) != venues.CodeRateLimited {
			t.Errorf("error %v, want rate_limited", err)
		}
	})
}

// A restarting server has not accepted the request, which goes by REST, and its
// connection is replaced.
func TestEntryReplacesARestartingServer(t *testing.T) {
	s := newScript(t)
	v := newTradeVenue(s)
	s.ok(createOrder, accepted)
	s.trading()
	v.answer(`{"reqId":"%s","retCode":10019,"retMsg":"restarting","op":"order.create","data":{},"header":{}}`)
	if _, err := s.account.Place(background, limitOrder()); err != nil || len(s.Sent(createOrder)) != 1 {
		t.Errorf("error %v, %d by REST, want 1", err, len(s.Sent(createOrder)))
	}
	connectortest.Await(t, "next connection", func() bool { return v.logins() == 2 && s.account.entry.Up() })
	v.answer(entryDone)
	if _, err := s.account.Place(background, limitOrder()); err != nil {
		t.Error(err)
	}
}

// A rejection without an id may be that of any request, so pending ones wait less for
// their answers.
func TestEntryRejectionWithoutID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		v := newTradeVenue(s)
		s.trading()
		v.answer(`{"retCode":10005,"retMsg":"Permission denied for current apikey","connId":"c","op":"order.create"}`)
		began := time.Now()
		if _, err := s.account.Place(background, limitOrder()); !errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("error %v, want an unknown outcome", err)
		}
		if took := time.Since(began); took > s.connector.options.Timeout {
			t.Errorf("failed after %v, want at most %v", took, s.connector.options.Timeout)
		}
		connectortest.Await(t, "next connection", func() bool { return v.logins() == 2 && s.account.entry.Up() })
	})
}

// A rejected key is logged once and without the key. Orders go by REST.
func TestEntryLoginRejected(t *testing.T) {
	s := newScript(t)
	core, logged := observer.New(zap.WarnLevel)
	s.connector.options.Log = zap.New(core)
	v := newTradeVenue(s)
	v.Answer(answering(`{"retCode":10004,"retMsg":"Invalid sign, api_key[`+scriptKey+`]","op":"auth","connId":"c"}`, entryDone))
	s.ok(createOrder, accepted)
	feed := s.account.OpenPrivate(&connectortest.Recorder{})
	connectortest.Await(t, "third login", func() bool { return v.logins() >= 3 })
	if _, err := s.account.Place(background, limitOrder()); err != nil || len(s.Sent(createOrder)) != 1 {
		t.Errorf("error %v, %d by REST, want 1", err, len(s.Sent(createOrder)))
	}
	feed.Close()
	failures := logged.FilterMessage("venue stream: dial failed").All()
	if len(failures) != 1 || strings.Contains(fmt.Sprint(failures[0].ContextMap()), scriptKey) {
		t.Errorf("logged %v, want one warning without the key", failures)
	}
}

// A connection that ends before the venue has answered the login, or on which it answers anything
// else, is not logged in.
func TestEntryLoginUnanswered(t *testing.T) {
	for name, serve := range map[string]func(*websocket.Conn){
		"closed": func(c *websocket.Conn) { c.Close() },
		"other messages": func(c *websocket.Conn) {
			for range loginMessagesMax {
				_ = c.WriteMessage(websocket.TextMessage, []byte(`{"op":"pong","success":true}`))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			core, logged := observer.New(zap.WarnLevel)
			s.connector.options.Log = zap.New(core)
			v := newTradeVenue(s)
			v.Answer(func(c *websocket.Conn, a asked) {
				if a.Op == "auth" {
					serve(c)
				}
			})
			feed := s.account.OpenPrivate(&connectortest.Recorder{})
			connectortest.Await(t, "second login", func() bool { return v.logins() >= 2 })
			feed.Close()
			if n := logged.FilterMessage("venue stream: dial failed").Len(); n != 1 {
				t.Errorf("%d warnings of a failed dial, want 1", n)
			}
		})
	}
}

// With two feeds the newest one enters the orders. When the last one is closed, orders go
// by REST.
func TestEntryWithTwoFeeds(t *testing.T) {
	s := newScript(t)
	v := newTradeVenue(s)
	s.ok(createOrder, accepted)
	first := s.trading()
	second := s.trading()
	for _, want := range []struct {
		closing              venues.PrivateFeed
		viaWebSocket, byREST int
	}{{first, 1, 0}, {second, 1, 1}} {
		want.closing.Close()
		if _, err := s.account.Place(background, limitOrder()); err != nil {
			t.Fatal(err)
		}
		if viaWebSocket, byREST := len(v.requests()), len(s.Sent(createOrder)); viaWebSocket != want.viaWebSocket || byREST != want.byREST {
			t.Errorf("%d by WebSocket and %d by REST, want %+v", viaWebSocket, byREST, want)
		}
	}
}

func TestDemoAcceptsOrdersByRESTOnly(t *testing.T) {
	for name, good := range map[string]bool{Live: true, Testnet: true, Demo: false} {
		o, _ := Preset(name)
		o.OrderEntry = venues.OrderEntryWebSocket
		if err := o.Validate(); (err == nil) != good {
			t.Errorf("%s: error %v, want valid options: %v", name, err, good)
		}
	}
}

// Recorded answers have the ids of their requests and the expected result.
func TestRecordedEntryAnswers(t *testing.T) {
	c := New(Sim("http://x", "ws://x"))
	a := newAccount(c, venues.Credentials{})
	named := 0
	for _, r := range recordings(t, "ws_trade.jsonl") {
		id := a.readEntry(r.Msg).ID
		if id == "" {
			continue
		}
		named++
		result, err := c.classify(placing(), answerOf(http.StatusOK, string(r.Msg)))
		var ack ackRecord
		done := err == nil && json.Unmarshal(result, &ack) == nil && ack.OrderID != ""
		if rejected := rejection.CodeOf(err) != 0; done == rejected {
			t.Errorf("%s: id %q, %+v, error %v, want an id of the order or a rejection", r.Name, id, ack, err)
		}
	}
	if named < 6 {
		t.Errorf("%d answers with an id, want at least 6", named)
	}
}

// No message on the connection has side effects.
func FuzzEntryMessages(f *testing.F) {
	f.Add([]byte(entryDone))
	f.Add([]byte(`{"retCode":"10005","op":"order.create"}`))
	f.Add([]byte(`{"retCode":0,"op":"pong","data":["1711002002529"]}`))
	f.Add([]byte("Failed to decode incoming data:"))
	c := New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1"))
	a := newAccount(c, venues.Credentials{})
	f.Fuzz(func(t *testing.T, message []byte) {
		read := a.readEntry(message)
		if read.ID != "" && read.Effect == wscall.RejectWithoutID {
			t.Fatalf("%q has an id and is a rejection without one, want either", message)
		}
		_, _ = c.classify(placing(), answerOf(http.StatusOK, string(message)))
	})
}
