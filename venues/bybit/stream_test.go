package bybit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

// streamVenue serves streams by hand and remembers what it was told.
type streamVenue struct {
	mu       sync.Mutex
	conns    []*websocket.Conn
	paths    []string
	commands []command
	// answer serves a command; confirm is what it usually does.
	answer func(c *websocket.Conn, m command)
}

type command struct {
	ID   string `json:"req_id"`
	Op   string `json:"op"`
	Args []any  `json:"args"`
	conn int
}

func confirm(c *websocket.Conn, m command) {
	text := fmt.Appendf(nil, `{"success":true,"ret_msg":"","conn_id":"c","req_id":%q,"op":%q}`, m.ID, m.Op)
	_ = c.WriteMessage(websocket.TextMessage, text)
}

func refuse(c *websocket.Conn, m command, why string) {
	text := fmt.Appendf(nil, `{"success":false,"ret_msg":%q,"conn_id":"c","req_id":%q,"op":%q}`, why, m.ID, m.Op)
	_ = c.WriteMessage(websocket.TextMessage, text)
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
func (v *streamVenue) say(message string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	_ = v.conns[len(v.conns)-1].WriteMessage(websocket.TextMessage, []byte(message))
}

func (v *streamVenue) cut() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.conns[len(v.conns)-1].Close()
}

func (v *streamVenue) told(op string) []command {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []command
	for _, m := range v.commands {
		if m.Op == op {
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

func bookSaid(symbol, kind string, u int) string {
	return fmt.Sprintf(`{"topic":"orderbook.200.%s","type":%q,"ts":2,"data":{"s":%q,"b":[["61800.2","1"]],"a":[],"u":%d,"seq":7},"cts":1}`, symbol, kind, symbol, u)
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
		v.say(bookSaid("BTCUSDT", "snapshot", seq+1))
	}
	close(sink.said)
	sink.Await(t, "the first message", func() bool { return len(sink.Books) > 0 })
	<-unsubscribed // a feed that is closed does not hear of it any more
	feed.Close()
	if len(sink.Books) != 1 || len(sink.Interruptions) != 0 {
		t.Errorf("%d messages, interrupted %v", len(sink.Books), sink.Interruptions)
	}
}

func bookOf(symbol string) venues.FeedChannel {
	return venues.FeedChannel{Kind: venues.FeedBook, Symbol: symbol}
}

// subscribed opens a feed on channels and waits until they are up.
func subscribed(t *testing.T, s *script, channels ...venues.FeedChannel) (venues.Feed, *connectortest.Heard) {
	t.Helper()
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(channels...)
	h.Await(t, "the confirmations", func() bool { return len(h.Resumptions) == len(channels) })
	return feed, h
}

func TestFeedSpreadsOverConnections(t *testing.T) {
	s := newScript(t)
	v := newStreamVenue(s)
	var channels []venues.FeedChannel
	for n := range 250 {
		channels = append(channels, bookOf(fmt.Sprintf("A%dUSDT", n)))
	}
	channels = append(channels, venues.FeedChannel{Kind: venues.FeedMark, Symbol: "BTCUSDC"}, venues.FeedChannel{Kind: venues.FeedCandles, Symbol: "BTCUSDT-261225", Timeframe: "4h"})
	feed, _ := subscribed(t, s, channels...)
	feed.Subscribe(channels[:10]...) // nothing new
	feed.Close()
	feed.Subscribe(bookOf("LATEUSDT"))
	feed.Unsubscribe(channels...)
	feed.Close()
	topics := map[int][]any{}
	for _, m := range v.told("subscribe") {
		if len(m.Args) > topicsPerMessageMax {
			t.Errorf("%d topics in one message", len(m.Args))
		}
		topics[m.conn] = append(topics[m.conn], m.Args...)
	}
	if len(topics) != 2 || len(topics[1])+len(topics[2]) != 252 || max(len(topics[1]), len(topics[2])) > streamsPerConnMax {
		t.Errorf("%d connections", len(topics))
	}
	all := append(topics[1], topics[2]...)
	if !slices.Contains(all, any("tickers.BTCPERP")) || !slices.Contains(all, any("kline.240.BTCUSDT-25DEC26")) {
		t.Error("the venue's names were not used")
	}
	if v.paths[0] != "/v5/public/linear" {
		t.Error(v.paths)
	}
}

// The whole life of a book: snapshot, changes, a loss, a snapshot again.
func TestFeedDeliversAndReconnects(t *testing.T) {
	s := newScript(t)
	s.listed("BTCUSDT")
	v := newStreamVenue(s)
	_, h := subscribed(t, s, channelsOf("BTCUSDT")...)
	v.say(bookSaid("BTCUSDT", "snapshot", 41))
	v.say(bookSaid("BTCUSDT", "delta", 42))
	v.say(tradeMessage)
	v.say(klineMessage)
	v.say(tickerMessage)
	v.say(`{"topic":"tickers.BTCUSDT","type":"delta","data":{"symbol":"BTCUSDT","indexPrice":"1"},"ts":1}`)
	v.say(`{"topic":"orderbook.200.XRPUSDT","type":"delta"}`) // of nobody
	v.say("Failed to decode incoming data: EOF")
	v.say(`{"success":true,"ret_msg":"pong","conn_id":"c","req_id":"","op":"ping"}`)
	v.cut()
	h.Await(t, "the loss and its end", func() bool { return len(h.Interruptions) == 4 && len(h.Resumptions) == 8 })
	v.say(bookSaid("BTCUSDT", "snapshot", 1))
	h.Await(t, "the new snapshot", func() bool { return len(h.Books) == 3 })
	if len(h.Trades) != 2 || len(h.Candles) != 1 || len(h.Marks) != 1 || !h.Books[0].Snapshot || h.Books[1].PrevSeq != 41 || h.Books[2].LastSeq != 1 {
		t.Errorf("%+v", h)
	}
}

// The book asks for a channel anew to get a snapshot.
func TestFeedResubscribes(t *testing.T) {
	s := newScript(t)
	s.listed("BTCUSDT", "ETHUSDT")
	v := newStreamVenue(s)
	feed, h := subscribed(t, s, bookOf("BTCUSDT"), bookOf("ETHUSDT"))
	feed.Unsubscribe(bookOf("BTCUSDT"))
	feed.Subscribe(bookOf("BTCUSDT"))
	h.Await(t, "the second confirmation", func() bool { return len(h.Resumptions) == 3 })
	gone := v.told("unsubscribe")
	if len(gone) != 1 || !slices.Equal(gone[0].Args, []any{"orderbook.200.BTCUSDT"}) || v.connections() != 1 {
		t.Errorf("%v on %d connections", gone, v.connections())
	}
}

// The last channel takes its connection along; the next one makes another.
func TestFeedDropsEmptyConnections(t *testing.T) {
	s := newScript(t)
	v := newStreamVenue(s)
	feed, h := subscribed(t, s, bookOf("BTCUSDT"))
	feed.Unsubscribe(bookOf("BTCUSDT"), bookOf("NEVERUSDT"))
	feed.Subscribe(bookOf("BTCUSDT"))
	h.Await(t, "the second connection", func() bool { return len(h.Resumptions) == 2 })
	if v.connections() != 2 || len(h.Interruptions) != 0 {
		t.Errorf("%d connections, interrupted %v", v.connections(), h.Interruptions)
	}
}

// One bad topic fails a whole message: the others are asked for alone.
func TestFeedOfAnUnknownTopic(t *testing.T) {
	s := newScript(t)
	v := newStreamVenue(s)
	v.answer = func(c *websocket.Conn, m command) {
		switch {
		case slices.Contains(m.Args, any("orderbook.200.NOPEUSDT")):
			refuse(c, m, "error:handler not found,topic:orderbook.200.NOPEUSDT")
		case len(m.Args) == 1 && m.Args[0] == any("orderbook.200.ETHUSDT"):
			refuse(c, m, "error:already subscribed,topic:orderbook.200.ETHUSDT")
		default:
			confirm(c, m)
		}
	}
	h := &connectortest.Heard{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(bookOf("BTCUSDT"), bookOf("NOPEUSDT"), bookOf("ETHUSDT"))
	h.Await(t, "the good ones", func() bool { return len(h.Resumptions) == 2 && len(h.Interruptions) == 1 })
	if h.Interruptions[0] != bookOf("NOPEUSDT") || v.connections() != 1 {
		t.Errorf("interrupted %v on %d connections", h.Interruptions, v.connections())
	}
	home := shardOf(feed)
	home.mu.Lock()
	home.streams["orderbook.200.NOPEUSDT"].refusedAt = time.Now().Add(-2 * refusedRetry)
	home.mu.Unlock()
	before := len(v.told("subscribe"))
	h.Await(t, "another question", func() bool { return len(v.told("subscribe")) > before })
}

// shardOf is the first connection of a feed.
func shardOf(f venues.Feed) *shard { return f.(*feed).shards[0] }

// An undecodable book message is a loss of that book alone; it is subscribed anew.
func TestFeedUndecodableMessage(t *testing.T) {
	s := newScript(t)
	s.listed("BTCUSDT", "ETHUSDT")
	v := newStreamVenue(s)
	_, h := subscribed(t, s, bookOf("BTCUSDT"), bookOf("ETHUSDT"))
	v.say(`{"topic":"orderbook.200.BTCUSDT","type":"delta"}`)
	v.say(bookSaid("ETHUSDT", "snapshot", 5))
	h.Await(t, "the other book", func() bool { return len(h.Books) == 1 && h.Books[0].Symbol == "ETHUSDT" })
	h.Await(t, "the interruption and its end", func() bool {
		return len(h.Interruptions) == 1 && h.Interruptions[0] == bookOf("BTCUSDT") && len(h.Resumptions) == 3
	})
	v.say(bookSaid("BTCUSDT", "snapshot", 6))
	h.Await(t, "the book again", func() bool { return len(h.Books) == 2 })
	if gone := v.told("unsubscribe"); v.connections() != 1 || len(gone) != 1 {
		t.Errorf("%d connections, %v", v.connections(), gone)
	}
}

// One quiet book among busy ones is asked for again; the others are left in peace.
func TestFeedLoneSilentStream(t *testing.T) {
	s := newScript(t)
	s.listed("BTCUSDT", "ETHUSDT", "SOLUSDT")
	s.connector.options.BookSilenceMax = 400 * time.Millisecond
	v := newStreamVenue(s)
	_, h := subscribed(t, s, bookOf("BTCUSDT"), bookOf("ETHUSDT"), bookOf("SOLUSDT"))
	stop := make(chan struct{})
	var talking sync.WaitGroup
	talking.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for u := 2; ; u++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				v.say(bookSaid("BTCUSDT", "delta", u))
				v.say(bookSaid("ETHUSDT", "delta", u))
			}
		}
	})
	h.Await(t, "the interruption and the answer", func() bool { return len(h.Interruptions) == 1 && len(h.Resumptions) == 4 })
	close(stop)
	talking.Wait()
	if gone := v.told("unsubscribe"); h.Interruptions[0] != bookOf("SOLUSDT") || len(gone) != 1 || v.connections() != 1 {
		t.Errorf("interrupted %v, unsubscribed %v, %d connections", h.Interruptions, gone, v.connections())
	}
}

func TestSilenceOfKinds(t *testing.T) {
	c := New(Sim("http://x", "ws://x"))
	for kind, want := range map[venues.FeedKind]time.Duration{
		venues.FeedBook: 5 * time.Minute, venues.FeedMark: time.Minute, venues.FeedTrades: 0, venues.FeedCandles: 0,
	} {
		if got := c.silenceMax(kind); got != want {
			t.Errorf("kind %d: %v, want %v", kind, got, want)
		}
	}
}

// A subscription without an answer costs the connection.
func TestFeedUnconfirmed(t *testing.T) {
	s, _ := publicStream(t, nil, bookOf("BTCUSDT"))
	s.pending[1] = subscription{sentAt: time.Now()}
	if s.overdue(time.Now()) || !s.overdue(time.Now().Add(2*ackTimeout)) {
		t.Error("overdue")
	}
}

func TestPrivateStreamSignsIn(t *testing.T) {
	s := newScript(t)
	s.now = func() time.Time { return time.Now().Add(time.Hour) } // the venue's clock counts
	if _, err := s.connector.SyncClock(background); err != nil {
		t.Fatal(err)
	}
	v := newStreamVenue(s)
	h := &connectortest.Heard{}
	feed := s.account.OpenPrivate(h)
	h.Await(t, "the connection", func() bool { return h.Connections == 1 })
	v.say(orderPush(`"New"`, `"Untriggered"`, `"stopOrderType":""`, `"stopOrderType":"Stop"`))
	h.Await(t, "the order", func() bool { return len(h.Reports) == 1 })
	feed.Close()
	auth := v.told("auth")[0].Args
	expires, _ := auth[1].(float64)
	if auth[0] != any(scriptKey) || auth[2] != any(signStream(scriptSecret, int64(expires))) || v.paths[0] != privatePath {
		t.Errorf("signed in with %v at %s", auth, v.paths[0])
	}
	if left := time.UnixMilli(int64(expires)).Sub(s.now()); left < 5*time.Second || left > 2*authLifetime {
		t.Errorf("the signature holds for %v", left)
	}
	if topics := v.told("subscribe")[0].Args; !slices.Equal(topics, []any{"order", "execution", "position", "wallet"}) {
		t.Errorf("subscribed %v", topics)
	}
	if h.Losses != nil || h.Reports[0].Status != venues.StatusUntriggered || h.Reports[0].Type != venues.TypeStopLimit {
		t.Errorf("lost %v, %+v", h.Losses, h.Reports)
	}
}

func orderPush(changes ...string) string {
	return `{"topic":"order","id":"1","creationTime":1,"data":[` + orderRow(changes...) + `]}`
}

func TestPrivateStreamRefused(t *testing.T) {
	s := newScript(t)
	v := newStreamVenue(s)
	refusals := 0
	v.answer = func(c *websocket.Conn, m command) {
		if refusals++; refusals == 1 || refusals == 3 { // the key, then the subscription
			refuse(c, m, "error:USVC1111 api_key["+scriptKey+"]")
			return
		}
		confirm(c, m)
	}
	h := &connectortest.Heard{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "the third connection", func() bool { return h.Connections == 1 })
	if v.connections() != 3 || len(h.Losses) != 0 {
		t.Errorf("%d connections, lost %v", v.connections(), h.Losses)
	}
	if n := len(s.Sent("GET /v5/market/time")); n != 6 { // at first, and after the key was refused
		t.Errorf("asked for the time %d times", n)
	}
}

func TestPrivateStreamLost(t *testing.T) {
	s := newScript(t)
	v := newStreamVenue(s)
	h := &connectortest.Heard{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "the connection", func() bool { return h.Connections == 1 })
	v.say(executionPush(executionRow("e1", time.Now(), `"leavesQty":"1"`, `"leavesQty":"0"`)))
	v.cut()
	h.Await(t, "the loss and the second connection", func() bool { return len(h.Losses) == 1 && h.Connections == 2 })
	if len(h.Reports) != 1 || h.Reports[0].Fill == nil { // what waited was told
		t.Errorf("%+v", h.Reports)
	}
	v.say(`{"topic":"order","data":[{"symbol":"BTCUSDT"}]}`) // may concern anything
	h.Await(t, "a loss without a new connection", func() bool { return len(h.Losses) == 2 && h.Connections == 3 })
	if v.connections() != 2 {
		t.Errorf("%d connections", v.connections())
	}
}

// A stream that tells nothing of an acknowledged order is believed dead.
func TestPrivateStreamMute(t *testing.T) {
	s := newScript(t)
	s.connector.options.EventSilenceMax = 50 * time.Millisecond
	s.ok(createOrder, accepted)
	v := newStreamVenue(s)
	h := &connectortest.Heard{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "the connection", func() bool { return h.Connections == 1 })
	if _, err := s.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	h.Await(t, "the second connection", func() bool { return h.Connections == 2 })
	if len(h.Losses) != 1 || !errors.Is(h.Losses[0], errPrivateMute) || v.connections() != 2 {
		t.Errorf("lost %v", h.Losses)
	}
}

func executionPush(rows ...string) string {
	return `{"topic":"execution","id":"1","creationTime":1,"data":[` + strings.Join(rows, ",") + `]}`
}
