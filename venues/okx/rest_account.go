package okx

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/openpositions"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/session"
)

// Account is one customer's trading account. It is safe for concurrent use.
type Account struct {
	c           *Connector
	credentials venues.Credentials
	allowances  allowances
	mode        atomic.Pointer[venues.AccountMode]
	// acknowledged are the changes of orders of which the private stream must tell
	// soon.
	acknowledged session.Acknowledged
	positions    openpositions.Memory
	// closedAlgos are read once for all who look for a stop; closedOrders, by the
	// instrument, for all who look for an order of it.
	closedAlgos  *restclient.Shared[closedAlgos]
	closedOrders sync.Map
	// entry carries orders while the private stream is open, if they are to go that way.
	entry atomic.Pointer[orderEntry]
}

func newAccount(c *Connector, credentials venues.Credentials) *Account {
	return &Account{c: c, credentials: credentials, closedAlgos: restclient.NewShared[closedAlgos]()}
}

// get reads with a signature. limit is the venue's for this path and user.
func (a *Account) get(ctx context.Context, path string, query restclient.Params, limit int, out any) error {
	return a.c.call(ctx, a.reading(path, query, limit), out)
}

func (a *Account) reading(path string, query restclient.Params, limit int) request {
	return request{
		method: http.MethodGet, path: path, query: query, account: a,
		lane: restclient.LaneReconcile, limit: allowance{name: path, limit: limit},
	}
}

// KeyFacts examines the API key: its permissions and whether it is bound to
// addresses. The venue tells no expiry.
func (a *Account) KeyFacts(ctx context.Context) (venues.KeyFacts, error) {
	config, err := a.config(ctx)
	if err != nil {
		return venues.KeyFacts{}, err
	}
	if config.Perm == "" {
		return venues.KeyFacts{}, restclient.Unreadable(http.MethodGet, configPath, payload.Missing("perm"))
	}
	granted := strings.Split(config.Perm, ",")
	return venues.KeyFacts{
		CanTrade:    slices.Contains(granted, "trade"),
		CanWithdraw: slices.Contains(granted, "withdraw"),
		IPBound:     config.IP != "",
		Known:       true,
	}, nil
}

// balanceRecord is GET /api/v5/account/balance. What stands above the details is
// in dollars, and empty in some account modes.
type balanceRecord struct {
	Details []currencyRecord `json:"details"`
}

type currencyRecord struct {
	Ccy       string         `json:"ccy"`
	Eq        payload.Number `json:"eq"`
	AvailEq   payload.Number `json:"availEq"`
	AvailBal  payload.Number `json:"availBal"`
	FrozenBal payload.Number `json:"frozenBal"`
	Imr       payload.Number `json:"imr"`
	Upl       payload.Number `json:"upl"`
}

const balancePath = "/api/v5/account/balance"

// Balances lists the currencies that the account holds or uses, and USDT in any
// case: an account without money lists none.
func (a *Account) Balances(ctx context.Context) ([]venues.Balance, error) {
	mode, err := a.knownMode(ctx)
	if err != nil {
		return nil, err
	}
	var rows []balanceRecord
	if err := a.get(ctx, balancePath, nil, 10, &rows); err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, restclient.Unreadable(http.MethodGet, balancePath, payload.Missing("data"))
	}
	balances, err := rows[0].balances(mode.AccountType)
	if err != nil {
		return nil, restclient.Unreadable(http.MethodGet, balancePath, err)
	}
	return balances, nil
}

func (r *balanceRecord) balances(accountType string) ([]venues.Balance, error) {
	if r.Details == nil {
		return nil, payload.Missing("details")
	}
	balances := make([]venues.Balance, 0, len(r.Details)+1)
	usdt := false
	for _, row := range r.Details {
		b, err := row.balance(accountType)
		if err != nil {
			return nil, err
		}
		usdt = usdt || b.Currency == "USDT"
		balances = append(balances, b)
	}
	if !usdt {
		balances = append(balances, venues.Balance{Exchange: venues.OKX, AccountType: accountType, Currency: "USDT"})
	}
	return balances, nil
}

// balance reads one currency. Isolated positions have no initial margin of their
// own there; what is frozen says it then.
func (r *currencyRecord) balance(accountType string) (venues.Balance, error) {
	available := r.AvailEq
	if !available.Valid {
		available = r.AvailBal
	}
	if r.Ccy == "" || !r.Eq.Valid || !available.Valid {
		return venues.Balance{}, payload.Missing("balance of " + payload.Bounded(r.Ccy))
	}
	used := r.Imr.Decimal
	if !used.IsPositive() {
		used = decimal.Max(r.FrozenBal.Decimal, decimal.Zero)
	}
	return venues.Balance{
		Exchange: venues.OKX, AccountType: accountType, Currency: r.Ccy,
		Equity: r.Eq.Decimal, Available: available.Decimal, UsedMargin: used, UnrealizedPnl: r.Upl.Decimal,
	}, nil
}
