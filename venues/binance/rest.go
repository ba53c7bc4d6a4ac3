package binance

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const (
	recvWindowMax = 60 * time.Second
	// weightLimit and the order limits are those of the venue's documentation;
	// the catalogue brings the true weight limit.
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
	lane     restclient.Lane
	weight   int
	mutates  bool
	// counted requests use up the account's order allowance.
	counted bool
	// keyHost sends the request to Options.KeyURL, which has limits of its own.
	keyHost bool
	// deadline by our clock; the venue must not execute it later. Zero means
	// that RecvWindow counts from the moment of signing.
	deadline time.Time
}

// call executes a request and decodes its answer into out, if not nil. A clock
// refusal is definite, so the request is signed once more under its old deadline.
func (c *Connector) call(ctx context.Context, r request, out any) error {
	once := func() error { return c.once(ctx, r, out) }
	var err error
	if r.security == signed {
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
	if err := c.judge(r, answer); err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	if err := payload.Decode(answer.Body, out); err != nil {
		return malformed(r, err)
	}
	return nil
}

// exchange sends a request, over the connection for orders or by REST, and gives
// the venue's answer.
func (c *Connector) exchange(ctx context.Context, r request) (*restclient.Answer, error) {
	client := c.rest
	if r.keyHost {
		client = c.keys
	}
	return client.Do(ctx, restclient.Call{
		Lane:    r.lane,
		Costs:   c.costs(r),
		Carrier: r.carrier(),
		Mutates: r.mutates,
		SendBy:  r.deadline,
		Build:   func() (restclient.Request, error) { return c.build(r, time.Now()) },
	})
}

func (c *Connector) costs(r request) []restclient.Cost {
	if r.keyHost {
		return nil
	}
	costs := []restclient.Cost{{Budget: c.weight, Units: r.weight}}
	if r.counted {
		costs = append(costs,
			restclient.Cost{Budget: r.account.orders10s, Units: 1},
			restclient.Cost{Budget: r.account.orders1m, Units: 1})
	}
	return costs
}

// build signs the request for the moment now.
func (c *Connector) build(r request, now time.Time) (restclient.Request, error) {
	wire := restclient.Request{Method: r.method, Path: r.path}
	if r.security != public {
		wire.Header = map[string]string{keyHeader: r.account.credentials.APIKey.Reveal()}
	}
	p := r.params
	if r.security == signed {
		var err error
		if p, err = c.stamped(r, now); err != nil {
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

// stamped are the parameters of a signed request with the time now and its window.
func (c *Connector) stamped(r request, now time.Time) (restclient.Params, error) {
	window, err := c.recvWindow(r.deadline, now)
	if err != nil {
		return nil, restclient.NotSent(err)
	}
	return r.params.
		With("recvWindow", strconv.FormatInt(window.Milliseconds(), 10)).
		With("timestamp", strconv.FormatInt(now.Add(c.clock.Offset()).UnixMilli(), 10)), nil
}

// recvWindow is how long after now the venue may still execute the request.
func (c *Connector) recvWindow(deadline, now time.Time) (time.Duration, error) {
	if deadline.IsZero() {
		return c.options.RecvWindow, nil
	}
	left := deadline.Sub(now)
	if left < time.Millisecond {
		return 0, restclient.DeadlinePassed()
	}
	return min(left, recvWindowMax), nil
}

// observe feeds the venue's own counters to the gate.
func (c *Connector) observe(r request, answer *restclient.Answer) {
	if r.keyHost {
		return
	}
	adopt := func(header string, budget *restclient.Budget) {
		if used, err := strconv.Atoi(answer.Header.Get(header)); err == nil {
			c.gate.Observe(budget, used)
		}
	}
	adopt("X-Mbx-Used-Weight-1m", c.weight)
	if r.counted {
		adopt("X-Mbx-Order-Count-10s", r.account.orders10s)
		adopt("X-Mbx-Order-Count-1m", r.account.orders1m)
	}
}

// malformed is an answer that cannot be understood. The venue may have done what
// was asked.
func malformed(r request, cause error) error {
	return uncertain(r, restclient.Unreadable(r.method, r.path, cause))
}
