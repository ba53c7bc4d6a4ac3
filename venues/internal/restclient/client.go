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
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/exchange"
)

// Limits of a request.
const (
	// orderConnsMax bounds the connections for orders. An order for which there is none is
	// not sent.
	orderConnsMax       = 256
	dialTimeout         = 5 * time.Second
	tlsHandshakeTimeout = 5 * time.Second
	idleConnTimeout     = 30 * time.Second
	// idleConnsMax is above the number of requests that the service sends to a venue at
	// the same time: a burst of orders must not close connections that the next one opens
	// again.
	idleConnsMax           = 128
	responseHeaderBytesMax = 64 << 10
	timeoutDefault         = 10 * time.Second
	bodyBytesMaxDefault    = 8 << 20
	userAgentDefault       = "venuegate"
)

// Options of a Client.
type Options struct {
	// BaseURL is scheme, host and, for simulators, a path prefix, without a trailing
	// slash.
	BaseURL string
	// Timeout bounds a request from its first byte to the last byte of its answer; 10 s
	// if zero. A context may be shorter.
	Timeout time.Duration
	// BodyBytesMax bounds the body of an answer; 8 MiB if zero.
	BodyBytesMax int64
	// UserAgent is "venuegate" if empty.
	UserAgent string
	// Dial makes the network connections; nil uses the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client sends requests to one host. It is safe for concurrent use.
type Client struct {
	options Options
	gate    *Gate
	// transport is used without a net/http client: a redirect is an answer like any
	// other, and nothing else that the client does is required.
	transport *http.Transport
	// orders sends the calls of order entry.
	orders *exchange.Client
}

// Call is one request and the conditions for sending it.
type Call struct {
	Priority Priority
	Costs    []Cost
	// Transport, if set, sends the request another way. What it returns with ErrNotSent
	// is sent by REST, under the Costs that are already taken.
	Transport Transport
	// RESTCosts are the additional costs of a request by REST.
	RESTCosts []Cost
	// Mutates: the request may change something at the venue.
	Mutates bool
	// OrderEntry: the request places, amends or cancels an order. It is sent over the
	// connections of package exchange.
	OrderEntry bool
	// SendBy, if set, ends the wait at the gate: a later request would be useless. It
	// does not shorten the wait for the answer.
	SendBy time.Time
	// Build makes the request when it may be sent, so that its timestamp is fresh. If it
	// fails, nothing was sent.
	Build func() (Request, error)
}

// Transport sends a request once by other means than REST and returns the venue's answer
// in the form of a REST answer. Its errors are like those of Do.
type Transport func(ctx context.Context) (*Answer, error)

// Request is a request as it goes over the wire.
type Request = exchange.Request

// Answer is a complete answer of a venue, whatever its status.
type Answer = exchange.Answer

// New returns a client whose requests pass the gate.
func New(o Options, gate *Gate) *Client {
	o.Timeout = cmp.Or(o.Timeout, timeoutDefault)
	o.BodyBytesMax = cmp.Or(o.BodyBytesMax, bodyBytesMaxDefault)
	o.UserAgent = cmp.Or(o.UserAgent, userAgentDefault)
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	return &Client{options: o, gate: gate, transport: newTransport(o), orders: newOrders(o)}
}

func tlsConfig() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS12} }

func newOrders(o Options) *exchange.Client {
	return exchange.New(exchange.Options{
		BaseURL: o.BaseURL, UserAgent: o.UserAgent, Dial: o.Dial, TLS: tlsConfig(),
		Timeout: o.Timeout, HandshakeTimeout: tlsHandshakeTimeout, IdleTimeout: idleConnTimeout,
		ConnsMax: orderConnsMax, HeadBytesMax: responseHeaderBytesMax, BodyBytesMax: int(o.BodyBytesMax),
	})
}

func newTransport(o Options) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            o.Dial,
		TLSClientConfig:        tlsConfig(),
		TLSHandshakeTimeout:    tlsHandshakeTimeout,
		Protocols:              protocols,
		MaxIdleConnsPerHost:    idleConnsMax,
		IdleConnTimeout:        idleConnTimeout,
		MaxResponseHeaderBytes: responseHeaderBytesMax,
	}
}

// Close closes idle connections. Requests in progress continue.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	c.orders.Close()
}

// Do waits at the gate, sends the request once and reads the whole answer. Its errors are
// *venues.Error: rate_limited from the gate, else exchange_unavailable. Those of a call
// that mutates are joined with venues.ErrNotSent or venues.ErrOutcomeUnknown. Errors of
// Build, and of a Transport that may have sent the request, are returned unchanged.
func (c *Client) Do(ctx context.Context, call Call) (*Answer, error) {
	if call.Transport == nil {
		return c.send(ctx, call, append(call.Costs[:len(call.Costs):len(call.Costs)], call.RESTCosts...))
	}
	if err := c.admit(ctx, call, call.Costs); err != nil {
		return nil, err
	}
	answer, err := call.Transport(ctx)
	if errors.Is(err, venues.ErrNotSent) {
		return c.send(ctx, call, call.RESTCosts)
	}
	return answer, err
}

// send sends a call by REST.
func (c *Client) send(ctx context.Context, call Call, costs []Cost) (*Answer, error) {
	if err := c.admit(ctx, call, costs); err != nil {
		return nil, err
	}
	request, err := call.Build()
	if err != nil {
		return nil, err
	}
	roundTrip := c.roundTrip
	if call.OrderEntry {
		roundTrip = c.orders.Do
	}
	answer, sent, err := roundTrip(ctx, request)
	switch {
	case err == nil:
		return answer, nil
	case !sent:
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
	return call.notSent(c.gate.Wait(ctx, priorityOf(ctx, call.Priority), costs...))
}

// priorityOf returns the priority of a request with the given one: that of a read follows from
// its purpose, if ctx states it.
func priorityOf(ctx context.Context, priority Priority) Priority {
	switch {
	case venues.IsOutcomeQuery(ctx):
		return min(priority, PriorityOutcome)
	case venues.HasCaller(ctx):
		return min(priority, PriorityRead)
	case venues.IsRoutineRead(ctx) && priority == PriorityReconcile:
		return PriorityHistory
	}
	return priority
}

// endsAt is a context with an earlier deadline, for the gate. The gate never waits beyond
// the deadline, so no timer is needed.
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
	request, err := http.NewRequestWithContext(ctx, r.Method, target, strings.NewReader(r.Body))
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

// roundTrip sends a request by net/http. sent reports whether its whole header was written:
// without it the transport has closed the connection already, so no byte can follow.
func (c *Client) roundTrip(ctx context.Context, r Request) (answer *Answer, sent bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	var headersWritten atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { headersWritten.Store(true) },
	})
	request, err := c.newRequest(ctx, r)
	if err != nil {
		return nil, false, err
	}
	answer, err = c.readAnswer(request)
	return answer, headersWritten.Load(), err
}

func (c *Client) readAnswer(request *http.Request) (*Answer, error) {
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

// notSent joins ErrNotSent to the error of a call that mutates.
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

// redact removes the URL from an error: its query holds the signature.
func redact(err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		return withURL.Err
	}
	return err
}

// RetryAfter returns the time in an answer's Retry-After header, at most longest; zero if
// the header is not a number of seconds.
func RetryAfter(header http.Header, longest time.Duration) time.Duration {
	seconds, err := strconv.Atoi(strings.TrimSpace(header.Get("Retry-After")))
	if err != nil || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, int(longest/time.Second))) * time.Second
}
