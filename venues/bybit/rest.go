package bybit

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const (
	recvWindowMax = 60 * time.Second
	// requestsPer5s is the allowance of an address over all hosts.
	requestsPer5s = 600
	// behind is how much our timestamps lag: the venue refuses one that is more
	// than a second ahead whatever the window.
	behind = 200 * time.Millisecond

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
	account *Account
	lane    restclient.Lane
	mutates bool
	// deadline by our clock; the venue must not execute it later. Zero means
	// that RecvWindow counts from the moment of signing.
	deadline time.Time
}

// call executes a request and decodes its result into out, if not nil. A clock
// refusal is definite, so the request is signed once more under its old deadline.
func (c *Connector) call(ctx context.Context, r request, out any) error {
	once := func() error { return c.once(ctx, r, out) }
	var err error
	if r.account != nil {
		err = c.clock.Signed(ctx, c.serverTime, isClockRefusal, once)
	} else {
		err = once()
	}
	if isAway(err) {
		return c.notices.Explain(ctx, err, c.notice)
	}
	return err
}

func (c *Connector) once(ctx context.Context, r request, out any) error {
	answer, err := c.exchange(ctx, r)
	if err != nil {
		return err
	}
	c.observe(r, answer)
	result, err := c.judge(r, answer)
	if err != nil || out == nil {
		return err
	}
	if err := payload.Decode(result, out); err != nil {
		return malformed(r, err)
	}
	return nil
}

// exchange sends a request, over the connection for orders or by REST, and gives
// the venue's answer. Requests by REST use up the allowance of this address too.
func (c *Connector) exchange(ctx context.Context, r request) (*restclient.Answer, error) {
	return c.rest.Do(ctx, restclient.Call{
		Lane:      r.lane,
		Costs:     r.costs(),
		Carrier:   r.carrier(),
		RESTCosts: []restclient.Cost{{Budget: c.requests, Units: 1}},
		Mutates:   r.mutates,
		SendBy:    r.deadline,
		Build:     func() (restclient.Request, error) { return c.build(r, time.Now()) },
	})
}

// costs of a request for the account: one of its allowance for the endpoint.
func (r request) costs() []restclient.Cost {
	if budget := r.budget(); budget != nil {
		return []restclient.Cost{{Budget: budget, Units: 1}}
	}
	return nil
}

// budget of the account for the endpoint; nil if it has none.
func (r request) budget() *restclient.Budget {
	if r.account == nil {
		return nil
	}
	return r.account.budgets[r.path]
}

// build signs the request for the moment now.
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

// stamp is the time of a request that leaves now, by the venue's clock, and for how
// long it is good.
func (c *Connector) stamp(r request, now time.Time) (timestamp, recvWindow string, err error) {
	window, err := c.recvWindow(r.deadline, now)
	if err != nil {
		return "", "", err
	}
	return formatMillis(now.Add(c.clock.Offset() - behind)), strconv.FormatInt(window.Milliseconds(), 10), nil
}

// recvWindow is how long after the timestamp, which lies behind now, the venue
// may still execute the request.
func (c *Connector) recvWindow(deadline, now time.Time) (time.Duration, error) {
	if deadline.IsZero() {
		return c.options.RecvWindow, nil
	}
	left := deadline.Sub(now)
	if left < time.Millisecond {
		return 0, restclient.DeadlinePassed()
	}
	return min(left+behind, recvWindowMax), nil
}

// observe feeds the venue's own counters to the gate.
func (c *Connector) observe(r request, answer *restclient.Answer) {
	budget := r.budget()
	limit, err := strconv.Atoi(answer.Header.Get("X-Bapi-Limit"))
	if budget == nil || err != nil || limit <= 0 {
		return
	}
	c.gate.Resize(budget, limit)
	if left, err := strconv.Atoi(answer.Header.Get("X-Bapi-Limit-Status")); err == nil && left >= 0 && left <= limit {
		c.gate.Observe(budget, limit-left)
	}
}

// malformed is an answer that cannot be understood. The venue may have done what
// was asked.
func malformed(r request, cause error) error {
	return uncertain(r, restclient.Unreadable(r.method, r.path, cause))
}

// get makes a public or signed read.
func get(path string, p restclient.Params, account *Account, lane restclient.Lane) request {
	return request{method: http.MethodGet, path: path, params: p, account: account, lane: lane}
}
