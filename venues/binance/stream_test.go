package binance

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/feed"
	"venuegate/venues/internal/payload"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(fixturetest.AllRead(m, venues.Binance))
}

type command struct {
	Method string   `json:"method"`
	Params []string `json:"params"`
	ID     uint64   `json:"id"`
}

func (m command) Verb() string { return m.Method }

func confirm(c *websocket.Conn, m command) {
	_ = c.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"result":null,"id":%d}`, m.ID))
}

// listed adds trading instruments with the tick size of BTCUSDT to the list.
func (s *script) listed(symbols ...string) {
	var all []venues.Instrument
	for _, symbol := range symbols {
		all = append(all, venues.Instrument{
			Symbol: symbol, VenueSymbol: symbol, Status: venues.InstrumentTrading, TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"),
		})
	}
	s.connector.instruments.Store(venues.NewInstrumentSet(all))
}

func depthOf(symbol string, first, last, previous int) string {
	return fmt.Sprintf(`{"stream":"%s@depth@100ms","data":{"e":"depthUpdate","E":1,"T":1,"s":%q,"U":%d,"u":%d,"pu":%d,"b":[["61800.2","1"]],"a":[]}}`, strings.ToLower(symbol), symbol, first, last, previous)
}

func bookOf(symbol string) venues.FeedTopic {
	return venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol}
}

// There is a connection for each category, with the venue's names of its streams.
func TestFeedStreamNames(t *testing.T) {
	s := newScript(t)
	v := connectortest.ServeStreams(s.Server, confirm)
	h := &connectortest.Recorder{}
	feed := s.connector.OpenFeed(h)
	feed.Subscribe(
		bookOf("BTCUSDT-261225"),
		venues.FeedTopic{Kind: venues.FeedMark, Symbol: "BTCUSDT"},
		venues.FeedTopic{Kind: venues.FeedTrades, Symbol: "BTCUSDT"},
		venues.FeedTopic{Kind: venues.FeedCandles, Symbol: "BTCUSDT", Timeframe: "4h"},
	)
	h.Await(t, "all confirmations", func() bool { return len(h.Resumptions) == 4 })
	feed.Unsubscribe(venues.FeedTopic{Kind: venues.FeedMark, Symbol: "BTCUSDT"})
	h.Await(t, "an UNSUBSCRIBE", func() bool { return len(v.Received("", "UNSUBSCRIBE")) == 1 })
	feed.Close()
	var names []string
	for _, m := range v.Received("", "SUBSCRIBE") {
		names = append(names, m.Params...)
	}
	slices.Sort(names)
	addresses := v.Addresses()
	slices.Sort(addresses)
	if got := strings.Join(addresses, " "); got != "/market/stream /public/stream" {
		t.Errorf("connections %s, want /market/stream /public/stream", got)
	}
	if got := strings.Join(names, " "); got != "btcusdt@aggTrade btcusdt@kline_4h btcusdt@markPrice@1s btcusdt_261225@depth@100ms" {
		t.Errorf("subscriptions %s, want btcusdt@aggTrade btcusdt@kline_4h btcusdt@markPrice@1s btcusdt_261225@depth@100ms", got)
	}
	if gone := v.Received("", "UNSUBSCRIBE")[0].Params; !slices.Equal(gone, []string{"btcusdt@markPrice@1s"}) {
		t.Errorf("unsubscribed %v, want the stream", gone)
	}
}

// A message in the combined form is split whatever the order of its members.
func TestStreamMessagesAreSplit(t *testing.T) {
	for message, want := range map[string]string{
		`{"stream":"a@depth","data":{"u":1}}`:       `a@depth {"u":1} true`,
		`{"data":{"u":1},"stream":"a@depth"}`:       `a@depth {"u":1} true`,
		`{"v":2,"stream":"a@depth","data":{"u":1}}`: `a@depth {"u":1} true`,
		`{"stream":"a@depth","data":{"u":1},"v":2}`: `a@depth {"u":1} true`,
		`{"stream":"a@depth","data":`:               `  false`,
		`{"stream":"a@depth"}`:                      `  false`,
		`{"result":null,"id":7}`:                    `  false`,
	} {
		name, data, ok := streams{}.Split([]byte(message))
		if got := fmt.Sprintf("%s %s %t", name, data, ok); got != want {
			t.Errorf("Split(%s) = %q, want %q", message, got, want)
		}
	}
}

func TestStreamAnswers(t *testing.T) {
	for message, want := range map[string]feed.Answer{
		`{"result":null,"id":7}`:                    {Kind: feed.Confirmed, ID: 7},
		`{"event":{"e":"serverShutdown","E":1}}`:    {Kind: feed.Ending},
		`{"event":{"e":"somethingElse"}}`:           {},
		`{"code":2,"msg":"Invalid request","id":7}`: {Kind: feed.Failed, Text: `{"code":2,"msg":"Invalid request","id":7}`},
		`{"error":{"code":1,"msg":"no"},"id":7}`:    {Kind: feed.Failed, Text: `{"error":{"code":1,"msg":"no"},"id":7}`},
		`{}`:                                        {},
	} {
		if got, err := (streams{}).Answer([]byte(message)); err != nil || got != want {
			t.Errorf("message = %s, got = %+v, err = %v, want %v", message, got, err, want)
		}
	}
	if _, err := (streams{}).Answer([]byte("busy")); err == nil {
		t.Error("no error for a message that is not an object")
	}
}

func TestFeedOfAnUnlistedInstrument(t *testing.T) {
	s := newScript(t)
	v := connectortest.ServeStreams(s.Server, confirm)
	h := &connectortest.Recorder{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(bookOf("BTCUSDT"))
	h.Await(t, "confirmation", func() bool { return len(h.Resumptions) == 1 })
	v.Send("", depthOf("BTCUSDT", 1, 2, 0)) // its scale is unknown
	h.Await(t, "interruption", func() bool { return len(h.Interruptions) == 1 && len(h.Books) == 0 })
	s.listed("BTCUSDT")
	h.Await(t, "next tick", func() bool { return len(h.Resumptions) == 2 })
	v.Send("", depthOf("BTCUSDT", 3, 4, 2))
	h.Await(t, "book", func() bool { return len(h.Books) == 1 })
}

// privateVenue serves the private stream: it answers LIST_SUBSCRIPTIONS.
func privateVenue(s *script) *connectortest.Streams[command] {
	s.On("POST /fapi/v1/listenKey", 200, `{"listenKey":"first+key"}`)
	return connectortest.ServeStreams(s.Server, confirm)
}

func TestPrivateStreamAddress(t *testing.T) {
	s := newScript(t)
	v := privateVenue(s)
	h := &connectortest.Recorder{}
	feed := s.account.OpenPrivate(h)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	feed.Close()
	const want = "/private/ws?listenKey=first%2Bkey&events=ORDER_TRADE_UPDATE/ACCOUNT_UPDATE/ALGO_UPDATE/ACCOUNT_CONFIG_UPDATE/" +
		"MARGIN_CALL/TRADE_LITE/CONDITIONAL_ORDER_TRIGGER_REJECT/listenKeyExpired"
	if got := v.Addresses()[0]; got != want {
		t.Errorf("subscriptions %s, want %v", got, want)
	}
	if len(s.sent("DELETE /fapi/v1/listenKey")) != 0 {
		t.Error("the listen key, which others share, was deleted")
	}
	if h.Losses != nil {
		t.Errorf("losses %v after Close, want none", h.Losses)
	}
}

// age makes the last extension of the listen key appear older.
func age(feed venues.PrivateFeed, by time.Duration) {
	f := feed.(*privateFeed)
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.extending { // a pending extension would make it new again
		f.mu.Unlock()
		time.Sleep(time.Millisecond)
		f.mu.Lock()
	}
	f.extended, f.attempted = time.Now().Add(-by), time.Now().Add(-by)
}

func TestListenKeyIsKeptAlive(t *testing.T) {
	s := newScript(t)
	privateVenue(s)
	s.On("PUT /fapi/v1/listenKey", 200, `{"listenKey":"first+key"}`)
	s.On("PUT /fapi/v1/listenKey", 503, `{"msg":"Service Unavailable."}`)
	s.On("PUT /fapi/v1/listenKey", 400, `{"code":-1125,"msg":"This listenKey does not exist."}`)
	h := &connectortest.Recorder{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	extensions := func(n int) func() bool {
		return func() bool { return len(s.sent("PUT /fapi/v1/listenKey")) == n }
	}
	age(feed, 31*time.Minute)
	h.Await(t, "extension", extensions(1))
	age(feed, 31*time.Minute)
	h.Await(t, "failed extension", extensions(2))
	if len(h.Losses) != 0 {
		t.Errorf("losses %v although the key is valid, want none", h.Losses)
	}
	age(feed, 31*time.Minute)
	h.Await(t, "new key after -1125", func() bool { return h.Connections == 2 && len(h.Losses) == 1 })
	if n := len(s.sent("POST /fapi/v1/listenKey")); n != 2 {
		t.Errorf("%d keys created, want 2", n)
	}
	age(feed, 56*time.Minute)
	h.Await(t, "new key instead of an expired one", func() bool { return h.Connections == 3 })
}

// The rejection of a key may arrive when its connection has been replaced: the new one
// has a valid key.
func TestRejectedKeyOfAnOldConnection(t *testing.T) {
	s := newScript(t)
	v := privateVenue(s)
	asked, answer, check := make(chan struct{}), make(chan struct{}), s.Check
	s.Check = func(r *http.Request, body string) {
		check(r, body)
		if r.Method == http.MethodPut {
			asked <- struct{}{}
			<-answer
		}
	}
	s.On("PUT /fapi/v1/listenKey", 400, `{"code":-1125,"msg":"This listenKey does not exist."}`)
	h := &connectortest.Recorder{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	age(feed, 31*time.Minute)
	<-asked
	v.Cut("")
	h.Await(t, "next connection", func() bool { return h.Connections == 2 })
	close(answer)
	feed.(*privateFeed).workers.Wait()
	v.Send("", `{"e":"ACCOUNT_UPDATE","E":1,"T":1,"a":{"B":[{"a":"USDT"}]}}`)
	h.Await(t, "an event", func() bool { return h.Balances == 1 })
	h.With(func() {
		if len(h.Losses) != 1 {
			t.Errorf("losses %v, want one", h.Losses)
		}
	})
}

// A connection without an answer is assumed ready after a while.
func TestPrivateStreamWithoutAnswer(t *testing.T) {
	s := newScript(t)
	v := privateVenue(s)
	v.Answer(func(*websocket.Conn, command) {})
	h := &connectortest.Recorder{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
}

// The address of the private stream is that of its key; without a key there is none.
func TestPrivateStreamAddressNeedsAKey(t *testing.T) {
	s := newScript(t)
	s.On("POST /fapi/v1/listenKey", 401, `{"code":-2015,"msg":"Invalid API-key"}`)
	f := &privateFeed{account: s.account}
	if address, err := f.address(background); address != "" || venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("address = %q, err = %v, want none, %s", address, err, venues.CodeUnauthorized)
	}
	s.Replace("POST /fapi/v1/listenKey", 200, `{"listenKey":""}`)
	if address, err := f.address(background); address != "" || !errors.Is(err, payload.ErrMissing) {
		t.Errorf("address = %q, err = %v, want none, ErrMissing", address, err)
	}
}

func TestPrivateStreamWithoutAKey(t *testing.T) {
	s := newScript(t)
	privateVenue(s)
	s.Replace("POST /fapi/v1/listenKey", 401, `{"code":-2015,"msg":"Invalid API-key"}`)
	s.On("POST /fapi/v1/listenKey", 200, `{}`)
	s.On("POST /fapi/v1/listenKey", 200, `{"listenKey":"k"}`)
	h := &connectortest.Recorder{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "connection at the third attempt", func() bool { return h.Connections == 1 })
	if len(h.Losses) != 0 {
		t.Errorf("losses %v before the first connection, want none", h.Losses)
	}
}

func TestOptions(t *testing.T) {
	for _, name := range []string{Live, Testnet} {
		o, ok := Preset(name)
		if !ok || o.Validate() != nil || !strings.HasPrefix(o.RESTURL, "https://") || !strings.HasPrefix(o.StreamURL, "wss://") {
			t.Errorf("%s: options %+v, want valid ones with https and wss", name, o)
		}
	}
	if _, ok := Preset("elsewhere"); ok {
		t.Error("Preset of an unknown environment: ok = true")
	}
	for _, bad := range []Options{{}, Sim("http://x", ""), Sim("", "ws://x"), {Settings: connector.Hosts("http://x", "ws://x"), RecvWindow: 2 * time.Minute}} {
		if bad.Validate() == nil {
			t.Errorf("Validate(%+v): no error, want one", bad)
		}
	}
	c := New(Sim("http://x", "ws://x"))
	if c.Venue() != venues.Binance || c.Capabilities().AttachedProtection || c.Capabilities().AsyncAck || c.Capabilities().AbsenceAfter < 10*time.Second {
		t.Errorf("capabilities %+v, want neither attached protection nor asynchronous answers, and AbsenceAfter of at least 10 s", c.Capabilities())
	}
}
