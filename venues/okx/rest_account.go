package okx

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/openpositions"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/session"
)

// Account is one customer's trading account. It is safe for concurrent use.
type Account struct {
	c           *Connector
	credentials venues.Credentials
	limits      rateLimits
	mode        connector.ModeCache
	// lastAck is when the last acknowledged change of an order began; the private stream
	// must report an event after it.
	lastAck   session.LastAck
	positions openpositions.Tracker
	// closedAlgos and, by venue symbol, closedOrders share one read of the closed stops
	// and orders among concurrent queries; see rest_closed.go.
	closedAlgos  *restclient.SharedRead[closedAlgos]
	closedOrders sync.Map
	// entry is the connection for orders while the private stream is open, if OrderEntry
	// selects it.
	entry connector.OrderEntry
	// codeRejected has the venue symbols of instruments whose code the venue rejects on
	// that connection. It is bounded by the number of instruments.
	codeRejected sync.Map
}

func newAccount(c *Connector, credentials venues.Credentials) *Account {
	return &Account{c: c, credentials: credentials, closedAlgos: restclient.NewSharedRead[closedAlgos]()}
}

// get sends a signed read. limit is the venue's rate limit of the path per account.
func (a *Account) get(ctx context.Context, path string, query restclient.Params, limit int, out any) error {
	return a.c.call(ctx, a.reading(path, query, limit), out)
}

// reading returns the request of a signed read.
func (a *Account) reading(path string, query restclient.Params, limit int) request {
	return request{
		method: http.MethodGet, path: path, query: query, account: a,
		priority: restclient.PriorityReconcile, limit: rateLimit{name: path, limit: limit},
	}
}

// KeyInfo reads the permissions of the API key and whether it is bound to addresses. The
// venue does not report its expiry.
func (a *Account) KeyInfo(ctx context.Context) (venues.KeyInfo, error) {
	config, err := a.config(ctx)
	if err != nil {
		return venues.KeyInfo{}, err
	}
	if config.Perm == "" {
		return venues.KeyInfo{}, restclient.Unreadable(http.MethodGet, configPath, payload.Missing("perm"))
	}
	granted := strings.Split(config.Perm, ",")
	return venues.KeyInfo{
		CanTrade:    slices.Contains(granted, "trade"),
		CanWithdraw: slices.Contains(granted, "withdraw"),
		IPBound:     config.IP != "",
		Known:       true,
	}, nil
}

// balanceRecord is GET /api/v5/account/balance. The members besides the details are in
// dollars, and empty in some account modes.
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

// Balances returns the currencies that the account holds or uses, and USDT in any case.
// The venue lists none for an empty account.
func (a *Account) Balances(ctx context.Context) ([]venues.Balance, error) {
	mode, err := a.mode.Get(ctx, a.Mode)
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

// balance converts one currency. The venue reports no initial margin (imr) for isolated
// positions; the frozen amount is used instead.
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
