package okx

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

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
