package okx

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// rateWindow is the span in which the venue counts requests.
const rateWindow = 2 * time.Second

// allowance names one of the venue's limits: so many requests per rateWindow.
// Scope is the instrument where the venue counts per instrument.
type allowance struct {
	name  string
	limit int
	scope string
}

// allowances are the budgets of one address or one account, made as they are
// needed. It is safe for concurrent use.
type allowances struct {
	mu      sync.Mutex
	budgets map[allowance]*restclient.Budget
}

func (a *allowances) budget(of allowance) *restclient.Budget {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.budgets == nil {
		a.budgets = make(map[allowance]*restclient.Budget)
	}
	b := a.budgets[of]
	if b == nil {
		b = restclient.NewBudget(of.name, of.limit, rateWindow)
		a.budgets[of] = b
	}
	return b
}

// accountOrders is the limit on new and amended orders of all instruments.
var accountOrders = allowance{name: "account_orders", limit: 1000}

// request is one REST request before it is signed.
type request struct {
	method string
	path   string
	query  restclient.Params // of a GET
	body   any               // of a POST
	// account signs the request; nil for public ones.
	account *Account
	lane    restclient.Lane
	limit   allowance
	mutates bool
	// counted requests use up the account's order allowance too.
	counted bool
	// itemized answers carry a code per item, and that is the one that counts.
	itemized bool
	// deadline by our clock; the venue must not execute the request later. Zero
	// means that it bears none.
	deadline time.Time
	// changes is the contract whose orders a request changes, if it does.
	changes *contract
}

// call executes a request and decodes the data of its answer into out, if not
// nil. A clock refusal is definite, so the request is signed once more under its
// old deadline.
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
	data, err := c.judge(r, answer)
	if err != nil || out == nil {
		return err
	}
	if err := payload.Decode(data, out); err != nil {
		return malformed(r, err)
	}
	return nil
}

// exchange sends a request, over the connection for orders or by REST, and gives
// the venue's answer.
func (c *Connector) exchange(ctx context.Context, r request) (*restclient.Answer, error) {
	return c.rest.Do(ctx, restclient.Call{
		Lane:    r.lane,
		Costs:   c.costs(r),
		Carrier: r.carrier(),
		Mutates: r.mutates,
		SendBy:  r.deadline,
		Build:   func() (restclient.Request, error) { return c.build(r, time.Now()) },
	})
}

// owner of the limits that a request is under: its account or this address.
func (c *Connector) owner(r request) *allowances {
	if r.account != nil {
		return &r.account.allowances
	}
	return &c.allowances
}

func (c *Connector) costs(r request) []restclient.Cost {
	owner := c.owner(r)
	costs := []restclient.Cost{{Budget: owner.budget(r.limit), Units: 1}}
	if r.counted {
		costs = append(costs, restclient.Cost{Budget: owner.budget(accountOrders), Units: 1})
	}
	return costs
}

// build signs the request for the moment now.
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
	stamp := now.Add(c.clock.Offset()).UTC().Format(timestampFormat)
	wire.Header["OK-ACCESS-KEY"] = keys.APIKey.Reveal()
	wire.Header["OK-ACCESS-PASSPHRASE"] = keys.Passphrase.Reveal()
	wire.Header["OK-ACCESS-TIMESTAMP"] = stamp
	wire.Header["OK-ACCESS-SIGN"] = sign(keys.APISecret, stamp, wire.Method, target, wire.Body)
	return wire, nil
}

// expTime is a deadline as the venue's clock will show it.
func (c *Connector) expTime(deadline time.Time) string {
	return strconv.FormatInt(deadline.Add(c.clock.Offset()).UnixMilli(), 10)
}

// publicGet reads without a signature.
func (c *Connector) publicGet(ctx context.Context, path string, query restclient.Params, limit int, lane restclient.Lane, out any) error {
	return c.call(ctx, publicRequest(path, query, limit, lane), out)
}

func publicRequest(path string, query restclient.Params, limit int, lane restclient.Lane) request {
	return request{method: http.MethodGet, path: path, query: query, limit: allowance{name: path, limit: limit}, lane: lane}
}

// malformed is an answer that cannot be understood. The venue may have done what
// was asked.
func malformed(r request, cause error) error {
	return uncertain(r, restclient.Unreadable(r.method, r.path, cause))
}
