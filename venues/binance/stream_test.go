package binance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// streamVenue serves public streams by hand and remembers what it was told.
type streamVenue struct {
	mu       sync.Mutex
	conns    []*websocket.Conn
	paths    []string
	commands []command
	// answer serves a command; confirm is what it usually does.
	answer func(c *websocket.Conn, m command)
}

type command struct {
	Method string   `json:"method"`
	Params []string `json:"params"`
	ID     uint64   `json:"id"`
	conn   int
}

func confirm(c *websocket.Conn, m command) {
	_ = c.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"result":null,"id":%d}`, m.ID))
}

func newStreamVenue(s *script) *streamVenue {
	v := &streamVenue{answer: confirm}
	s.Stream = v.serve
	return v
}

func (v *streamVenue) serve(r *http.Request, c *websocket.Conn) {
	v.mu.Lock()
	v.conns, v.paths = append(v.conns, c), append(v.paths, r.URL.Path)
	conn := len(v.conns)
	v.mu.Unlock()
	for {
		_, text, err := c.ReadMessage()
		if err != nil {
			return
		}
		var m command
		if json.Unmarshal(text, &m) != nil {
			continue
		}
		m.conn = conn
		v.mu.Lock()
		v.commands = append(v.commands, m)
		v.answer(c, m)
		v.mu.Unlock()
	}
}

// say sends a message on the newest connection.
func (v *streamVenue) say(name, data string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	_ = v.conns[len(v.conns)-1].WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"stream":%q,"data":%s}`, name, data))
}

func (v *streamVenue) told(method string) []command {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []command
	for _, m := range v.commands {
		if m.Method == method {
			all = append(all, m)
		}
	}
	return all
}

func (v *streamVenue) connections() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.conns)
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
	return fmt.Sprintf(`{"e":"depthUpdate","E":1,"T":1,"s":%q,"U":%d,"u":%d,"pu":%d,"b":[["61800.2","1"]],"a":[]}`, symbol, first, last, previous)
}

func bookOf(symbol string) venues.FeedChannel {
	return venues.FeedChannel{Kind: venues.FeedBook, Symbol: symbol}
}

func TestFeedSpreadsOverConnections(t *testing.T) {
	s := newScript(t)
	v := newStreamVenue(s)
	var channels []venues.FeedChannel
	for n := range 250 {
		channels = append(channels, bookOf(fmt.Sprintf("A%dUSDT", n)))
	}
	channels = append(channels, venues.FeedChannel{Kind: venues.FeedMark, Symbol: "BTCUSDT"}, venues.FeedChannel{Kind: venues.FeedBook, Symbol: "BTCUSDT-261225"})
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	feed.Subscribe(channels...)
	feed.Subscribe(channels[:10]...) // nothing new
	h.Await(t, "all confirmations", func() bool { return len(h.Resumptions) == 252 })
	feed.Close()
	feed.Subscribe(bookOf("LATEUSDT"))
	feed.Unsubscribe(channels...)
	feed.Close()
	streams := map[int][]string{}
	for _, m := range v.told("SUBSCRIBE") {
		if len(m.Params) > namesPerMessageMax {
			t.Errorf("%d names in one message", len(m.Params))
		}
		streams[m.conn] = append(streams[m.conn], m.Params...)
	}
	slices.Sort(v.paths)
	if got := strings.Join(v.paths, " "); got != "/market/stream /public/stream /public/stream" {
		t.Errorf("connected to %s", got)
	}
	for conn, names := range streams {
		if len(names) > streamsPerConnMax {
			t.Errorf("%d streams on connection %d", len(names), conn)
		}
	}
	if !slices.ContainsFunc(v.told("SUBSCRIBE"), func(m command) bool { return slices.Contains(m.Params, "btcusdt_261225@depth@100ms") }) {
		t.Error("the dated contract was not asked for by the venue's name")
	}
}

// An undecodable book message is a loss of that book alone; the stream is heard
// again from the next tick.
func TestFeedUndecodableMessage(t *testing.T) {
	s := newScript(t)
	s.listed("BTCUSDT", "ETHUSDT")
	v := newStreamVenue(s)
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(bookOf("BTCUSDT"), bookOf("ETHUSDT"))
	h.Await(t, "the confirmations", func() bool { return len(h.Resumptions) == 2 })
	v.say("btcusdt@depth@100ms", `{"e":"depthUpdate","s":"BTCUSDT"}`)
	v.say("btcusdt@depth@100ms", depthOf("BTCUSDT", 1, 2, 0)) // too late for this tick
	v.say("ethusdt@depth@100ms", depthOf("ETHUSDT", 1, 2, 0))
	h.Await(t, "the other book", func() bool { return len(h.Books) == 1 && h.Books[0].Symbol == "ETHUSDT" })
	h.Await(t, "the interruption and its end", func() bool {
		return len(h.Interruptions) == 1 && h.Interruptions[0] == bookOf("BTCUSDT") && len(h.Resumptions) == 3
	})
	v.say("btcusdt@depth@100ms", depthOf("BTCUSDT", 3, 4, 2))
	h.Await(t, "the book again", func() bool { return len(h.Books) == 2 })
	if v.connections() != 1 {
		t.Errorf("%d connections for one bad message", v.connections())
	}
}

func TestFeedOfAnUnlistedInstrument(t *testing.T) {
	s := newScript(t)
	v := newStreamVenue(s)
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(bookOf("BTCUSDT"))
	h.Await(t, "the confirmation", func() bool { return len(h.Resumptions) == 1 })
	v.say("btcusdt@depth@100ms", depthOf("BTCUSDT", 1, 2, 0)) // its scale is not known
	h.Await(t, "the interruption", func() bool { return len(h.Interruptions) == 1 && len(h.Books) == 0 })
	s.listed("BTCUSDT")
	h.Await(t, "the next tick", func() bool { return len(h.Resumptions) == 2 })
	v.say("btcusdt@depth@100ms", depthOf("BTCUSDT", 3, 4, 2))
	h.Await(t, "the book", func() bool { return len(h.Books) == 1 })
}

// lastWords is a sink that takes its first message slowly and unsubscribes.
type lastWords struct {
	*connectortest.Heard
	said chan struct{}
	end  func()
}

func (l *lastWords) Book(u *venues.BookUpdate) {
	l.Heard.Book(u)
	<-l.said
	l.end()
}

// A connection that carries nothing any more takes a while to close; what it
// brings until then reaches nobody.
func TestFeedIsSilentOnceUnsubscribed(t *testing.T) {
	s := newScript(t)
	s.listed("BTCUSDT")
	v := newStreamVenue(s)
	sink := &lastWords{Heard: &connectortest.Heard{}, said: make(chan struct{})}
	feed := s.connector.OpenFeed(sink)
	unsubscribed := make(chan struct{})
	sink.end = sync.OnceFunc(func() {
		feed.Unsubscribe(bookOf("BTCUSDT"))
		close(unsubscribed)
	})
	feed.Subscribe(bookOf("BTCUSDT"))
	sink.Await(t, "the confirmation", func() bool { return len(sink.Resumptions) == 1 })
	for seq := range 200 {
		v.say("btcusdt@depth@100ms", depthOf("BTCUSDT", seq+1, seq+1, seq))
	}
	close(sink.said)
	sink.Await(t, "the first message", func() bool { return len(sink.Books) > 0 })
	<-unsubscribed // a feed that is closed does not hear of it any more
	feed.Close()
	if len(sink.Books) != 1 || len(sink.Interruptions) != 0 {
		t.Errorf("%d messages, interrupted %v", len(sink.Books), sink.Interruptions)
	}
}

func TestFeedRefusedSubscription(t *testing.T) {
	s := newScript(t)
	v := newStreamVenue(s)
	refusals := 0
	v.answer = func(c *websocket.Conn, m command) {
		if refusals++; refusals == 1 {
			_ = c.WriteMessage(websocket.TextMessage, []byte(`{"code":2,"msg":"Invalid request: too many","id":1}`))
			return
		}
		confirm(c, m)
	}
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(bookOf("BTCUSDT"))
	h.Await(t, "the confirmation of the second connection", func() bool { return len(h.Resumptions) == 1 })
	if v.connections() != 2 {
		t.Errorf("%d connections", v.connections())
	}
}

func TestFeedRenewsWhenTheVenueShutsDown(t *testing.T) {
	s := newScript(t)
	s.listed("BTCUSDT")
	v := newStreamVenue(s)
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(bookOf("BTCUSDT"))
	h.Await(t, "the confirmation", func() bool { return len(h.Resumptions) == 1 })
	v.say("btcusdt@depth@100ms", depthOf("BTCUSDT", 1, 5, 0))
	h.Await(t, "the book", func() bool { return len(h.Books) == 1 })
	v.mu.Lock()
	_ = v.conns[0].WriteMessage(websocket.TextMessage, []byte(`{"event":{"e":"serverShutdown","E":1}}`))
	v.mu.Unlock()
	h.Await(t, "the second subscription", func() bool { return len(v.told("SUBSCRIBE")) == 2 })
	for _, message := range []string{depthOf("BTCUSDT", 1, 5, 0), depthOf("BTCUSDT", 6, 9, 5)} { // the old one's last again, then news
		v.say("btcusdt@depth@100ms", message)
	}
	h.Await(t, "the news", func() bool { return len(h.Books) == 2 })
	if h.Books[1].LastSeq != 9 || len(h.Interruptions) != 0 || len(h.Resumptions) != 1 {
		t.Errorf("books to %d, interrupted %v, resumed %v", h.Books[1].LastSeq, h.Interruptions, h.Resumptions)
	}
}

// One quiet book among busy ones is asked for again, ever more rarely; the others
// are left in peace.
func TestFeedLoneSilentStream(t *testing.T) {
	s := newScript(t)
	s.listed("BTCUSDT", "ETHUSDT", "SOLUSDT")
	s.connector.options.BookSilenceMax = 400 * time.Millisecond
	v := newStreamVenue(s)
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(bookOf("BTCUSDT"), bookOf("ETHUSDT"), bookOf("SOLUSDT"))
	h.Await(t, "the confirmations", func() bool { return len(h.Resumptions) == 3 })
	stop := make(chan struct{})
	var talking sync.WaitGroup
	talking.Go(func() {
		for seq := 1; ; seq++ {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
				v.say("btcusdt@depth@100ms", depthOf("BTCUSDT", seq, seq, seq-1))
				v.say("ethusdt@depth@100ms", depthOf("ETHUSDT", seq, seq, seq-1))
			}
		}
	})
	h.Await(t, "the interruption and the answer", func() bool { return len(h.Interruptions) == 1 && len(h.Resumptions) == 4 })
	close(stop)
	talking.Wait()
	gone := v.told("UNSUBSCRIBE")
	if h.Interruptions[0] != bookOf("SOLUSDT") || len(gone) != 1 || !slices.Equal(gone[0].Params, []string{"solusdt@depth@100ms"}) || v.connections() != 1 {
		t.Errorf("interrupted %v, unsubscribed %v, %d connections", h.Interruptions, gone, v.connections())
	}
}

func TestWatchDoublesItsPatience(t *testing.T) {
	s, _ := publicStream(t, categoryPublic, btc, bookOf("BTCUSDT"))
	limit := s.feed.c.options.BookSilenceMax
	if channels, mute := s.silent(time.Now()); len(channels) != 0 || mute {
		t.Error("watched without a connection")
	}
	one := s.streams["btcusdt@depth@100ms"]
	one.strikes = 40
	if got := limit << min(one.strikes, strikesMax); got <= limit || got > time.Hour {
		t.Errorf("patience of %v", got)
	}
}

func TestSilenceOfKinds(t *testing.T) {
	c := New(Sim("http://x", "ws://x"))
	for kind, want := range map[venues.FeedKind]time.Duration{
		venues.FeedBook: 30 * time.Second, venues.FeedMark: 15 * time.Second, venues.FeedTrades: 0, venues.FeedCandles: 0,
	} {
		if got := c.silenceMax(kind); got != want {
			t.Errorf("kind %d: %v, want %v", kind, got, want)
		}
	}
}

// privateVenue serves the private stream: it answers LIST_SUBSCRIPTIONS and
// remembers the addresses it was asked under.
func privateVenue(s *script) *streamVenue {
	v := newStreamVenue(s)
	serve := s.Stream
	s.Stream = func(r *http.Request, c *websocket.Conn) {
		v.mu.Lock()
		v.paths = append(v.paths, r.URL.RequestURI())
		v.mu.Unlock()
		serve(r, c)
	}
	s.On("POST /fapi/v1/listenKey", 200, `{"listenKey":"first+key"}`)
	return v
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
	if v.paths[0] != want {
		t.Errorf("asked for %s", v.paths[0])
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

// A venue that never answers the question is believed after a while.
func TestPrivateStreamWithoutProof(t *testing.T) {
	s := newScript(t)
	v := privateVenue(s)
	v.answer = func(*websocket.Conn, command) {}
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
