package binance

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/restclient"
)

const (
	// weightLimit and the order limits are those of the venue's documentation; the list
	// of instruments contains the actual weight limit.
	weightLimit      = 2400
	orderLimitMinute = 1200
	orderLimit10s    = 300
	keyHeader        = "X-Mbx-Apikey"
	formContentType  = "application/x-www-form-urlencoded"
)

// security of a request.
type security uint8

const (
	public security = iota
	keyed           // API key header alone
	signed
)

// request is one REST request before it is signed.
type request struct {
	method   string
	path     string
	params   restclient.Params
	security security
	account  *Account // of keyed and signed requests
	priority restclient.Priority
	weight   int
	mutates  bool
	// orderEntry: the request places, amends or cancels an order.
	orderEntry bool
	// countsOrder: the request also uses the account's order limits.
	countsOrder bool
	// keyHost sends the request to Options.KeyURL, which has its own rate limits.
	keyHost bool
	// deadline, by the local clock, after which the venue must not execute the request.
	// Zero means that RecvWindow counts from the time of signing.
	deadline time.Time
}

// call executes a request and decodes its answer into out, if not nil; see
// connector.Core.Retry.
func (c *Connector) call(ctx context.Context, r request, out any) error {
	return c.Retry(ctx, r.security == signed, func() error { return c.once(ctx, r, out) })
}

// once executes a request, over the connection for orders or by REST.
func (c *Connector) once(ctx context.Context, r request, out any) error {
	call := connector.Call{
		Method: r.method, Path: r.path,
		Call: restclient.Call{
			Priority: r.priority, Costs: c.costs(r), Transport: r.transport(), Mutates: r.mutates, OrderEntry: r.orderEntry, SendBy: r.deadline,
			Build: func() (restclient.Request, error) { return c.build(r, time.Now()) },
		},
		Read: func(a *restclient.Answer) ([]byte, error) {
			c.observe(r, a)
			return a.Body, c.classify(r, a)
		},
	}
	if r.keyHost {
		call.Client = c.keys
	}
	return c.Send(ctx, call, out)
}

func (c *Connector) costs(r request) []restclient.Cost {
	if r.keyHost {
		return nil
	}
	costs := []restclient.Cost{{Budget: c.weight, Units: r.weight}}
	if r.countsOrder {
		costs = append(costs,
			restclient.Cost{Budget: r.account.orders10s, Units: 1},
			restclient.Cost{Budget: r.account.orders1m, Units: 1})
	}
	return costs
}

// build makes the request, signed at the time now.
func (c *Connector) build(r request, now time.Time) (restclient.Request, error) {
	wire := restclient.Request{Method: r.method, Path: r.path}
	if r.security != public {
		wire.Header = map[string]string{keyHeader: r.account.credentials.APIKey.Reveal()}
	}
	p := r.params
	if r.security == signed {
		var err error
		if p, err = c.withTimestamp(r, now); err != nil {
			return wire, err
		}
	}
	text := p.Encode()
	if r.security == signed {
		text += "&signature=" + sign(r.account.credentials.APISecret, text, "")
	}
	if r.method == http.MethodPost || r.method == http.MethodPut {
		wire.Body, wire.ContentType = text, formContentType
	} else {
		wire.Query = text
	}
	return wire, nil
}

// withTimestamp returns the parameters of a signed request with timestamp and receive
// window.
func (c *Connector) withTimestamp(r request, now time.Time) (restclient.Params, error) {
	window, err := connector.RecvWindow(c.options.RecvWindow, now, r.deadline, 0)
	if err != nil {
		return nil, restclient.NotSent(err)
	}
	return r.params.
		With("recvWindow", strconv.FormatInt(window.Milliseconds(), 10)).
		With("timestamp", strconv.FormatInt(now.Add(c.Clock.Offset()).UnixMilli(), 10)), nil
}

// observe passes the venue's own counters to the gate.
func (c *Connector) observe(r request, answer *restclient.Answer) {
	if r.keyHost {
		return
	}
	adopt := func(header string, budget *restclient.Budget) {
		if used, err := strconv.Atoi(answer.Header.Get(header)); err == nil {
			c.Gate.Observe(budget, used)
		}
	}
	adopt("X-Mbx-Used-Weight-1m", c.weight)
	if r.countsOrder {
		adopt("X-Mbx-Order-Count-10s", r.account.orders10s)
		adopt("X-Mbx-Order-Count-1m", r.account.orders1m)
	}
}

// malformed returns the error for an answer that cannot be understood.
func malformed(r request, cause error) error {
	return connector.Malformed(r.mutates, r.method, r.path, cause)
}
