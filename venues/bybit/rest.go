package bybit

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/restclient"
)

const (
	// requestsPer5s is the rate limit of an address over all hosts.
	requestsPer5s = 600
	// timestampLag is subtracted from timestamps: the venue rejects one that is more than
	// a second ahead, whatever the window.
	timestampLag = 200 * time.Millisecond

	category        = "linear"
	jsonContentType = "application/json"
)

// request is one REST request before it is signed.
type request struct {
	method string
	path   string
	params restclient.Params // of a GET
	body   any               // of a POST, as JSON
	// account signs the request; nil for public ones.
	account  *Account
	priority restclient.Priority
	mutates  bool
	// orderEntry: the request places, amends or cancels an order.
	orderEntry bool
	// deadline, by the local clock, after which the venue must not execute the request.
	// Zero means that RecvWindow counts from the time of signing.
	deadline time.Time
}

// call executes a request and decodes its result into out, if not nil; see
// connector.Core.Retry.
func (c *Connector) call(ctx context.Context, r request, out any) error {
	return c.Retry(ctx, r.account != nil, func() error { return c.once(ctx, r, out) })
}

// once executes a request, over the connection for orders or by REST, which also uses the
// rate limit of this address.
func (c *Connector) once(ctx context.Context, r request, out any) error {
	return c.Send(ctx, connector.Call{
		Method: r.method, Path: r.path,
		Call: restclient.Call{
			Priority: r.priority, Costs: r.costs(), Transport: r.transport(), RESTCosts: []restclient.Cost{{Budget: c.requests, Units: 1}},
			Mutates: r.mutates, OrderEntry: r.orderEntry, SendBy: r.deadline,
			Build: func() (restclient.Request, error) { return c.build(r, time.Now()) },
		},
		Read: func(a *restclient.Answer) ([]byte, error) {
			c.observe(r, a)
			return c.classify(r, a)
		},
	}, out)
}

// costs returns the costs of a request for the account: one unit of the endpoint's limit.
func (r request) costs() []restclient.Cost {
	if budget := r.budget(); budget != nil {
		return []restclient.Cost{{Budget: budget, Units: 1}}
	}
	return nil
}

// budget returns the account's budget for the endpoint; nil if it has none.
func (r request) budget() *restclient.Budget {
	if r.account == nil {
		return nil
	}
	return r.account.budgets[r.path]
}

// build makes the request, signed at the time now.
func (c *Connector) build(r request, now time.Time) (restclient.Request, error) {
	wire := restclient.Request{Method: r.method, Path: r.path, Query: r.params.Encode()}
	if r.body != nil {
		body, err := json.Marshal(r.body)
		if err != nil {
			return wire, restclient.NotSent(err)
		}
		wire.Body, wire.ContentType = string(body), jsonContentType
	}
	if r.account == nil {
		return wire, nil
	}
	timestamp, recvWindow, err := c.stamp(r, now)
	if err != nil {
		return wire, restclient.NotSent(err)
	}
	credentials := r.account.credentials
	wire.Header = map[string]string{
		"X-Bapi-Api-Key":     credentials.APIKey.Reveal(),
		"X-Bapi-Timestamp":   timestamp,
		"X-Bapi-Recv-Window": recvWindow,
		"X-Bapi-Sign-Type":   "2",
		"X-Bapi-Sign":        sign(credentials.APISecret, timestamp, credentials.APIKey, recvWindow, wire.Query+wire.Body),
	}
	return wire, nil
}

// stamp returns the timestamp of a request that is sent now, in the venue's time, and its
// receive window.
func (c *Connector) stamp(r request, now time.Time) (timestamp, recvWindow string, err error) {
	window, err := connector.RecvWindow(c.options.RecvWindow, now, r.deadline, timestampLag)
	if err != nil {
		return "", "", err
	}
	return formatMillis(now.Add(c.Clock.Offset() - timestampLag)), strconv.FormatInt(window.Milliseconds(), 10), nil
}

// observe passes the venue's own counters to the gate.
func (c *Connector) observe(r request, answer *restclient.Answer) {
	budget := r.budget()
	limit, err := strconv.Atoi(answer.Header.Get("X-Bapi-Limit"))
	if budget == nil || err != nil {
		return
	}
	c.Gate.Resize(budget, limit)
	if left, err := strconv.Atoi(answer.Header.Get("X-Bapi-Limit-Status")); err == nil && left >= 0 {
		c.Gate.Observe(budget, limit-left)
	}
}

// malformed returns the error for an answer that cannot be understood.
func malformed(r request, cause error) error {
	return connector.Malformed(r.mutates, r.method, r.path, cause)
}

// get returns a public or signed read.
func get(path string, p restclient.Params, account *Account, priority restclient.Priority) request {
	return request{method: http.MethodGet, path: path, params: p, account: account, priority: priority}
}
