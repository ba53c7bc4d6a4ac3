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
	"venuegate/venues/simcore/simtest"
)

// newOperator returns an edge whose endpoint executes each message as the operation
// named by its first word, and the count of executions.
func newOperator(t testing.TB) (*edge, *atomic.Int64) {
	t.Helper()
	e := &edge{TB: t, server: simnet.NewServer(zap.NewNop()), faults: &simcore.FaultInjector{}}
	var executed atomic.Int64
	app := simnet.NewApp()
	app.Get("/stream", func(c *fiber.Ctx) error {
		options := simnet.SessionOptions{Path: "/stream", InjectedFaults: e.faults}
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
					Reject: func(fault simcore.InjectedFault) []byte { return []byte("rejected: " + string(fault.Do)) },
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

func TestInjectedFaultsOfOperations(t *testing.T) {
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
		{"status", `{"match":{"op":"place"},"do":"status"}`, "rejected: status", 0},
		{"status after", `{"match":{"op":"place"},"do":"status","args":{"executed":true}}`, "rejected: status", 1},
		{"ban", `{"match":{"op":"place"},"do":"ban"}`, "rejected: ban", 0},
		{"maintenance", `{"match":{"op":"place"},"do":"maintenance"}`, "rejected: maintenance", 0},
		{"reject", `{"match":{"op":"place"},"do":"reject"}`, "rejected: reject", 0},
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
					t.Errorf("answer = %q, %v, want %q", data, err, test.answer)
				}
				if n := executed.Load(); n != test.executed {
					t.Errorf("executed %d times, want %d", n, test.executed)
				}
			})
		})
	}
}

func TestDelayedOperationDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _ := newOperator(t)
		e.fault(`{"match":{"op":"place"},"do":"delay","args":{"delayMs":100},"times":1}`)
		conn := e.dial()
		e.write(conn, "place 1")
		e.write(conn, "place 2")
		simtest.Equal(t, "answers", e.read(conn)+", "+e.read(conn), "did place 2, did place 1")
	})
}

// A delay ends when its fault is cleared, on sockets as for requests.
func TestDelayEndsWithItsFault(t *testing.T) {
	t.Parallel()
	e, _ := newOperator(t)
	e.fault(`{"match":{"op":"place"},"do":"delay","args":{"delayMs":600000},"times":1}`)
	conn := e.dial()
	e.write(conn, "place 1")
	e.write(conn, "place 2")
	simtest.Equal(t, "answer", e.read(conn), "did place 2")
	e.faults.Clear()
	simtest.Equal(t, "answer", e.read(conn), "did place 1")
}

func TestFaultsOfMessagesApplyToAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, executed := newOperator(t)
		e.fault(`{"match":{"op":"place"},"do":"duplicate","times":1}`)
		conn := e.dial()
		e.write(conn, "place 1")
		if got := e.read(conn) + ", " + e.read(conn); got != "did place 1, did place 1" || executed.Load() != 1 {
			t.Errorf("answers = %q, executed %d times, want %q, once", got, executed.Load(), "did place 1, did place 1")
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
		e.write(conn, "query 1")
		e.read(conn)
		began := time.Now()
		if err := e.server.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > time.Second || executed.Load() != 1 {
			t.Errorf("closed after %s, executed %d times, want at most 1s, once", took, executed.Load())
		}
	})
}
