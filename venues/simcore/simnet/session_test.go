package simnet_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// edge is a server with one stream endpoint. Its listener is in memory, so that tests
// run in bubbles of virtual time.
type edge struct {
	testing.TB
	server  *simnet.Server
	faults  *simcore.FaultInjector
	network *simtest.Memory
	opened  chan *simnet.Session
	ended   chan *simnet.Session
}

func newEdge(t testing.TB, change func(*simnet.SessionOptions)) *edge {
	t.Helper()
	e := &edge{
		TB: t, server: simnet.NewServer(zap.NewNop()), faults: &simcore.FaultInjector{},
		opened: make(chan *simnet.Session, 10), ended: make(chan *simnet.Session, 10),
	}
	options := simnet.SessionOptions{Path: "/stream", InjectedFaults: e.faults}
	if change != nil {
		change(&options)
	}
	app := simnet.NewApp()
	app.Get("/stream", func(c *fiber.Ctx) error {
		return e.server.Sessions.Serve(c.Context(), options, simnet.SessionHandler{
			Opened:   func(s *simnet.Session) { e.opened <- s },
			Received: func(s *simnet.Session, data []byte) { s.Send("echo", data) },
			Ended:    func(s *simnet.Session) { e.ended <- s },
		})
	})
	app.Get("/stalled", func(c *fiber.Ctx) error {
		e.server.Stall(c.Context(), simcore.InjectedFault{FaultRequest: simcore.FaultRequest{Args: simcore.FaultArgs{DelayMs: 10}}})
		return nil
	})
	e.serve(app)
	return e
}

// serve serves until the end of the test.
func (e *edge) serve(app *fiber.App) {
	e.network = simtest.NewMemory("venue:80")
	e.server.Serve(app, e.network)
	e.Cleanup(func() {
		if err := e.server.Close(); err != nil {
			e.Error(err)
		}
		time.Sleep(simtest.HousekeepingMax)
	})
}

func (e *edge) dial() *websocket.Conn {
	e.Helper()
	conn, err := e.connect()
	if err != nil {
		e.Fatal(err)
	}
	e.Cleanup(func() { conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		e.Fatal(err)
	}
	return conn
}

func (e *edge) connect() (*websocket.Conn, error) {
	dialer := websocket.Dialer{NetDialContext: e.network.Dial}
	conn, _, err := dialer.Dial("ws://venue/stream", nil)
	return conn, err
}

func (e *edge) read(conn *websocket.Conn) string {
	e.Helper()
	_, data, err := conn.ReadMessage()
	if err != nil {
		e.Fatal(err)
	}
	return string(data)
}

func (e *edge) fault(text string) {
	e.Helper()
	var request simcore.FaultRequest
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		e.Fatal(err)
	}
	if _, err := e.faults.Add(request); err != nil {
		e.Fatal(err)
	}
}

func TestMessagesKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t, nil)
		conn := e.dial()
		s := <-e.opened
		for _, text := range []string{"a", "b", "c"} {
			s.Send("topic", []byte(text))
		}
		simtest.Equal(t, "messages", e.read(conn)+e.read(conn)+e.read(conn), "abc")
		if err := conn.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
			t.Fatal(err)
		}
		simtest.Equal(t, "message", e.read(conn), "hello")
		simtest.Equal(t, "sessions", e.server.Sessions.Count(), 1)
	})
}

func TestFaultsApplyToMessagesOfTheirTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct{ do, want string }{
			{"gap", "acde"}, {"duplicate", "abbcde"}, {"reorder", "acbde"}, {"rewrite", "a<html>cde"},
		} {
			e := newEdge(t, nil)
			e.fault(`{"match":{"path":"/stream","op":"hit"},"times":1,"args":{"new":"<html>"},"do":"` + test.do + `"}`)
			conn := e.dial()
			s := <-e.opened
			for _, text := range []string{"a", "b", "c", "d", "e"} {
				topic := "other"
				if text == "b" {
					topic = "hit"
				}
				s.Send(topic, []byte(text))
			}
			got := ""
			for len(got) < len(test.want) {
				got += e.read(conn)
			}
			if got != test.want {
				t.Errorf("%s: messages = %q, want %q", test.do, got, test.want)
			}
		}
	})
}

// The queue of a client that does not read is bounded, and a blocked write does not
// delay the end.
func TestSessionOfAClientThatDoesNotReadIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t, nil)
		e.dial()
		s := <-e.opened
		block := []byte(strings.Repeat("x", 1<<20))
		for range 40 {
			s.Send("topic", block)
		}
		<-e.ended
	})
}

func TestSessionsEnd(t *testing.T) {
	for name, test := range map[string]struct {
		options func(*simnet.SessionOptions)
		act     func(*edge, *simnet.Session, *websocket.Conn)
		code    int
	}{
		"by the server": {nil, func(_ *edge, s *simnet.Session, _ *websocket.Conn) {
			s.Close(websocket.ClosePolicyViolation, "because")
			s.Close(websocket.CloseNormalClosure, "too late")
			s.Send("topic", []byte("unsent"))
		}, websocket.ClosePolicyViolation},
		"all of them": {nil, func(e *edge, _ *simnet.Session, _ *websocket.Conn) {
			e.server.Sessions.CloseAll(websocket.CloseServiceRestart, "restart")
		}, websocket.CloseServiceRestart},
		"after LifetimeMax": {func(o *simnet.SessionOptions) { o.LifetimeMax = 20 * time.Millisecond }, nil, websocket.CloseNormalClosure},
		"after SilenceMax":  {func(o *simnet.SessionOptions) { o.SilenceMax = 20 * time.Millisecond }, nil, websocket.CloseAbnormalClosure},
		"for too many messages": {func(o *simnet.SessionOptions) { o.MessagesPerSecondMax = 2 }, func(_ *edge, _ *simnet.Session, conn *websocket.Conn) {
			for range 3 {
				_ = conn.WriteMessage(websocket.TextMessage, []byte("x"))
			}
		}, websocket.ClosePolicyViolation},
		"by a fault": {nil, func(e *edge, s *simnet.Session, _ *websocket.Conn) {
			e.fault(`{"match":{},"do":"drop_connection"}`)
			s.Send("topic", []byte("x"))
		}, websocket.CloseAbnormalClosure},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEdge(t, test.options)
				conn := e.dial()
				s := <-e.opened
				if test.act != nil {
					test.act(e, s, conn)
				}
				var err error
				for err == nil {
					_, _, err = conn.ReadMessage()
				}
				// Without a close frame the client sees the end of the connection.
				if closed, ok := errors.AsType[*websocket.CloseError](err); ok && closed.Code != test.code {
					t.Errorf("closed with %v, want %d", err, test.code)
				}
				<-e.ended
			})
		})
	}
}

// A session that is closed after its queue sends all of it before the close frame.
func TestCloseAfterQueueSendsTheQueue(t *testing.T) {
	const messages = 500
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t, nil)
		conn := e.dial()
		s := <-e.opened
		for range messages {
			s.Send("topic", []byte("queued"))
		}
		s.CloseAfterQueue(4001, "Login failed")
		n := 0
		_, _, err := conn.ReadMessage()
		for ; err == nil; _, _, err = conn.ReadMessage() {
			n++
		}
		if closed, ok := errors.AsType[*websocket.CloseError](err); n != messages || !ok || closed.Code != 4001 {
			t.Errorf("%d messages, then %v; want %d and the code 4001", n, err, messages)
		}
		<-e.ended
	})
}

func TestClosedServerAcceptsNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t, nil)
		conn := e.dial()
		<-e.opened
		if err := e.server.Close(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := conn.ReadMessage(); err == nil {
			t.Error("a session of a closed server is open, want it closed")
		}
		if _, err := e.connect(); err == nil {
			t.Error("a closed server accepts a session, want an error")
		}
		if e.server.Wait(time.Hour) {
			t.Error("Wait of a closed server = true, want false")
		}
	})
}

func TestStalledRequestEndsWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t, nil)
		transport := &http.Transport{DialContext: e.network.Dial}
		defer transport.CloseIdleConnections()
		response, err := (&http.Client{Transport: transport}).Get("http://venue/stalled")
		if err == nil {
			response.Body.Close()
			t.Errorf("status = %d, want no answer", response.StatusCode)
		}
	})
}
