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

	"venuegate/transport/console"
	"venuegate/venues"
)

// asBinary is an environment variable that makes the test binary run as venuegate:
// the same code as the built binary, with the race detector if the test has it.
const asBinary = "TEST_AS_VENUEGATE"

func TestMain(m *testing.M) {
	passwordCost = console.Cost{MemoryKiB: 8, Passes: 1}
	if os.Getenv(asBinary) != "" {
		main()
		return
	}
	status := m.Run()
	chromium.kill()
	if shared.process != nil {
		shared.kill()
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(status)
}

// process is venuegate in a separate process.
type process struct {
	t       testing.TB
	command *exec.Cmd
	out     lockedBuffer
	// ended is closed when the process has ended.
	ended chan struct{}
}

// start runs a command line. It kills the process at the end of the test and logs
// its output if the test failed.
func start(t testing.TB, args ...string) *process {
	t.Helper()
	p := launch(t, args...)
	t.Cleanup(func() {
		p.kill()
		p.logIfFailed(t)
	})
	return p
}

// launch runs a command line in a process that outlives the test.
func launch(t testing.TB, args ...string) *process {
	t.Helper()
	// t.Context ends before the cleanup that kills the process.
	p := &process{t: t, ended: make(chan struct{})}
	p.command = exec.CommandContext(context.Background(), os.Args[0], args...) //nolint:gosec // the test binary runs itself
	p.command.Env = append(os.Environ(), asBinary+"=1")
	p.command.Stdout, p.command.Stderr = &p.out, &p.out
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // exit checks the status
	}()
	return p
}

// logIfFailed logs the output if a test that uses the process failed.
func (p *process) logIfFailed(t testing.TB) {
	t.Helper()
	if t.Failed() {
		t.Logf("venuegate %s:\n%s", strings.Join(p.command.Args[1:], " "), p.out.String())
	}
}

// running reports whether the process has not ended.
func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// kill sends SIGKILL and waits until the process has ended.
func (p *process) kill() {
	_ = p.command.Process.Kill() // it may have ended
	<-p.ended
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// exit waits for the end and returns the status; -1 means killed by a signal.
func (p *process) exit() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode()
	case <-time.After(waitMax):
		p.t.Fatalf("process runs after %s, want it to end:\n%s", waitMax, p.out.String())
		return 0
	}
}

// startSimProcess runs the simulated venues in a process and returns their
// description.
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

// service is a running demo.
type service struct {
	*process
	t    testing.TB
	dir  string
	demo DemoFile
}

// startService runs a demo on a directory and waits until it is ready.
func startService(t testing.TB, dir string, args ...string) *service {
	t.Helper()
	before, _ := os.Stat(filepath.Join(dir, demoName))
	s := &service{t: t, dir: dir, process: start(t, demoCommand(dir, args...)...)}
	s.awaitDemo(before)
	return s
}

// shared is the demo of sharedService, once a test has used it.
var shared service

// sharedService returns a demo that runs until the last test has ended. Its tests neither
// stop it, nor add customers, nor depend on the orders of its customer.
func sharedService(t testing.TB) *service {
	t.Helper()
	s := &service{t: t}
	if shared.process == nil {
		dir, err := os.MkdirTemp("", "venuegate") //nolint:usetesting // it outlives the test
		if err != nil {
			t.Fatal(err)
		}
		shared = service{dir: dir, process: launch(t, demoCommand(dir)...)}
	}
	s.process, s.dir = shared.process, shared.dir
	t.Cleanup(func() { s.logIfFailed(t) })
	s.awaitDemo(nil)
	return s
}

func demoCommand(dir string, args ...string) []string {
	return append([]string{"serve", "--demo", "--data", dir, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, args...)
}

// awaitDemo waits until the demo is ready and described in another file than before.
func (s *service) awaitDemo(before os.FileInfo) {
	t := s.t
	t.Helper()
	eventually(t, "the service", func() bool {
		if !s.running() {
			t.Fatalf("the service ended:\n%s", s.out.String())
		}
		after, err := os.Stat(filepath.Join(s.dir, demoName))
		if err != nil || before != nil && os.SameFile(before, after) {
			return false
		}
		s.demo, err = readDemoFile(s.dir)
		return err == nil
	})
	if status, body := get(t, s.demo.AdminURL+"/readyz"); status != http.StatusOK {
		t.Fatalf("readyz of a described demo = %d %s, want 200", status, body)
	}
}

// record is a JSON object of a response.
type record map[string]any

// text returns a string member by its path, "" if there is none.
func (r record) text(path ...string) string {
	var value any = map[string]any(r)
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	text, _ := value.(string)
	return text
}

// items returns the items of a list.
func (r record) items() []record {
	list, _ := r["items"].([]any)
	items := make([]record, len(list))
	for i, each := range list {
		items[i], _ = each.(map[string]any)
	}
	return items
}

// call sends a request with a key and expects a status. If it expects 201 and gets
// 202, because the venue has not responded yet, it waits for the venue's response.
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

// trade is call with the key that has all scopes.
func (s *service) trade(status int, method, path, body string) record {
	s.t.Helper()
	return s.call(s.demo.APIKey, status, method, path, body)
}

// acknowledged waits until the venue has responded to an order.
func (s *service) acknowledged(key, id string) record {
	s.t.Helper()
	var found record
	eventually(s.t, "the acknowledgement of order "+id, func() bool {
		found = s.call(key, http.StatusOK, http.MethodGet, "/v1/orders/"+id, "")
		return !slices.Contains([]string{"pending", "unknown"}, found.text("status"))
	})
	return found
}

// order waits until an order has a status, and returns it.
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
	dialer := websocket.Dialer{HandshakeTimeout: waitMax}
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

// until reads until a message matches, and returns it.
func (k *socket) until(what string, is func(record) bool) record {
	k.t.Helper()
	if err := k.conn.SetReadDeadline(time.Now().Add(waitMax)); err != nil {
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

// closeCode reads until the connection is closed and returns the close code.
func (k *socket) closeCode() int {
	k.t.Helper()
	if err := k.conn.SetReadDeadline(time.Now().Add(waitMax)); err != nil {
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
