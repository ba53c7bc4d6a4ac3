package okx

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/restclient"
)

// rateWindow is the window in which the venue counts requests.
const rateWindow = 2 * time.Second

// rateLimit is one of the venue's limits: a number of requests per rateWindow, counted under a
// name and, where the venue counts per instrument, per scope.
type rateLimit struct {
	name     string
	requests int
	scope    string
}

// rateLimits has, for each limit, the budget of this address or of one account, made on first
// use. It is
// safe for concurrent use.
type rateLimits struct {
	mu      sync.Mutex
	budgets map[rateLimit]*restclient.Budget
}

func (l *rateLimits) budget(of rateLimit) *restclient.Budget {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.budgets == nil {
		l.budgets = make(map[rateLimit]*restclient.Budget)
	}
	b := l.budgets[of]
	if b == nil {
		b = restclient.NewBudget(of.name, of.requests, rateWindow)
		l.budgets[of] = b
	}
	return b
}

// accountOrders is the limit of new and amended orders over all instruments of an account
// (document "Sub-account rate limit").
var accountOrders = rateLimit{name: "account_orders", requests: 1000}

// request is one request before it is signed. It goes through these steps:
//
//	Account.sendChange  makes the request of a change, and returns the only item of its answer
//	Connector.call      sends it, and once more after a rejected timestamp
//	Connector.sendOnce  waits for the rate limits and sends it: on the connection for orders
//	                    if request.transport returns it and it accepts the request, else by REST
//	Connector.classify  returns the data of the answer, or its error
type request struct {
	method string
	path   string
	query  restclient.Params // of a GET
	body   any               // of a POST
	// account signs the request; nil for public ones.
	account  *Account
	priority restclient.Priority
	limit    rateLimit
	mutates  bool
	// countsOrder: the request also uses the account's order limit.
	countsOrder bool
	// itemized: the answer has a code per item, which decides over success.
	itemized bool
	// deadline, by the local clock, after which the venue must not execute the request.
	// Zero means none.
	deadline time.Time
	// instrument is that of the orders that the request changes; nil if it changes none.
	instrument *instrument
}

// call sends a request and decodes the data of its answer into out, if not nil; see
// connector.Core.Retry.
func (c *Connector) call(ctx context.Context, r request, out any) error {
	return c.Retry(ctx, r.account != nil, func() error { return c.sendOnce(ctx, r, out) })
}

// sendOnce sends a request once, on the connection for orders or by REST.
func (c *Connector) sendOnce(ctx context.Context, r request, out any) error {
	return c.Send(ctx, connector.Call{
		Method: r.method, Path: r.path,
		Call: restclient.Call{
			Priority: r.priority, Costs: c.costs(r), Transport: r.transport(), Mutates: r.mutates, OrderEntry: r.instrument != nil, SendBy: r.deadline,
			Build: func() (restclient.Request, error) { return c.build(r, time.Now()) },
		},
		Read: func(a *restclient.Answer) ([]byte, error) { return c.classify(r, a) },
	}, out)
}

// limitsOf returns the rate limits of a request: those of its account or of this address.
func (c *Connector) limitsOf(r request) *rateLimits {
	if r.account != nil {
		return &r.account.limits
	}
	return &c.limits
}

func (c *Connector) costs(r request) []restclient.Cost {
	limits := c.limitsOf(r)
	costs := []restclient.Cost{{Budget: limits.budget(r.limit), Units: 1}}
	if r.countsOrder {
		costs = append(costs, restclient.Cost{Budget: limits.budget(accountOrders), Units: 1})
	}
	return costs
}

// build makes the request, signed at the time now.
func (c *Connector) build(r request, now time.Time) (restclient.Request, error) {
	wire := restclient.Request{Method: r.method, Path: r.path, Query: r.query.Encode(), Header: map[string]string{}}
	if c.options.Simulated {
		wire.Header["x-simulated-trading"] = "1"
	}
	if r.body != nil {
		body, err := json.Marshal(r.body)
		if err != nil {
			return wire, restclient.NotSent(err)
		}
		wire.Body, wire.ContentType = string(body), "application/json"
	}
	if !r.deadline.IsZero() {
		if !now.Before(r.deadline) {
			return wire, restclient.DeadlinePassed()
		}
		wire.Header["expTime"] = c.expTime(r.deadline)
	}
	if r.account == nil {
		return wire, nil
	}
	target := wire.Path
	if wire.Query != "" {
		target += "?" + wire.Query
	}
	keys := r.account.credentials
	stamp := now.Add(c.Clock.Offset()).UTC().Format(timestampFormat)
	wire.Header["OK-ACCESS-KEY"] = keys.APIKey.Reveal()
	wire.Header["OK-ACCESS-PASSPHRASE"] = keys.Passphrase.Reveal()
	wire.Header["OK-ACCESS-TIMESTAMP"] = stamp
	wire.Header["OK-ACCESS-SIGN"] = sign(keys.APISecret, stamp, wire.Method, target, wire.Body)
	return wire, nil
}

// expTime returns a deadline in the venue's time.
func (c *Connector) expTime(deadline time.Time) string {
	return strconv.FormatInt(deadline.Add(c.Clock.Offset()).UnixMilli(), 10)
}

// publicRead returns the request of an unsigned read. perWindow is the venue's rate limit of the
// path per address.
func publicRead(path string, query restclient.Params, perWindow int, priority restclient.Priority) request {
	return request{method: http.MethodGet, path: path, query: query, limit: rateLimit{name: path, requests: perWindow}, priority: priority}
}

// malformed returns the error for an answer that cannot be understood.
func malformed(r request, cause error) error {
	return connector.Malformed(r.mutates, r.method, r.path, cause)
}
