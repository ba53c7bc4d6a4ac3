package restclient

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"venuegate/venues"
)

// Limits of one exchange with a venue.
const (
	dialTimeout         = 5 * time.Second
	tlsHandshakeTimeout = 5 * time.Second
	idleConnTimeout     = 30 * time.Second
	// idleConnsMax is above what the service sends to a venue at the same time:
	// a burst of orders must not close connections for the next one to open.
	idleConnsMax           = 128
	responseHeaderBytesMax = 64 << 10
	timeoutDefault         = 10 * time.Second
	bodyBytesMaxDefault    = 8 << 20
	userAgentDefault       = "venuegate"
)

// Options of a Client.
type Options struct {
	// BaseURL is scheme, host and, for simulators, a path prefix; no slash at
	// the end.
	BaseURL string
	// Timeout bounds a request from its first byte to the last of its answer;
	// 10 s if zero. A context may be shorter.
	Timeout time.Duration
	// BodyBytesMax bounds an answer; 8 MiB if zero.
	BodyBytesMax int64
	// UserAgent is "venuegate" if empty.
	UserAgent string
	// Dial makes the network connections; the usual way if nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client sends requests to one host. It is safe for concurrent use.
type Client struct {
	options Options
	gate    *Gate
	// transport is used bare: an answer with a redirect is an answer like any
	// other, and there is nothing else that a net/http client would do.
	transport *http.Transport
}

// Call is one request with what decides when it may leave.
type Call struct {
	Lane  Lane
	Costs []Cost
	// Carrier sends the request another way, if set. What it proves not sent goes by
	// REST after all, under the Costs that are paid.
	Carrier Carrier
	// RESTCosts are what a request by REST costs besides.
	RESTCosts []Cost
	// Mutates says that the venue may change something because of it.
	Mutates bool
	// SendBy ends the wait at the gate, if set: a later request is of no use. It
	// does not shorten the wait for the answer.
	SendBy time.Time
	// Build makes the request at the moment when it may leave, so that its
	// timestamp is fresh. Its error means that nothing was sent.
	Build func() (Request, error)
}

// Carrier sends a request once, some other way than by REST, and gives the venue's
// answer the form of one by REST. Its errors are like those of Do.
type Carrier func(ctx context.Context) (*Answer, error)

// Request as it goes over the wire: Query and Body are sent exactly as they
// stand.
type Request struct {
	Method      string
	Path        string
	Query       string
	Body        string
	ContentType string
	Header      map[string]string
}

// Answer of a venue, of whatever status. Body is complete.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// New makes a client whose requests pass the gate.
func New(o Options, gate *Gate) *Client {
	o.Timeout = cmp.Or(o.Timeout, timeoutDefault)
	o.BodyBytesMax = cmp.Or(o.BodyBytesMax, bodyBytesMaxDefault)
	o.UserAgent = cmp.Or(o.UserAgent, userAgentDefault)
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	return &Client{options: o, gate: gate, transport: newTransport(o)}
}

func newTransport(o Options) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            o.Dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    tlsHandshakeTimeout,
		Protocols:              protocols,
		MaxIdleConnsPerHost:    idleConnsMax,
		IdleConnTimeout:        idleConnTimeout,
		MaxResponseHeaderBytes: responseHeaderBytesMax,
	}
}

// Close gives up the idle connections. Requests under way are not disturbed.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Do waits at the gate, sends the request once and reads the whole answer. Its
// errors are *venues.Error: rate_limited from the gate, else
// exchange_unavailable; those of a call that mutates are joined with
// venues.ErrNotSent or venues.ErrOutcomeUnknown. Errors of Build, and of a Carrier
// that may have sent the request, come back as they are.
func (c *Client) Do(ctx context.Context, call Call) (*Answer, error) {
	if call.Carrier == nil {
		return c.send(ctx, call, append(call.Costs[:len(call.Costs):len(call.Costs)], call.RESTCosts...))
	}
	if err := c.admit(ctx, call, call.Costs); err != nil {
		return nil, err
	}
	answer, err := call.Carrier(ctx)
	if errors.Is(err, venues.ErrNotSent) {
		return c.send(ctx, call, call.RESTCosts)
	}
	return answer, err
}

// send is Do by REST.
func (c *Client) send(ctx context.Context, call Call, costs []Cost) (*Answer, error) {
	if err := c.admit(ctx, call, costs); err != nil {
		return nil, err
	}
	request, err := call.Build()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	var headersWritten atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { headersWritten.Store(true) },
	})
	httpRequest, err := c.newRequest(ctx, request)
	if err != nil {
		return nil, call.notSent(unavailable(request, err))
	}
	answer, err := c.exchange(httpRequest)
	switch {
	case err == nil:
		return answer, nil
	case !headersWritten.Load():
		// The transport has closed the connection by now: no byte can follow.
		return nil, call.notSent(unavailable(request, err))
	case call.Mutates:
		return nil, unavailable(request, errors.Join(venues.ErrOutcomeUnknown, redact(err)))
	default:
		return nil, unavailable(request, err)
	}
}

// admit waits at the gate and takes the costs.
func (c *Client) admit(ctx context.Context, call Call, costs []Cost) error {
	if deadline, bounded := ctx.Deadline(); !call.SendBy.IsZero() && (!bounded || call.SendBy.Before(deadline)) {
		ctx = endsAt{ctx, call.SendBy}
	}
	lane := call.Lane
	if venues.IsResolving(ctx) {
		lane = min(lane, LaneResolve)
	}
	return call.notSent(c.gate.Wait(ctx, lane, costs...))
}

// endsAt is a context with an earlier deadline, for the gate: it never waits for
// longer than until then, so no timer is needed to end the wait.
type endsAt struct {
	context.Context
	deadline time.Time
}

func (c endsAt) Deadline() (deadline time.Time, bounded bool) { return c.deadline, true }

func (c *Client) newRequest(ctx context.Context, r Request) (*http.Request, error) {
	target := c.options.BaseURL + r.Path
	if r.Query != "" {
		target += "?" + r.Query
	}
	var body io.Reader = http.NoBody
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, target, body)
	if err != nil {
		return nil, err
	}
	request.GetBody = nil // without it the transport cannot send a body again
	if r.ContentType != "" {
		request.Header.Set("Content-Type", r.ContentType)
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	request.Header.Set("User-Agent", c.options.UserAgent)
	return request, nil
}

func (c *Client) exchange(request *http.Request) (*Answer, error) {
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, c.options.BodyBytesMax+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if int64(len(body)) > c.options.BodyBytesMax {
		return nil, fmt.Errorf("answer longer than %d bytes", c.options.BodyBytesMax)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}

// notSent joins the proof to the error of a call that mutates.
func (c Call) notSent(err error) error {
	if err == nil || !c.Mutates {
		return err
	}
	return NotSent(err)
}

func unavailable(r Request, cause error) *venues.Error {
	return venues.Errorf(venues.CodeExchangeUnavailable, "%s %s: no answer from the venue", r.Method, r.Path).
		Because(redact(cause))
}

// redact takes the URL, whose query holds the signature, out of an error.
func redact(err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		return withURL.Err
	}
	return err
}
