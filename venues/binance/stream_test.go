package binance

import (
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
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/feed"
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

// listed puts trading instruments with the tick of BTCUSDT into the catalogue.
func (s *script) listed(symbols ...string) {
	var all []venues.Instrument
	for _, symbol := range symbols {
		all = append(all, venues.Instrument{
			Symbol: symbol, VenueSymbol: symbol, Status: venues.InstrumentTrading, TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"),
		})
	}
	s.connector.catalogue.Store(venues.NewInstrumentSet(all))
}

func depthOf(symbol string, first, last, previous int) string {
	return fmt.Sprintf(`{"stream":"%s@depth@100ms","data":{"e":"depthUpdate","E":1,"T":1,"s":%q,"U":%d,"u":%d,"pu":%d,"b":[["61800.2","1"]],"a":[]}}`, strings.ToLower(symbol), symbol, first, last, previous)
}

func bookOf(symbol string) venues.FeedChannel {
	return venues.FeedChannel{Kind: venues.FeedBook, Symbol: symbol}
}

// A connection for each category, and the venue's names of its streams.
func TestFeedNamesStreams(t *testing.T) {
	s := newScript(t)
	v := connectortest.ServeStreams(s.Server, confirm)
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	feed.Subscribe(
		bookOf("BTCUSDT-261225"),
		venues.FeedChannel{Kind: venues.FeedMark, Symbol: "BTCUSDT"},
		venues.FeedChannel{Kind: venues.FeedTrades, Symbol: "BTCUSDT"},
		venues.FeedChannel{Kind: venues.FeedCandles, Symbol: "BTCUSDT", Timeframe: "4h"},
	)
	h.Await(t, "all confirmations", func() bool { return len(h.Resumptions) == 4 })
	feed.Unsubscribe(venues.FeedChannel{Kind: venues.FeedMark, Symbol: "BTCUSDT"})
	h.Await(t, "an UNSUBSCRIBE", func() bool { return len(v.Told("", "UNSUBSCRIBE")) == 1 })
	feed.Close()
	var names []string
	for _, m := range v.Told("", "SUBSCRIBE") {
		names = append(names, m.Params...)
	}
	slices.Sort(names)
	addresses := v.Addresses()
	slices.Sort(addresses)
	if got := strings.Join(addresses, " "); got != "/market/stream /public/stream" {
		t.Errorf("connected to %s", got)
	}
	if got := strings.Join(names, " "); got != "btcusdt@aggTrade btcusdt@kline_4h btcusdt@markPrice@1s btcusdt_261225@depth@100ms" {
		t.Errorf("asked for %s", got)
	}
	if gone := v.Told("", "UNSUBSCRIBE")[0].Params; !slices.Equal(gone, []string{"btcusdt@markPrice@1s"}) {
		t.Errorf("unsubscribed %v", gone)
	}
}

func TestStreamAnswers(t *testing.T) {
	for message, want := range map[string]feed.Answer{
		`{"result":null,"id":7}`:                    {Verdict: feed.Confirmed, ID: 7},
		`{"event":{"e":"serverShutdown","E":1}}`:    {Verdict: feed.Ending},
		`{"event":{"e":"somethingElse"}}`:           {},
		`{"code":2,"msg":"Invalid request","id":7}`: {Verdict: feed.Failed, Text: `{"code":2,"msg":"Invalid request","id":7}`},
		`{"error":{"code":1,"msg":"no"},"id":7}`:    {Verdict: feed.Failed, Text: `{"error":{"code":1,"msg":"no"},"id":7}`},
		`{}`:                                        {},
	} {
		if got, err := (streams{}).Answer([]byte(message)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", message, got, err)
		}
	}
	if _, err := (streams{}).Answer([]byte("busy")); err == nil {
		t.Error("what is no object is understood")
	}
}

func TestFeedOfAnUnlistedInstrument(t *testing.T) {
	s := newScript(t)
	v := connectortest.ServeStreams(s.Server, confirm)
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(bookOf("BTCUSDT"))
	h.Await(t, "the confirmation", func() bool { return len(h.Resumptions) == 1 })
	v.Say("", depthOf("BTCUSDT", 1, 2, 0)) // its scale is not known
	h.Await(t, "the interruption", func() bool { return len(h.Interruptions) == 1 && len(h.Books) == 0 })
	s.listed("BTCUSDT")
	h.Await(t, "the next tick", func() bool { return len(h.Resumptions) == 2 })
	v.Say("", depthOf("BTCUSDT", 3, 4, 2))
	h.Await(t, "the book", func() bool { return len(h.Books) == 1 })
}

// privateVenue serves the private stream: it answers LIST_SUBSCRIPTIONS.
func privateVenue(s *script) *connectortest.Streams[command] {
	s.On("POST /fapi/v1/listenKey", 200, `{"listenKey":"first+key"}`)
	return connectortest.ServeStreams(s.Server, confirm)
}

func TestPrivateStreamAddress(t *testing.T) {
	s := newScript(t)
	v := privateVenue(s)
	h := &connectortest.Heard{}
	feed := s.account.OpenPrivate(h)
	h.Await(t, "the connection", func() bool { return h.Connections == 1 })
	feed.Close()
	const want = "/private/ws?listenKey=first%2Bkey&events=ORDER_TRADE_UPDATE/ACCOUNT_UPDATE/ALGO_UPDATE/ACCOUNT_CONFIG_UPDATE/" +
		"MARGIN_CALL/TRADE_LITE/CONDITIONAL_ORDER_TRIGGER_REJECT/listenKeyExpired"
	if got := v.Addresses()[0]; got != want {
		t.Errorf("asked for %s", got)
	}
	if len(s.sent("DELETE /fapi/v1/listenKey")) != 0 {
		t.Error("the key, which others share, was deleted")
	}
	if h.Losses != nil {
		t.Errorf("lost %v after Close", h.Losses)
	}
}

// age lets the listen key look as if it had been extended that long ago.
func age(feed venues.PrivateFeed, by time.Duration) {
	f := feed.(*privateFeed)
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.extending { // an extension under way would make it young again
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
	h := &connectortest.Heard{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "the connection", func() bool { return h.Connections == 1 })
	extensions := func(n int) func() bool {
		return func() bool { return len(s.sent("PUT /fapi/v1/listenKey")) == n }
	}
	age(feed, 31*time.Minute)
	h.Await(t, "the extension", extensions(1))
	age(feed, 31*time.Minute)
	h.Await(t, "the failed extension", extensions(2))
	if len(h.Losses) != 0 {
		t.Errorf("lost %v although the key lives", h.Losses)
	}
	age(feed, 31*time.Minute)
	h.Await(t, "a new key after -1125", func() bool { return h.Connections == 2 && len(h.Losses) == 1 })
	if n := len(s.sent("POST /fapi/v1/listenKey")); n != 2 {
		t.Errorf("%d keys were made", n)
	}
	age(feed, 56*time.Minute)
	h.Await(t, "a new key instead of an expired one", func() bool { return h.Connections == 3 })
}

// The refusal of a key may come when its connection has been replaced: the new one has
// a key that lives.
func TestRefusedKeyOfAnOldConnection(t *testing.T) {
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
	h := &connectortest.Heard{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "the connection", func() bool { return h.Connections == 1 })
	age(feed, 31*time.Minute)
	<-asked
	v.Cut("")
	h.Await(t, "the next connection", func() bool { return h.Connections == 2 })
	close(answer)
	feed.(*privateFeed).workers.Wait()
	v.Say("", `{"e":"ACCOUNT_UPDATE","E":1,"T":1,"a":{"B":[{"a":"USDT"}]}}`)
	h.Await(t, "an event", func() bool { return h.Balances == 1 })
	h.With(func() {
		if len(h.Losses) != 1 {
			t.Errorf("lost %v", h.Losses)
		}
	})
}

// A venue that never answers the question is believed after a while.
func TestPrivateStreamWithoutProof(t *testing.T) {
	s := newScript(t)
	v := privateVenue(s)
	v.Answer(func(*websocket.Conn, command) {})
	h := &connectortest.Heard{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "the connection", func() bool { return h.Connections == 1 })
}

func TestPrivateStreamWithoutAKey(t *testing.T) {
	s := newScript(t)
	privateVenue(s)
	s.Only("POST /fapi/v1/listenKey", 401, `{"code":-2015,"msg":"Invalid API-key"}`)
	s.On("POST /fapi/v1/listenKey", 200, `{}`)
	s.On("POST /fapi/v1/listenKey", 200, `{"listenKey":"k"}`)
	h := &connectortest.Heard{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "the connection at the third attempt", func() bool { return h.Connections == 1 })
	if len(h.Losses) != 0 {
		t.Errorf("lost %v before there was anything", h.Losses)
	}
}

func TestOptions(t *testing.T) {
	for _, name := range []string{Live, Testnet} {
		o, ok := Preset(name)
		if !ok || o.Validate() != nil || !strings.HasPrefix(o.RESTURL, "https://") || !strings.HasPrefix(o.StreamURL, "wss://") {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if _, ok := Preset("elsewhere"); ok {
		t.Error("an unknown environment has hosts")
	}
	for _, bad := range []Options{{}, {RESTURL: "http://x"}, {StreamURL: "ws://x"}, {RESTURL: "http://x", StreamURL: "ws://x", RecvWindow: 2 * time.Minute}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
	c := New(Sim("http://x", "ws://x"))
	if c.Venue() != venues.Binance || c.Capabilities().AttachedProtection || c.Capabilities().AsyncAck || c.Capabilities().AbsenceAfter < 10*time.Second {
		t.Errorf("%+v", c.Capabilities())
	}
}
