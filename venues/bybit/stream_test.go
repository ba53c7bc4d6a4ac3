package bybit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/feed"
	"venuegate/venues/internal/session"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(fixturetest.AllRead(m, venues.Bybit))
}

type command struct {
	ID   string `json:"req_id"`
	Op   string `json:"op"`
	Args []any  `json:"args"`
}

func (m command) Verb() string { return m.Op }

func confirm(c *websocket.Conn, m command) {
	text := fmt.Appendf(nil, `{"success":true,"ret_msg":"","conn_id":"c","req_id":%q,"op":%q}`, m.ID, m.Op)
	_ = c.WriteMessage(websocket.TextMessage, text)
}

func reject(c *websocket.Conn, m command, why string) {
	text := fmt.Appendf(nil, `{"success":false,"ret_msg":%q,"conn_id":"c","req_id":%q,"op":%q}`, why, m.ID, m.Op)
	_ = c.WriteMessage(websocket.TextMessage, text)
}

func bookSaid(symbol, kind string, u int) string {
	return fmt.Sprintf(`{"topic":"orderbook.200.%s","type":%q,"ts":2,"data":{"s":%q,"b":[["61800.2","1"]],"a":[],"u":%d,"seq":7},"cts":1}`, symbol, kind, symbol, u)
}

func bookOf(symbol string) venues.FeedTopic {
	return venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol}
}

// subscribed opens a feed on topics and waits until they are subscribed.
func subscribed(t *testing.T, s *script, topics ...venues.FeedTopic) (venues.Feed, *connectortest.Recorder) {
	t.Helper()
	h := &connectortest.Recorder{}
	feed := s.connector.OpenFeed(h)
	t.Cleanup(feed.Close)
	feed.Subscribe(topics...)
	h.Await(t, "confirmations", func() bool { return len(h.Resumptions) == len(topics) })
	return feed, h
}

// The venue's names of its topics, and their path.
func TestFeedTopicNames(t *testing.T) {
	s := newScript(t)
	v := connectortest.ServeStreams(s.Server, confirm)
	mark := venues.FeedTopic{Kind: venues.FeedMark, Symbol: "BTCUSDC"}
	feed, _ := subscribed(t, s, bookOf("BTCUSDT"), mark, venues.FeedTopic{Kind: venues.FeedTrades, Symbol: "BTCUSDT"},
		venues.FeedTopic{Kind: venues.FeedCandles, Symbol: "BTCUSDT-261225", Timeframe: "4h"})
	feed.Close()
	var topics []string
	for _, m := range v.Received("", "subscribe") {
		for _, topic := range m.Args {
			topics = append(topics, fmt.Sprint(topic))
		}
	}
	slices.Sort(topics)
	if got := strings.Join(topics, " "); got != "kline.240.BTCUSDT-25DEC26 orderbook.200.BTCUSDT publicTrade.BTCUSDT tickers.BTCPERP" {
		t.Errorf("subscriptions %s, want kline.240.BTCUSDT-25DEC26 orderbook.200.BTCUSDT publicTrade.BTCUSDT tickers.BTCPERP", got)
	}
	if paths := v.Addresses(); !slices.Equal(paths, []string{"/v5/public/linear"}) {
		t.Errorf("paths %v, want slices.Equal(paths, []string{\"/v5/public/linear\"})", paths)
	}
}

func TestStreamRequest(t *testing.T) {
	got := string(streams{}.Request(feed.Unsubscribe, 7, []string{"tickers.BTCPERP"}))
	if want := `{"req_id":"7","op":"unsubscribe","args":["tickers.BTCPERP"]}`; got != want {
		t.Errorf("request %s, want %s", got, want)
	}
}

func TestStreamAnswers(t *testing.T) {
	const unknown, held = "error:handler not found,topic:orderbook.200.NOPEUSDT", "error:already subscribed,topic:tickers.BTCUSDT"
	for message, want := range map[string]feed.Answer{
		`{"success":true,"ret_msg":"","conn_id":"c","req_id":"7","op":"subscribe"}`:                 {Kind: feed.Confirmed, ID: 7},
		`{"success":false,"ret_msg":"` + unknown + `","conn_id":"c","req_id":"7","op":"subscribe"}`: {Kind: feed.Rejected, ID: 7, Text: unknown},
		`{"success":false,"ret_msg":"` + held + `","conn_id":"c","req_id":"7","op":"subscribe"}`:    {Kind: feed.AlreadySubscribed, ID: 7, Text: held},
		`{"success":true,"ret_msg":"","conn_id":"c","req_id":"7","op":"unsubscribe"}`:               {},
		`{"success":true,"ret_msg":"pong","conn_id":"c","req_id":"","op":"ping"}`:                   {},
	} {
		if got, err := (streams{}).Answer([]byte(message)); err != nil || got != want {
			t.Errorf("message = %s, got = %+v, err = %v, want %v", message, got, err, want)
		}
	}
	for _, message := range []string{"Failed to decode incoming data: EOF", `{"success":true,"req_id":"x","op":"subscribe"}`} {
		if _, err := (streams{}).Answer([]byte(message)); err == nil {
			t.Errorf("no error for %s, want one", message)
		}
	}
}

// A book over its lifetime: snapshot, deltas, a loss, another snapshot.
func TestFeedReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the loss comes before the next connection
		s := newScript(t)
		s.listed("BTCUSDT")
		v := connectortest.ServeStreams(s.Server, confirm)
		_, h := subscribed(t, s, topicsOf("BTCUSDT")...)
		v.Send("", bookSaid("BTCUSDT", "snapshot", 41))
		v.Send("", bookSaid("BTCUSDT", "delta", 42))
		v.Send("", tradeMessage)
		v.Send("", klineMessage)
		v.Send("", tickerMessage)
		v.Send("", `{"topic":"tickers.BTCUSDT","type":"delta","data":{"symbol":"BTCUSDT","indexPrice":"1"},"ts":1}`)
		v.Send("", `{"topic":"orderbook.200.XRPUSDT","type":"delta"}`) // not subscribed
		v.Send("", "Failed to decode incoming data: EOF")
		v.Send("", `{"success":true,"ret_msg":"pong","conn_id":"c","req_id":"","op":"ping"}`)
		v.Cut("")
		h.Await(t, "loss and resumption", func() bool { return len(h.Interruptions) == 4 && len(h.Resumptions) == 8 })
		v.Send("", bookSaid("BTCUSDT", "snapshot", 1))
		h.Await(t, "new snapshot", func() bool { return len(h.Books) == 3 })
		if len(h.Trades) != 2 || len(h.Candles) != 1 || len(h.Marks) != 1 || !h.Books[0].Snapshot || h.Books[1].PrevSeq != 41 || h.Books[2].LastSeq != 1 {
			t.Errorf("recorded %+v, want 2 trades, a candle, a mark price, and a snapshot followed by the updates 42 and 1", h)
		}
	})
}

func TestPrivateStreamLogsIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.now = func() time.Time { return time.Now().Add(time.Hour) } // the venue's clock counts
		if _, err := s.connector.SyncClock(background); err != nil {
			t.Fatal(err)
		}
		v := connectortest.ServeStreams(s.Server, confirm)
		h := &connectortest.Recorder{}
		feed := s.account.OpenPrivate(h)
		h.Await(t, "connection", func() bool { return h.Connections == 1 })
		v.Send("", orderPush(`"New"`, `"Untriggered"`, `"stopOrderType":""`, `"stopOrderType":"Stop"`))
		h.Await(t, "order", func() bool { return len(h.Reports) == 1 })
		feed.Close()
		auth := v.Received("", "auth")[0].Args
		expires, _ := auth[1].(float64)
		if auth[0] != any(scriptKey) || auth[2] != any(signStream(scriptSecret, int64(expires))) || v.Addresses()[0] != privatePath {
			t.Errorf("login %v at %s, want the key and its signature at %s", auth, v.Addresses()[0], privatePath)
		}
		if left := time.UnixMilli(int64(expires)).Sub(s.now()); left < 5*time.Second || left > 2*loginLifetime {
			t.Errorf("the signature is valid for %v, want 5 s to %v", left, 2*loginLifetime)
		}
		if topics := v.Received("", "subscribe")[0].Args; !slices.Equal(topics, []any{"order", "execution", "position", "wallet"}) {
			t.Errorf("subscribed %v, want slices.Equal(topics, []any{\"order\", \"execution\", \"position\", \"wallet\"})", topics)
		}
		if h.Losses != nil || h.Reports[0].Status != venues.StatusUntriggered || h.Reports[0].Type != venues.TypeStopLimit {
			t.Errorf("losses %v, reports %+v", h.Losses, h.Reports)
		}
	})
}

func orderPush(changes ...string) string {
	return `{"topic":"order","id":"1","creationTime":1,"data":[` + orderRow(changes...) + `]}`
}

func TestPrivateStreamRejected(t *testing.T) {
	s := newScript(t)
	v := connectortest.ServeStreams(s.Server, confirm)
	rejections := 0
	v.Answer(func(c *websocket.Conn, m command) {
		if rejections++; rejections == 1 || rejections == 3 { // the key, then the subscription
			reject(c, m, "error:USVC1111 api_key["+scriptKey+"]")
			return
		}
		confirm(c, m)
	})
	h := &connectortest.Recorder{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "third connection", func() bool { return h.Connections == 1 })
	if v.Connections("") != 3 || len(h.Losses) != 0 {
		t.Errorf("%d connections, losses %v, want 3 and none", v.Connections(""), h.Losses)
	}
	if n := len(s.Sent("GET /v5/market/time")); n != 6 { // at first, and after the key was rejected
		t.Errorf("%d requests for the time", n)
	}
}

func TestPrivateStreamLost(t *testing.T) {
	s := newScript(t)
	v := connectortest.ServeStreams(s.Server, confirm)
	h := &connectortest.Recorder{}
	feed := s.account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	v.Send("", executionPush(executionRow("e1", time.Now(), `"leavesQty":"1"`, `"leavesQty":"0"`)))
	v.Cut("")
	h.Await(t, "loss and second connection", func() bool { return len(h.Losses) == 1 && h.Connections == 2 })
	if len(h.Reports) != 1 || h.Reports[0].Fill == nil { // the pending report was published
		t.Errorf("h.Reports = %+v", h.Reports)
	}
	v.Send("", `{"topic":"order","data":[{"symbol":"BTCUSDT"}]}`) // may concern anything
	h.Await(t, "loss without a new connection", func() bool { return len(h.Losses) == 2 && h.Connections == 3 })
	if v.Connections("") != 2 {
		t.Errorf("%d connections, want 2", v.Connections(""))
	}
}

// A stream without an event for an acknowledged order is replaced.
func TestPrivateStreamStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.connector.options.EventSilenceMax = 50 * time.Millisecond
		s.ok(createOrder, accepted)
		v := connectortest.ServeStreams(s.Server, confirm)
		h := &connectortest.Recorder{}
		feed := s.account.OpenPrivate(h)
		t.Cleanup(feed.Close)
		h.Await(t, "connection", func() bool { return h.Connections == 1 })
		if _, err := s.account.Place(background, limitOrder()); err != nil {
			t.Fatal(err)
		}
		h.Await(t, "second connection", func() bool { return h.Connections == 2 })
		if len(h.Losses) != 1 || !errors.Is(h.Losses[0], session.ErrStalled) || v.Connections("") != 2 {
			t.Errorf("losses %v", h.Losses)
		}
	})
}

func executionPush(rows ...string) string {
	return `{"topic":"execution","id":"1","creationTime":1,"data":[` + strings.Join(rows, ",") + `]}`
}
