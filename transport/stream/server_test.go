package stream_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/listen"
	"venuegate/transport/pipetest"
	"venuegate/transport/stream"
	"venuegate/venues"
)

// TestMain starts the permanent goroutines of fasthttp outside of virtual time, and
// detects leaked goroutines.
func TestMain(m *testing.M) {
	pipetest.WarmUp()
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}

// fakeKeys is an Authenticator: a token is "customer" or "customer/scope,scope".
type fakeKeys struct {
	mu        sync.Mutex
	errors    map[string]error
	names     map[string]string
	expiry    map[string]time.Time
	callCount int
	// seen, if set, is called with every token.
	seen func(token string)
}

func (k *fakeKeys) Authenticate(_ context.Context, token string, _ netip.Addr) (auth.Principal, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.callCount++
	if k.seen != nil {
		k.seen(token)
	}
	if token == "panic" {
		panic("bug of the authenticator")
	}
	if err := k.errors[token]; err != nil {
		return auth.Principal{}, err
	}
	if name, renamed := k.names[token]; renamed {
		token = name
	}
	customer, scopes, _ := strings.Cut(token, "/")
	p := auth.Principal{Customer: customer, KeyID: "key_" + token, ExpiresAt: k.expiry[token]}
	if scopes == "" {
		scopes = "read,account"
	}
	for scope := range strings.SplitSeq(scopes, ",") {
		p.Scopes = append(p.Scopes, persistence.Scope(scope))
	}
	return p, nil
}

// setError sets the error for a token; nil makes it valid again.
func (k *fakeKeys) setError(token string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.errors == nil {
		k.errors = make(map[string]error)
	}
	k.errors[token] = err
}

// expire sets when a token expires. It stays valid after that, so that only the connection
// can notice.
func (k *fakeKeys) expire(token string, at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.expiry = map[string]time.Time{token: at}
}

// rename makes a token equivalent to another one.
func (k *fakeKeys) rename(token, as string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.names = map[string]string{token: as}
}

func (k *fakeKeys) calls() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.callCount
}

var errWrongKey = venues.Errorf(venues.CodeUnauthorized, "the API key is missing, wrong or expired")

var nop = zap.NewNop()

// server is a hub behind Fiber, with its own feed and keys.
type server struct {
	t    testing.TB
	feed *fakeFeed
	keys *fakeKeys
	hub  *stream.Hub
	app  *fiber.App
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// stop ends everything, stopApp everything except the hub.
	stop    func()
	stopApp func()
}

const idleWorkerMax = 10 * time.Millisecond

func newApp() *fiber.App {
	app := fiber.New(fiber.Config{
		DisableStartupMessage: true, Immutable: true,
		ErrorHandler: func(c *fiber.Ctx, err error) error {
			failure, ok := errors.AsType[*venues.Error](err)
			if !ok {
				failure = venues.Errorf(venues.CodeInternal, "%v", err)
			}
			return c.Status(api.Status(failure.Code)).Send(api.AppendError(nil, failure, "req_1"))
		},
	})
	app.Server().MaxIdleWorkerDuration = idleWorkerMax
	return app
}

// newServer starts a server on an in-memory network, or over TCP.
func newServer(t testing.TB, options stream.Options, tcp bool, configure ...func(*fiber.App)) *server {
	t.Helper()
	feed := newFakeFeed()
	s := newServerOver(t, feed, options, tcp, configure...)
	s.feed = feed
	return s
}

// newServerOver is newServer with another feed.
func newServerOver(t testing.TB, feed stream.Feed, options stream.Options, tcp bool, configure ...func(*fiber.App)) *server {
	t.Helper()
	s := &server{t: t, keys: &fakeKeys{}, app: newApp()}
	for _, f := range configure {
		f(s.app)
	}
	var listener net.Listener
	if tcp {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listener = l
		s.dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", l.Addr().String())
		}
	} else {
		l := pipetest.Listen()
		listener, s.dial = l, l.DialContext
	}
	hub, err := stream.New(stream.Deps{Feed: feed, Auth: s.keys, Log: nop}, options)
	if err != nil {
		t.Fatal(err)
	}
	s.hub = hub
	s.app.Get("/v1/stream", hub.Handler)
	served := make(chan error, 1)
	go func() { served <- s.app.Listener(listen.HTTP(listener, api.StreamFrameBytesMax)) }()
	s.stopApp = sync.OnceFunc(func() {
		if err := s.app.ShutdownWithTimeout(testTimeout); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if !tcp { // wait for the cleaner of fasthttp, which sleeps in virtual time
			time.Sleep(2 * idleWorkerMax)
		}
	})
	s.stop = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		if err := hub.Close(ctx); err != nil {
			t.Error(err)
		}
		s.stopApp()
	})
	t.Cleanup(s.stop)
	return s
}

// client is a WebSocket client. Unexpected messages fail the test.
type client struct {
	t  testing.TB
	ws *websocket.Conn
}

// handshake is the HTTP response to an upgrade.
type handshake struct {
	status int
	header http.Header
	body   string
}

// upgrade tries to connect.
func (s *server) upgrade(header http.Header) (*websocket.Conn, handshake, error) {
	return s.upgradeBy(websocket.Dialer{HandshakeTimeout: testTimeout}, header)
}

func (s *server) upgradeBy(dialer websocket.Dialer, header http.Header) (*websocket.Conn, handshake, error) {
	dialer.NetDialContext = s.dial
	ws, response, err := dialer.Dial("ws://stream.test/v1/stream", header)
	if response == nil {
		return ws, handshake{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, readErr := io.ReadAll(response.Body)
	return ws, handshake{response.StatusCode, response.Header, string(body)}, errors.Join(err, readErr)
}

// connect opens a connection and reads the welcome.
func (s *server) connect() *client {
	s.t.Helper()
	ws, response, err := s.upgrade(nil)
	if err != nil {
		s.t.Fatalf("connect: %v, response %+v", err, response)
	}
	c := &client{t: s.t, ws: ws}
	s.t.Cleanup(c.close)
	if welcome := c.next(); welcome.Op != "welcome" {
		s.t.Fatalf("message = %+v, want welcome", welcome)
	}
	return c
}

// login connects and authenticates.
func (s *server) login(token string) *client {
	s.t.Helper()
	c := s.connect()
	c.send(`{"op":"auth","token":"` + token + `"}`)
	if reply := c.next(); reply.Op != "auth" || !reply.OK {
		s.t.Fatalf("message = %+v, want the reply to auth", reply)
	}
	return c
}

func (c *client) close() { _ = c.ws.Close() }

func (c *client) send(text string) {
	c.t.Helper()
	if err := c.ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		c.t.Fatalf("send %s: %v", text, err)
	}
}

func (c *client) subscribe(topics ...string) message {
	c.t.Helper()
	c.send(`{"op":"subscribe","channels":["` + strings.Join(topics, `","`) + `"]}`)
	return c.next()
}

// message is any frame of the server.
type message struct {
	Op       string         `json:"op"`
	ID       any            `json:"id"`
	OK       bool           `json:"ok"`
	Scopes   []string       `json:"scopes"`
	Channels []string       `json:"channels"`
	Rejected []rejection    `json:"rejected"`
	Code     int            `json:"code"`
	Message  string         `json:"message"`
	Details  map[string]any `json:"details"`
	Channel  string         `json:"channel"`
	Type     string         `json:"type"`
	Seq      uint64         `json:"seq"`
	Missed   *uint64        `json:"missed"`
	Data     jsontext.Value `json:"data"`
	Rest     map[string]any `json:",embed"`
	text     string
}

type rejection struct {
	Channel string `json:"channel"`
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
}

// next reads the next frame.
func (c *client) next() message {
	c.t.Helper()
	m, err := c.read()
	if err != nil {
		c.t.Fatalf("read: %v", err)
	}
	return m
}

// testTimeout bounds the waits of a client, far beyond every limit of the hub.
const testTimeout = 2 * time.Minute

func (c *client) read() (message, error) {
	_ = c.ws.SetReadDeadline(time.Now().Add(testTimeout))
	_, data, err := c.ws.ReadMessage()
	if err != nil {
		return message{}, err
	}
	m := message{text: string(data)}
	if err := json.Unmarshal(data, &m); err != nil {
		return message{}, errors.Join(err, errors.New(string(data)))
	}
	return m, nil
}

// wantError reads an error frame.
func (c *client) wantError(code api.StreamCode) message {
	c.t.Helper()
	m := c.next()
	if m.Op != "error" || m.Code != int(code) {
		c.t.Fatalf("message = %s, want error %d", m.text, code)
	}
	return m
}

// wantOnly reads a private message of a customer.
func (c *client) wantOnly(customer string) {
	c.t.Helper()
	if m := c.next(); strings.Count(m.text, "canary-") != 1 || !strings.Contains(m.text, `"canary-`+customer+`"`) {
		c.t.Fatalf("message = %s, want only data of %s", m.text, customer)
	}
}

// wantClosed reads a close frame, with no message before it.
func (c *client) wantClosed(code int) {
	c.t.Helper()
	m, err := c.read()
	if err == nil {
		c.t.Fatalf("message = %s, want close %d", m.text, code)
	}
	if e, ok := errors.AsType[*websocket.CloseError](err); !ok || e.Code != code {
		c.t.Fatalf("error = %v, want close %d", err, code)
	}
}

// eventually waits for a condition in real time.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !condition() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("timeout, want %s", what)
		}
	}
}
