package venuegate_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"

	venuegate "venuegate/transport/clients/go"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is the service's side of a connection.
type peer struct {
	t    *testing.T
	conn *websocket.Conn
}

func (p *peer) send(text string) {
	if err := p.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		p.t.Logf("send %s: %v", text, err) // the client may have closed
	}
}

// expect reads a message with a text in it.
func (p *peer) expect(text string) {
	_, got, err := p.conn.ReadMessage()
	if err != nil || !strings.Contains(string(got), text) {
		p.t.Errorf("message = %s, %v, want %s", got, err, text)
	}
}

func (p *peer) close(code int, reason string) {
	_ = p.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(time.Second))
}

// accept carries out the beginning of a connection.
func (p *peer) accept(pingSec int, rejected string) {
	p.send(fmt.Sprintf(`{"op":"welcome","connId":"c","pingSec":%d,"maxChannels":200}`, pingSec))
	p.expect(`{"op":"auth","token":"k"}`)
	p.send(`{"op":"auth","ok":true,"scopes":["read"]}`)
	p.expect(`"op":"subscribe"`)
	p.send(`{"op":"subscribe","ok":true,"channels":[],"rejected":[` + rejected + `]}`)
}

// serve starts a service whose n-th connection does what the n-th function does, then ends.
func serve(t *testing.T, connections ...func(*peer)) *venuegate.Stream {
	t.Helper()
	next := make(chan func(*peer), len(connections))
	for _, c := range connections {
		next <- c
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		select {
		case do := <-next:
			do(&peer{t, conn})
		default:
			t.Error("another connection, want no more")
		}
	}))
	t.Cleanup(server.Close)
	stream := venuegate.Subscribe(t.Context(), venuegate.StreamOptions{
		URL: "ws" + strings.TrimPrefix(server.URL, "http"), Key: "k", Topics: []string{"book:okx:BTCUSDT:5", "trades:okx:BTCUSDT"}, Queue: 2,
	})
	t.Cleanup(stream.Close)
	return stream
}

// next expects a message of a type.
func next(t *testing.T, s *venuegate.Stream, want venuegate.MessageType) venuegate.Message {
	t.Helper()
	m, err := s.Next(t.Context())
	if err != nil || m.Type != want {
		t.Fatalf("message = %+v, %v, want %s", m, err, want)
	}
	return m
}

func book(kind string, seq int, bids, asks string) string {
	return fmt.Sprintf(`{"channel":"book:okx:BTCUSDT:5","type":%q,"seq":%d,"ts":"2026-11-20T09:19:00.123Z","venueTs":null,"data":{"bids":[%s],"asks":[%s]}}`, kind, seq, bids, asks)
}

func trade(kind string, seq int) string {
	return fmt.Sprintf(`{"channel":"trades:okx:BTCUSDT","type":%q,"seq":%d,"ts":"2026-11-20T09:19:00.123Z","venueTs":null,"missed":3,
		"data":{"id":"7","price":"64000.10","qty":"0.5","side":"sell","ts":null}}`, kind, seq)
}

// stay keeps a connection until the client closes it.
func stay(p *peer) {
	for {
		if _, _, err := p.conn.ReadMessage(); err != nil {
			return
		}
	}
}

// sides formats a book.
func sides(b *venuegate.Book) string {
	var text strings.Builder
	for _, side := range [][]venuegate.Level{b.Bids(), b.Asks()} {
		for _, l := range side {
			fmt.Fprintf(&text, "%s=%s ", l.Price, l.Qty)
		}
		text.WriteString("| ")
	}
	return fmt.Sprint(text.String(), b.Current())
}

// A book follows its messages, is not current while it is stale or the connection is
// interrupted, and is again after a reconnection.
func TestBookOverAReconnection(t *testing.T) {
	s := serve(t,
		func(p *peer) {
			p.accept(20, "")
			p.send(book("snapshot", 41, `["100","1"],["99.5","2"]`, `["101","3"]`))
			p.send(book("delta", 42, `["100.0","0"],["99.75","4"]`, `["101","5"],["102","6"]`))
			p.send(book("stale", 50, ``, ``))
			p.send(book("snapshot", 7, `["90","1"]`, `["91","1"]`))
			p.close(venuegate.StreamServerRestart, "server restart")
		},
		func(p *peer) {
			p.accept(20, "")
			p.send(book("snapshot", 1, `["80","1"]`, ``))
			stay(p)
		})
	b := venuegate.NewBook("book:okx:BTCUSDT:5")
	for _, want := range []struct {
		kind  venuegate.MessageType
		sides string
	}{
		{venuegate.TypeConnected, "| | false"},
		{venuegate.TypeSnapshot, "100=1 99.5=2 | 101=3 | true"},
		{venuegate.TypeDelta, "99.75=4 99.5=2 | 101=5 102=6 | true"},
		{venuegate.TypeStale, "99.75=4 99.5=2 | 101=5 102=6 | false"},
		{venuegate.TypeSnapshot, "90=1 | 91=1 | true"},
		{venuegate.TypeDisconnected, "90=1 | 91=1 | false"},
		{venuegate.TypeConnected, "90=1 | 91=1 | false"},
		{venuegate.TypeSnapshot, "80=1 | | true"},
	} {
		m := next(t, s, want.kind)
		if e, _ := errors.AsType[*venuegate.StreamError](m.Err); m.Type == venuegate.TypeDisconnected && (e == nil || e.Code != venuegate.StreamServerRestart) {
			t.Errorf("disconnected by %v, want code 4012", m.Err)
		}
		if err := b.Apply(m); err != nil {
			t.Error(err)
		}
		if got := sides(b); got != want.sides {
			t.Errorf("book after %s = %s, want %s", want.kind, got, want.sides)
		}
	}
}

// A message that is missing is visible: a gap is delivered, a broken sequence ends the
// connection.
func TestMissingMessagesAreVisible(t *testing.T) {
	s := serve(t,
		func(p *peer) {
			p.accept(20, "")
			p.send(trade("update", 8))
			p.send(trade("gap", 12))
			p.send(trade("update", 13))
			p.send(trade("update", 15))
			stay(p)
		},
		func(p *peer) { p.accept(20, ""); stay(p) })
	next(t, s, venuegate.TypeConnected)
	trades, err := venuegate.Records[venuegate.Trade](next(t, s, venuegate.TypeUpdate))
	if err != nil || len(trades) != 1 || trades[0].Price.String() != "64000.1" || trades[0].Side != venuegate.SideSell {
		t.Errorf("trades = %+v, %v, want the one that was sent", trades, err)
	}
	if m := next(t, s, venuegate.TypeGap); m.Missed == nil || *m.Missed != 3 {
		t.Errorf("gap = %+v, want 3 missed", m)
	}
	next(t, s, venuegate.TypeUpdate)
	if m := next(t, s, venuegate.TypeDisconnected); !errors.Is(m.Err, venuegate.ErrSequence) {
		t.Errorf("disconnected by %v, want the sequence", m.Err)
	}
	next(t, s, venuegate.TypeConnected)
}

// What no other connection would mend ends the stream, after the messages before it.
func TestPermanentErrorsEndTheStream(t *testing.T) {
	for name, c := range map[string]struct {
		connection func(*peer)
		code       int
		topic      string
		connected  bool
	}{
		"revoked key": {func(p *peer) { p.accept(20, ""); p.close(venuegate.StreamUnauthorized, "unauthorized") }, venuegate.StreamUnauthorized, "", true},
		"wrong key": {func(p *peer) {
			p.send(`{"op":"welcome"}`)
			p.expect("auth")
			p.send(`{"op":"error","code":4001,"message":"m","details":{}}`)
		}, venuegate.StreamUnauthorized, "", false},
		"unknown topic": {func(p *peer) {
			p.accept(20, `{"channel":"book:okx:NOPE:5","code":4004,"message":"m","reason":"not_found"}`)
		}, venuegate.StreamUnknownTopic, "book:okx:NOPE:5", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.connection)
			if c.connected {
				next(t, s, venuegate.TypeConnected)
			}
			for range 2 {
				_, err := s.Next(t.Context())
				if e, _ := errors.AsType[*venuegate.StreamError](err); e == nil || e.Code != c.code || e.Topic != c.topic {
					t.Errorf("error = %v, want code %d of topic %q", err, c.code, c.topic)
				}
			}
		})
	}
}

// A topic that is rejected for now is subscribed to again.
func TestTemporaryRejection(t *testing.T) {
	s := serve(t,
		func(p *peer) { p.accept(20, `{"channel":"orders","code":4012,"message":"m","reason":"maintenance"}`) },
		func(p *peer) { p.accept(20, ""); stay(p) })
	next(t, s, venuegate.TypeDisconnected)
	next(t, s, venuegate.TypeConnected)
}

// A service that does not answer pings is given up.
func TestSilentConnectionIsGivenUp(t *testing.T) {
	pinged := make(chan struct{})
	s := serve(t,
		func(p *peer) {
			p.accept(1, "")
			p.expect(`{"op":"ping"}`)
			close(pinged)
			stay(p)
		},
		func(p *peer) { p.accept(20, ""); stay(p) })
	next(t, s, venuegate.TypeConnected)
	<-pinged
	next(t, s, venuegate.TypeDisconnected)
	next(t, s, venuegate.TypeConnected)
}

// No message is lost while the queue is full.
func TestQueueIsBounded(t *testing.T) {
	const messages = 500
	s := serve(t, func(p *peer) {
		p.accept(20, "")
		for i := range messages {
			p.send(trade("update", i))
		}
		stay(p)
	})
	next(t, s, venuegate.TypeConnected)
	for i := range messages {
		if m := next(t, s, venuegate.TypeUpdate); m.Seq != uint64(i) {
			t.Fatalf("seq = %d, want %d", m.Seq, i)
		}
	}
	s.Close()
	if _, err := s.Next(t.Context()); !errors.Is(err, venuegate.ErrClosed) {
		t.Errorf("error after Close = %v, want ErrClosed", err)
	}
}
