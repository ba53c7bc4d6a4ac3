package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues"
)

// asBinary in the environment makes the test binary be venuegate: the same code
// as the built one, with the race detector if the test has it.
const asBinary = "TEST_AS_VENUEGATE"

func TestMain(m *testing.M) {
	if os.Getenv(asBinary) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process is venuegate as a process of its own.
type process struct {
	t       testing.TB
	command *exec.Cmd
	out     lockedBuffer
	// ended is closed when the process is gone; state then says how.
	ended chan struct{}
}

// start runs a command line. A process that still runs at the end of the test
// is killed, and its log is shown if the test failed.
func start(t testing.TB, args ...string) *process {
	t.Helper()
	// The process outlives no test, but t.Context ends before cleanups do.
	p := &process{t: t, ended: make(chan struct{})}
	p.command = exec.CommandContext(context.Background(), os.Args[0], args...) //nolint:gosec // the test binary runs itself
	p.command.Env = append(os.Environ(), asBinary+"=1")
	p.command.Stdout, p.command.Stderr = &p.out, &p.out
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // the status is looked at by whoever expects one
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("venuegate %s:\n%s", strings.Join(args, " "), p.out.String())
		}
	})
	return p
}

// running says whether the process lives.
func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// kill ends the process as a power cut would, and waits until it is gone.
func (p *process) kill() {
	_ = p.command.Process.Kill() // it may be gone
	<-p.ended
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// exit waits for the end and gives the status; -1 is death by a signal.
func (p *process) exit() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("still running after %s:\n%s", patience, p.out.String())
		return 0
	}
}

// startSimProcess runs the simulated venues as a process and describes them.
func startSimProcess(t testing.TB, args ...string) (file string, described map[venues.Venue]SimVenue) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "sim.json")
	p := start(t, append([]string{"sim", "--quiet-market", "--out", file}, args...)...)
	eventually(t, "the simulated venues", func() bool {
		var err error
		described, err = readSimFile(file)
		if !p.running() {
			t.Fatalf("the simulators ended:\n%s", p.out.String())
		}
		return err == nil
	})
	return file, described
}

// service is a demo that serves.
type service struct {
	*process
	t    testing.TB
	dir  string
	demo DemoFile
}

// startService runs a demo on a directory and waits until it serves.
func startService(t testing.TB, dir string, args ...string) *service {
	t.Helper()
	before, _ := os.Stat(filepath.Join(dir, demoName))
	s := &service{t: t, dir: dir}
	s.process = start(t, append([]string{"serve", "--demo", "--data", dir, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, args...)...)
	eventually(t, "the service", func() bool {
		if !s.running() {
			t.Fatalf("the service ended:\n%s", s.out.String())
		}
		after, err := os.Stat(filepath.Join(dir, demoName))
		if err != nil || before != nil && os.SameFile(before, after) {
			return false
		}
		s.demo, err = readDemoFile(dir)
		return err == nil
	})
	if status, body := get(t, s.demo.AdminURL+"/readyz"); status != http.StatusOK {
		t.Fatalf("described, but not ready: %d %s", status, body)
	}
	return s
}

// record is a JSON object of an answer.
type record map[string]any

// text finds a string member by its path; "" where there is none.
func (r record) text(path ...string) string {
	var value any = map[string]any(r)
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	text, _ := value.(string)
	return text
}

// items are the members of a list.
func (r record) items() []record {
	list, _ := r["items"].([]any)
	items := make([]record, len(list))
	for i, each := range list {
		items[i], _ = each.(map[string]any)
	}
	return items
}

// call sends a request with a key and expects a status. Where that is 201 and the
// answer came before the venue's, 202, it waits for the latter.
func (s *service) call(key string, status int, method, path, body string) record {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.demo.BaseURL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	got, text := do(s.t, request)
	pending := status == http.StatusCreated && got == http.StatusAccepted
	if got != status && !pending {
		s.t.Fatalf("%s %s %s: status %d, want %d: %s", method, path, body, got, status, text)
	}
	var answer record
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		s.t.Fatalf("%s %s: %v: %s", method, path, err, text)
	}
	if pending {
		return s.acknowledged(key, answer.text("orderId"))
	}
	return answer
}

// trade is call with the key that may do everything.
func (s *service) trade(status int, method, path, body string) record {
	s.t.Helper()
	return s.call(s.demo.APIKey, status, method, path, body)
}

// acknowledged waits for an order to which the venue had not said anything when the
// request was answered.
func (s *service) acknowledged(key, id string) record {
	s.t.Helper()
	var found record
	eventually(s.t, "the acknowledgement of order "+id, func() bool {
		found = s.call(key, http.StatusOK, http.MethodGet, "/v1/orders/"+id, "")
		return !slices.Contains([]string{"pending", "unknown"}, found.text("status"))
	})
	return found
}

// order waits until an order has a status, and gives it.
func (s *service) order(id, status string) record {
	s.t.Helper()
	var found record
	eventually(s.t, "order "+id+" to be "+status, func() bool {
		found = s.trade(http.StatusOK, http.MethodGet, "/v1/orders/"+id, "")
		return found.text("status") == status
	})
	return found
}

// socket is a connection to the stream, authenticated and subscribed.
type socket struct {
	t    testing.TB
	conn *websocket.Conn
}

func (s *service) subscribe(channels ...string) *socket {
	s.t.Helper()
	dialer := websocket.Dialer{HandshakeTimeout: patience}
	conn, response, err := dialer.DialContext(s.t.Context(), s.demo.WSURL, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response.Body.Close()
	s.t.Cleanup(func() { conn.Close() })
	k := &socket{t: s.t, conn: conn}
	k.write(fmt.Sprintf(`{"op":"auth","token":%q}`, s.demo.APIKey))
	list, err := json.Marshal(channels)
	if err != nil {
		s.t.Fatal(err)
	}
	k.write(fmt.Sprintf(`{"op":"subscribe","channels":%s}`, list))
	k.until("the acknowledgement", func(m record) bool { return m.text("op") == "subscribe" })
	return k
}

func (k *socket) write(text string) {
	k.t.Helper()
	if err := k.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		k.t.Fatal(err)
	}
}

// until reads to the message that is awaited, and gives it.
func (k *socket) until(what string, is func(record) bool) record {
	k.t.Helper()
	if err := k.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		k.t.Fatal(err)
	}
	for {
		_, text, err := k.conn.ReadMessage()
		if err != nil {
			k.t.Fatalf("waiting for %s: %v", what, err)
		}
		var m record
		if err := json.Unmarshal(text, &m); err != nil {
			k.t.Fatalf("%v: %s", err, text)
		}
		if is(m) {
			return m
		}
	}
}

// closeCode reads to the end and gives its code.
func (k *socket) closeCode() int {
	k.t.Helper()
	if err := k.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		k.t.Fatal(err)
	}
	for {
		if _, _, err := k.conn.ReadMessage(); err != nil {
			if closed, ok := err.(*websocket.CloseError); ok { //nolint:errorlint // the library gives it bare
				return closed.Code
			}
			k.t.Fatal(err)
		}
	}
}
