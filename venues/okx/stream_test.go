package okx

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/feed"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(fixturetest.AllRead(m, venues.OKX))
}

type command struct {
	ID   string              `json:"id"`
	Op   string              `json:"op"`
	Args []map[string]string `json:"args"`
}

func (m command) Verb() string { return m.Op }

// confirm answers each argument of a request, a login and a ping.
func confirm(c *websocket.Conn, m command) {
	if m.Op == "login" {
		_ = c.WriteMessage(websocket.TextMessage, []byte(`{"event":"login","code":"0","msg":"","connId":"a4d3ae55"}`))
		return
	}
	if m.Op == "ping" {
		_ = c.WriteMessage(websocket.TextMessage, []byte("pong"))
	}
	for _, arg := range m.Args {
		text, _ := json.Marshal(arg)
		_ = c.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%q,"event":%q,"arg":%s,"connId":"a4d3ae55"}`, m.ID, m.Op, text))
	}
}

func serveStreams(s *script) *connectortest.Streams[command] {
	v := connectortest.ServeStreams(s.Server, confirm)
	v.Read = func(text string) command { return command{Op: text} }
	return v
}

// streaming returns a script with instruments and an open feed.
func streaming(t *testing.T) (*script, *connectortest.Streams[command], *connectortest.Recorder, venues.Feed) {
	t.Helper()
	s := newScript(t)
	v := serveStreams(s)
	if _, err := s.connector.Instruments(background); err != nil {
		t.Fatal(err)
	}
	h := new(connectortest.Recorder)
	f := s.connector.OpenFeed(h)
	t.Cleanup(f.Close)
	return s, v, h, f
}

func bookOf(symbol string) venues.FeedTopic {
	return venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol}
}

func snapshotOf(seq string) string {
	return string(bookMessage("snapshot", `[["60001","10","0","1"]]`, `[["60000","10","0","1"]]`, seq, "-1"))
}

func updateOf(seq, previous string) string {
	return string(bookMessage("update", `[]`, `[["60000","11","0","1"]]`, seq, previous))
}

func TestFeedMessagesReachTheSink(t *testing.T) {
	_, v, h, f := streaming(t)
	candles := venues.FeedTopic{Kind: venues.FeedCandles, Symbol: "BTCUSDT", Timeframe: "1h"}
	f.Subscribe(bookOf("BTCUSDT"), bookOf("BTCUSDT"), venues.FeedTopic{Kind: venues.FeedTrades, Symbol: "BTCUSDT"},
		venues.FeedTopic{Kind: venues.FeedMark, Symbol: "BTCUSDT"}, candles)
	h.Await(t, "four confirmations", func() bool { return len(h.Resumptions) == 4 })
	if v.Connections(pathPublic) != 2 || v.Connections(pathBusiness) != 1 { // books have connections of their own
		t.Fatalf("%d public, %d business connections, want 2 and 1", v.Connections(pathPublic), v.Connections(pathBusiness))
	}
	for _, message := range []string{
		updateOf("9", "8"), // before any snapshot
		snapshotOf("10"), updateOf("15", "10"),
		`{"arg":{"channel":"trades","instId":"BTC-USDT-SWAP"},"data":[{"instId":"BTC-USDT-SWAP","tradeId":"2832749645","px":"63913.4","sz":"34.95","side":"sell","ts":"1786540436090","count":"10","source":"0","seqId":333793118093}]}`,
		`{"data":[{"instId":"BTC-USDT-SWAP","instType":"SWAP","markPx":"83679.8","ts":"1790358817778"}],"arg":{"channel":"mark-price","instId":"BTC-USDT-SWAP"}}`,
		`{"arg":{"channel":"trades","instId":"ETH-USDT-SWAP"},"data":[{}]}`, // not subscribed
	} {
		v.SendAll(pathPublic, message)
	}
	v.Send(pathBusiness, `{"arg":{"channel":"candle1H","instId":"BTC-USDT-SWAP"},"data":[["1786538400000","64040.2","64041","64025.7","64033.5","216","2.16","138825.2","0"]]}`)
	h.Await(t, "all messages", func() bool {
		return len(h.Books) == 2 && len(h.Trades) == 1 && len(h.Marks) == 1 && len(h.Candles) == 1
	})
	h.With(func() {
		if b := h.Books[1]; b.Symbol != "BTCUSDT" || b.PrevSeq != 10 || b.Bids[0].Qty != 1100 || b.Received.IsZero() || !h.Books[0].Snapshot {
			t.Errorf("b = %+v, want a BTCUSDT update after 10 with 1100 on the bid, and a snapshot before it", b)
		}
		if tr := h.Trades[0]; tr.Qty.String() != "0.3495" || tr.Side != venues.Sell || tr.ID != "2832749645" || tr.Symbol != "BTCUSDT" {
			t.Errorf("tr = %+v, want the sell 2832749645 of 0.3495 BTCUSDT", tr)
		}
		if c := h.Candles[0]; c.Volume.String() != "2.16" || c.Turnover.String() != "138825.2" || c.Closed || c.End.Sub(c.Start) != time.Hour {
			t.Errorf("c = %+v, want an open candle of one hour with volume 2.16 and turnover 138825.2", c)
		}
		if h.Marks[0].Price.String() != "83679.8" || len(h.Interruptions) > 0 {
			t.Errorf("mark price %+v, interruptions %v, want 83679.8 and none", h.Marks[0], h.Interruptions)
		}
	})
}

// Books have connections of their own, with fewer topics on each.
func TestStreamGroups(t *testing.T) {
	for kind, want := range map[venues.FeedKind]feed.Group{
		venues.FeedBook:    {Path: pathPublic, TopicsMax: booksPerConnMax},
		venues.FeedTrades:  {Path: pathPublic, TopicsMax: streamsPerConnMax},
		venues.FeedMark:    {Path: pathPublic, TopicsMax: streamsPerConnMax},
		venues.FeedCandles: {Path: pathBusiness, TopicsMax: streamsPerConnMax},
	} {
		if got := (streams{}).Group(venues.FeedTopic{Kind: kind}); got != want {
			t.Errorf("kind %d: %+v, want %+v", kind, got, want)
		}
	}
}

func TestStreamRequest(t *testing.T) {
	name := topicArg{Channel: channelBooks, InstID: "BTC-USDT-SWAP"}.text()
	got := string(streams{}.Request(feed.Unsubscribe, 7, []string{name}))
	if want := `{"id":"7","op":"unsubscribe","args":[{"channel":"books","instId":"BTC-USDT-SWAP"}]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestStreamAnswers(t *testing.T) {
	const rejection = `{"id":"7","event":"error","code":"60018","msg":"Wrong URL or channel","connId":"x"}`
	for message, want := range map[string]feed.Answer{
		`{"id":"7","event":"subscribe","arg":{"channel":"books","instId":"BTC-USDT-SWAP"},"connId":"x"}`: {
			Kind: feed.Confirmed, ID: 7, Topic: `{"channel":"books","instId":"BTC-USDT-SWAP"}`,
		},
		`{"id":"7","event":"unsubscribe","arg":{"channel":"books","instId":"BTC-USDT-SWAP"},"connId":"x"}`: {ID: 7},
		rejection: {Kind: feed.Rejected, ID: 7, Text: rejection},
		`{"event":"notice","msg":"The connection will soon be closed for a service upgrade. Please reconnect.","code":"64008","connId":"x"}`: {Kind: feed.Ending},
		"pong": {},
	} {
		if got, err := (streams{}).Answer([]byte(message)); err != nil || got != want {
			t.Errorf("message = %s, got = %+v, err = %v, want %v", message, got, err, want)
		}
	}
	if _, err := (streams{}).Answer([]byte("busy")); err == nil {
		t.Error("no error for a message that is not an object")
	}
}

// A missing snapshot is requested again, however many updates follow.
func TestFeedWithoutASnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v, h, _ := streaming(t)
		s.connector.options.BookSilenceMax = 60 * time.Millisecond
		f := s.connector.OpenFeed(h)
		t.Cleanup(f.Close)
		f.Subscribe(bookOf("BTCUSDT"))
		h.Await(t, "confirmation", func() bool { return len(h.Resumptions) == 1 })
		var sending sync.WaitGroup
		enough := make(chan struct{})
		sending.Go(func() {
			for tick := time.NewTicker(5 * time.Millisecond); ; {
				select {
				case <-enough:
					tick.Stop()
					return
				case <-tick.C:
					v.Send(pathPublic, updateOf("12", "10"))
				}
			}
		})
		h.Await(t, "another subscription", func() bool { return len(h.Interruptions) > 0 && len(h.Resumptions) > 1 })
		close(enough)
		sending.Wait()
		h.With(func() {
			if len(h.Books) > 0 {
				t.Errorf("books %+v, want none", h.Books)
			}
		})
	})
}

func TestFeedPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v, h, f := streaming(t)
		s.connector.options.PingInterval = 10 * time.Millisecond
		f.Subscribe(venues.FeedTopic{Kind: venues.FeedTrades, Symbol: "BTCUSDT"})
		h.Await(t, "pings", func() bool { return len(v.Received("", "ping")) > 1 })
		h.With(func() {
			if len(h.Interruptions) > 0 {
				t.Error("a pong interrupted a topic")
			}
		})
	})
}
