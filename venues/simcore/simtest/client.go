package simtest

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// WaitMax bounds the waits of a test.
const WaitMax = time.Minute

const pollInterval = 5 * time.Millisecond

// HousekeepingMax bounds how long the HTTP server's background goroutines outlive its
// listener.
const HousekeepingMax = time.Second

// Simulator is a simulated venue that is set up and not yet served.
type Simulator interface {
	Serve(venue, control net.Listener)
	Close() error
	Endpoints() simnet.Endpoints
	DemoAccount() simcore.AccountInfo
	Exchange() *simcore.Exchange
}

// Client is a client of a running simulator. Its methods fail the test where a call
// gets no answer at all; the test checks the content of the answer.
type Client struct {
	testing.TB
	Endpoints simnet.Endpoints
	// Credentials are those of the demo account.
	Credentials simcore.Credentials
	HTTP        *http.Client

	exchange *simcore.Exchange
	dial     func(context.Context, string, string) (net.Conn, error)
}

// Create returns a simulator that is not served yet.
func Create[Sim, Options any](t testing.TB, create func(Options) (Sim, error), options Options) Sim {
	t.Helper()
	sim, err := create(options)
	if err != nil {
		t.Fatal(err)
	}
	return sim
}

// Start serves a simulator on loopback until the test ends.
func Start(t testing.TB, sim Simulator) *Client {
	t.Helper()
	return start(t, sim, Listen(t), Listen(t), nil, 0)
}

// StartInMemory serves a simulator on listeners in memory until the test ends,
// for a test that runs in a bubble of virtual time.
func StartInMemory(t testing.TB, sim Simulator) *Client {
	t.Helper()
	venue, control := NewMemory("venue:80"), NewMemory("control:80")
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == control.address {
			return control.Dial(ctx, network, address)
		}
		return venue.Dial(ctx, network, address)
	}
	return start(t, sim, venue, control, dial, HousekeepingMax)
}

func start(
	t testing.TB, sim Simulator, venue, control net.Listener,
	dial func(context.Context, string, string) (net.Conn, error), linger time.Duration,
) *Client {
	t.Helper()
	sim.Serve(venue, control)
	c := &Client{
		TB: t, Endpoints: sim.Endpoints(), Credentials: sim.DemoAccount().Credentials,
		HTTP:     &http.Client{Timeout: WaitMax, Transport: &http.Transport{DialContext: dial}},
		exchange: sim.Exchange(), dial: dial,
	}
	t.Cleanup(func() {
		c.HTTP.CloseIdleConnections()
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(linger)
	})
	return c
}

// Listen opens a loopback listener.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// Now returns the venue's time.
func (c *Client) Now() time.Time { return c.exchange.Clock().Now() }

// Request returns an unsigned request to a path of the venue.
func (c *Client) Request(method, target, body string) *http.Request {
	c.Helper()
	return c.request(method, c.Endpoints.RestURL+target, body)
}

func (c *Client) request(method, address, body string) *http.Request {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), method, address, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	return request
}

// Do sends a request and returns the answer.
func (c *Client) Do(request *http.Request) Reply {
	c.Helper()
	response, err := c.HTTP.Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	return Reply{Request: describe(request), Status: response.StatusCode, Header: response.Header, Body: body}
}

// describe returns the method, the target and the body of a request.
func describe(request *http.Request) string {
	text := request.Method + " " + request.URL.RequestURI()
	if request.GetBody == nil {
		return text
	}
	if body, err := request.GetBody(); err == nil {
		sent, _ := io.ReadAll(body) // from memory
		text += " " + string(sent)
	}
	return text
}

// Control calls the control API.
func (c *Client) Control(method, path, body string) Reply {
	c.Helper()
	return c.Do(c.request(method, c.Endpoints.ControlURL+path, body))
}

// Script calls the control API, which must succeed.
func (c *Client) Script(method, path, body string) Object {
	c.Helper()
	r := c.Control(method, path, body)
	if r.Status != http.StatusOK {
		c.Fatalf("%s %s %s: %d %s", method, path, body, r.Status, r.Body)
	}
	return r.Object(c)
}

// InjectFault adds a fault by the control API.
func (c *Client) InjectFault(body string) {
	c.Helper()
	c.Script(http.MethodPost, "/faults", body)
}

// Market changes a market by the control API.
func (c *Client) Market(body string) {
	c.Helper()
	c.Script(http.MethodPost, "/market", body)
}

// PassFunding shifts the venue's clock over the next funding of a symbol and waits until
// it is paid.
func (c *Client) PassFunding(symbol string) {
	c.Helper()
	clock, before := c.exchange.Clock(), len(c.exchange.FundingPayments(symbol))
	mark, known := c.exchange.Mark(symbol)
	if !known {
		c.Fatalf("symbol %s is not listed", symbol)
	}
	offset := mark.NextFunding.Sub(clock.Base()).Truncate(time.Millisecond) + time.Millisecond
	c.Script(http.MethodPost, "/clock", `{"offsetMs":`+strconv.FormatInt(offset.Milliseconds(), 10)+`}`)
	c.WaitFor("funding", func() bool { return len(c.exchange.FundingPayments(symbol)) > before })
}

// DialRaw opens a WebSocket connection, which ends with the test.
func (c *Client) DialRaw(path string) *websocket.Conn {
	c.Helper()
	dialer := websocket.Dialer{NetDialContext: c.dial}
	conn, response, err := dialer.DialContext(c.Context(), c.Endpoints.WsURL+path, nil)
	if err != nil {
		c.Fatalf("dial %s: %v", path, err)
	}
	response.Body.Close()
	c.Cleanup(func() { conn.Close() })
	return conn
}

// Handshake opens and closes a WebSocket connection. It returns the HTTP status of the
// answer, zero if there is none.
func (c *Client) Handshake(path string) (status int) {
	c.Helper()
	dialer := websocket.Dialer{NetDialContext: c.dial}
	conn, response, err := dialer.DialContext(c.Context(), c.Endpoints.WsURL+path, nil)
	if err == nil {
		conn.Close()
	}
	if response == nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

// WaitFor polls until a condition holds.
func (c *Client) WaitFor(what string, holds func() bool) {
	c.Helper()
	deadline := time.After(WaitMax)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			c.Fatalf("timeout, want %s", what)
		}
	}
}
