package simnet_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// newOperator is an edge whose endpoint takes each message for the operation of
// its first word, and counts what it executes.
func newOperator(t testing.TB) (*edge, *atomic.Int64) {
	t.Helper()
	e := &edge{TB: t, server: simnet.NewServer(zap.NewNop()), faults: &simcore.Faults{}}
	var executed atomic.Int64
	app := simnet.NewApp()
	app.Get("/stream", func(c *fiber.Ctx) error {
		options := simnet.SessionOptions{Path: "/stream", Faults: e.faults}
		return e.server.Sessions.Serve(c.Context(), options, simnet.SessionHandler{
			Opened: func(*simnet.Session) {},
			Received: func(s *simnet.Session, data []byte) {
				name, _, _ := strings.Cut(string(data), " ")
				e.server.Operate(s, simnet.Operation{
					Name: name,
					Execute: func() []byte {
						executed.Add(1)
						return append([]byte("did "), data...)
					},
					Refuse: func(fault simcore.FaultInfo) []byte { return []byte("refused: " + string(fault.Do)) },
				})
			},
			Ended: func(*simnet.Session) {},
		})
	})
	e.serve(app)
	return e, &executed
}

func (e *edge) write(conn *websocket.Conn, text string) {
	e.Helper()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		e.Fatal(err)
	}
}

func TestFaultsOfOperations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, fault string
		// answer is empty where the connection ends instead.
		answer   string
		executed int64
	}{
		{"none", ``, "did place 1", 1},
		{"another operation", `{"match":{"path":"/stream","op":"cancel"},"do":"drop_connection"}`, "did place 1", 1},
		{"delay", `{"match":{"path":"/stream","op":"place"},"do":"delay","args":{"delayMs":20},"times":1}`, "did place 1", 1},
		{"timeout before", `{"match":{"op":"place"},"do":"timeout_before","args":{"delayMs":20}}`, "", 0},
		{"timeout after", `{"match":{"op":"place"},"do":"timeout_after","args":{"delayMs":20}}`, "", 1},
		{"dropped", `{"match":{"op":"place"},"do":"drop_connection"}`, "", 0},
		{"dropped after", `{"match":{"op":"place"},"do":"drop_connection","args":{"executed":true}}`, "", 1},
		{"status", `{"match":{"op":"place"},"do":"status"}`, "refused: status", 0},
		{"status after", `{"match":{"op":"place"},"do":"status","args":{"executed":true}}`, "refused: status", 1},
		{"ban", `{"match":{"op":"place"},"do":"ban"}`, "refused: ban", 0},
		{"maintenance", `{"match":{"op":"place"},"do":"maintenance"}`, "refused: maintenance", 0},
		{"reject", `{"match":{"op":"place"},"do":"reject"}`, "refused: reject", 0},
		{"rewrite", `{"match":{"op":"place"},"do":"rewrite","args":{"old":"place","new":"lost"}}`, "did lost 1", 1},
		{"rewrite all", `{"match":{"op":"place"},"do":"rewrite","args":{"new":"<html>"}}`, "<html>", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, executed := newOperator(t)
				if test.fault != "" {
					e.fault(test.fault)
				}
				conn := e.dial()
				e.write(conn, "place 1")
				_, data, err := conn.ReadMessage()
				if string(data) != test.answer || (err != nil) != (test.answer == "") {
					t.Errorf("%q, %v", data, err)
				}
				if n := executed.Load(); n != test.executed {
					t.Errorf("executed %d times", n)
				}
			})
		})
	}
}

func TestDelayedOperationDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _ := newOperator(t)
		e.fault(`{"match":{"op":"place"},"do":"delay","args":{"delayMs":100},"times":1}`)
		conn := e.dial()
		e.write(conn, "place 1")
		e.write(conn, "place 2")
		if got := e.read(conn) + ", " + e.read(conn); got != "did place 2, did place 1" {
			t.Error(got)
		}
	})
}

// A delay ends with its fault, on sockets as for requests.
func TestDelayEndsWithItsFault(t *testing.T) {
	t.Parallel()
	e, _ := newOperator(t)
	e.fault(`{"match":{"op":"place"},"do":"delay","args":{"delayMs":600000},"times":1}`)
	conn := e.dial()
	e.write(conn, "place 1")
	e.write(conn, "place 2")
	if got := e.read(conn); got != "did place 2" {
		t.Error(got)
	}
	e.faults.Clear()
	if got := e.read(conn); got != "did place 1" {
		t.Error(got)
	}
}

func TestAnswersOfOperationsMeetFaultsOfMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, executed := newOperator(t)
		e.fault(`{"match":{"op":"place"},"do":"duplicate","times":1}`)
		conn := e.dial()
		e.write(conn, "place 1")
		if got := e.read(conn) + ", " + e.read(conn); got != "did place 1, did place 1" || executed.Load() != 1 {
			t.Errorf("%s, executed %d times", got, executed.Load())
		}
	})
}

func TestCloseEndsDelayedOperations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, executed := newOperator(t)
		e.fault(`{"match":{"op":"place"},"do":"delay","args":{"delayMs":60000},"times":1}`)
		conn := e.dial()
		e.write(conn, "place 1")
		e.write(conn, "ask 1")
		e.read(conn)
		began := time.Now()
		if err := e.server.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > time.Second || executed.Load() != 1 {
			t.Errorf("took %s, executed %d", took, executed.Load())
		}
	})
}
