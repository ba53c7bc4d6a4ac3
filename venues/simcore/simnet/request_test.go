package simnet_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// counted is a request that counts its executions.
type counted struct {
	venue    *simnet.Venue
	executed *atomic.Int64
	answer   string
}

func (r *counted) Execute() bool {
	r.executed.Add(1)
	r.answer = "done"
	return true
}

func (r *counted) Reject(fault simcore.InjectedFault) { r.answer = "rejected: " + string(fault.Do) }

func (r *counted) Respond(c *fiber.Ctx) error { return r.venue.Respond(c, http.StatusOK, r.answer) }

// startCounting serves a venue that answers requests on /order and accepts sessions
// on /stream. It returns a client and the count of executed requests.
func startCounting(t *testing.T) (*simtest.Client, *atomic.Int64) {
	t.Helper()
	v, err := simnet.NewVenue(simnet.Setup{Quiet: true}, rules())
	if err != nil {
		t.Fatal(err)
	}
	var executed atomic.Int64
	v.SetProtocol(simnet.Protocol{Step: func() {}, Routes: func(app *fiber.App) {
		app.Post("/order", func(c *fiber.Ctx) error { return v.Answer(c, &counted{venue: v, executed: &executed}) })
		app.Get("/stream", func(c *fiber.Ctx) error {
			return v.Upgrade(c, simnet.SessionOptions{}, simnet.SessionHandler{
				Opened: func(s *simnet.Session) { s.Send("hello", []byte(`{"path":"`+s.Path()+`"}`)) },
				Ended:  func(*simnet.Session) {},
			})
		})
	}})
	return simtest.Start(t, v), &executed
}

func TestInjectedFaultsOfRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, fault string
		// status is 0 where the connection ends without an answer.
		status   int
		body     string
		executed int64
	}{
		{"none", ``, 200, `"done"`, 1},
		{"another method", `"match":{"op":"GET"},"do":"drop_connection"`, 200, `"done"`, 1},
		{"delay", `"do":"delay","args":{"delayMs":10}`, 200, `"done"`, 1},
		{"delay is done once", `"do":"delay","args":{"delayMs":10,"executed":true}`, 200, `"done"`, 1},
		{"timeout before", `"do":"timeout_before","args":{"delayMs":10}`, 0, "", 0},
		{"timeout after", `"do":"timeout_after","args":{"delayMs":10}`, 0, "", 1},
		{"dropped", `"do":"drop_connection"`, 0, "", 0},
		{"dropped after", `"do":"drop_connection","args":{"executed":true}`, 0, "", 1},
		{"status", `"do":"status"`, 503, "<html><body><h1>503 Service Unavailable</h1></body></html>", 0},
		{"status after", `"do":"status","args":{"status":502,"body":"{}","executed":true}`, 502, "{}", 1},
		{"ban", `"do":"ban"`, 200, `"rejected: ban"`, 0},
		{"maintenance after", `"do":"maintenance","args":{"executed":true}`, 200, `"rejected: maintenance"`, 1},
		{"reject", `"do":"reject"`, 200, `"rejected: reject"`, 0},
		{"rewrite", `"do":"rewrite","args":{"old":"done","new":"gone"}`, 200, `"gone"`, 1},
		{"rewrite all", `"do":"rewrite","args":{"new":"<html>"}`, 200, "<html>", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, executed := startCounting(t)
			if test.fault != "" {
				client.InjectFault("{" + test.fault + "}")
			}
			status, body := post(t, client, "/order")
			if status != test.status || body != test.body || executed.Load() != test.executed {
				t.Errorf("%d %s, executed %d times, want %d %s, %d times", status, body, executed.Load(), test.status, test.body, test.executed)
			}
		})
	}
}

// post returns status 0 where the connection ends without an answer.
func post(t *testing.T, client *simtest.Client, path string) (status int, body string) {
	t.Helper()
	response, err := client.HTTP.Do(client.Request(http.MethodPost, path, ""))
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

func TestInjectedFaultsOfHandshakes(t *testing.T) {
	t.Parallel()
	client, _ := startCounting(t)
	for _, test := range []struct {
		fault  string
		status int
	}{
		{`{"match":{"path":"/stream"},"do":"status","args":{"status":429}}`, http.StatusTooManyRequests},
		{`{"match":{"path":"/stream"},"do":"maintenance"}`, http.StatusServiceUnavailable},
		{`{"match":{"path":"/stream","op":"GET"},"do":"drop_connection"}`, 0},
		{`{"match":{"path":"/stream"},"do":"timeout_before","args":{"delayMs":10}}`, 0},
	} {
		client.Script(http.MethodDelete, "/faults", "")
		client.InjectFault(test.fault)
		status := 0
		response, err := client.HTTP.Do(client.Request(http.MethodGet, "/stream", ""))
		if err == nil {
			status = response.StatusCode
			response.Body.Close()
		}
		if status != test.status {
			t.Errorf("%s: status = %d, %v, want %d", test.fault, status, err, test.status)
		}
	}
	client.Script(http.MethodDelete, "/faults", "")
	if m := client.Dial("/stream").Next(); m["path"] != "/stream" {
		t.Errorf("message = %v, want path /stream", m)
	}
}

func TestTopics(t *testing.T) {
	t.Parallel()
	l := simnet.Topics[int]{}
	for i, step := range []bool{l.Add("a", 1), !l.Add("a", 2), !l.Add("a", 2), l.Add("b", 1), !l.Remove("a", 1), l.Remove("a", 2), l.Remove("a", 2)} {
		if !step {
			t.Errorf("step %d = false, want true", i)
		}
	}
	if len(l) != 1 || !l.Has("b") || l.Has("a") {
		t.Errorf("topics = %v, want b alone", l)
	}
	if l.RemoveAll(1); len(l) != 0 {
		t.Errorf("topics = %v, want none", l)
	}
}
