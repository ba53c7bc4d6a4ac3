package bybit

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/openpositions"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/session"
)

// Account is one customer's unified account. It is safe for concurrent use.
type Account struct {
	c           *Connector
	credentials venues.Credentials
	budgets     map[string]*restclient.Budget // by endpoint
	mode        atomic.Pointer[accountMode]
	modes       positionModes
	positions   openpositions.Tracker
	// lastAck is when the last acknowledged change of an order began; the private stream
	// must report an event after it.
	lastAck session.LastAck
	// entry is the connection for orders while the private stream is open, if OrderEntry
	// selects it.
	entry connector.OrderEntry
}

// endpointLimits are the account's requests per second at each endpoint (document "Rate
// Limit Rules"). Answers contain the actual limit of the account.
var endpointLimits = map[string]int{
	createPath: 10, amendPath: 10, cancelPath: 10, tradingStopPath: 10, setLeveragePath: 10,
	realtimePath: 50, historyPath: 50, executionsPath: 50, positionsPath: 50, walletPath: 50, accountInfoPath: 50,
	keyPath: 10,
}

func newAccount(c *Connector, credentials venues.Credentials) *Account {
	a := &Account{c: c, credentials: credentials, budgets: make(map[string]*restclient.Budget, len(endpointLimits))}
	for path, limit := range endpointLimits {
		a.budgets[path] = restclient.NewBudget(path, limit, time.Second)
	}
	return a
}

const (
	walletPath = "/v5/account/wallet-balance"
	keyPath    = "/v5/user/query-api"
)

// get sends a signed read.
func (a *Account) get(ctx context.Context, path string, p restclient.Params, out any) error {
	return a.c.call(ctx, get(path, p, a, restclient.PriorityReconcile), out)
}

// balanceDecimals is the number of decimals to which the venue truncates amounts.
const balanceDecimals = 8

// walletRecord is the unified account of GET /v5/account/wallet-balance. Its totals are
// in USD over all coins; with isolated margin there are none.
type walletRecord struct {
	TotalAvailableBalance payload.Number `json:"totalAvailableBalance"`
	TotalInitialMargin    payload.Number `json:"totalInitialMargin"`
	Coins                 []coinRecord   `json:"coin"`
}

type coinRecord struct {
	Coin            string         `json:"coin"`
	Equity          payload.Number `json:"equity"`
	USDValue        payload.Number `json:"usdValue"`
	WalletBalance   payload.Number `json:"walletBalance"`
	Locked          payload.Number `json:"locked"`
	Bonus           payload.Number `json:"bonus"`
	TotalOrderIM    payload.Number `json:"totalOrderIM"`
	TotalPositionIM payload.Number `json:"totalPositionIM"`
	UnrealisedPnl   payload.Number `json:"unrealisedPnl"`
}

// Balances returns the coins that the account holds or uses, and USDT in any case. With
// cross margin all coins together are the margin; the available part is converted to each
// coin at the venue's price.
func (a *Account) Balances(ctx context.Context) ([]venues.Balance, error) {
	mode, err := a.knownMode(ctx)
	if err != nil {
		return nil, err
	}
	r := get(walletPath, restclient.Params{{"accountType", "UNIFIED"}}, a, restclient.PriorityReconcile)
	var answer page[walletRecord]
	if err := a.c.call(ctx, r, &answer); err != nil {
		return nil, err
	}
	if len(answer.List) != 1 {
		return nil, malformed(r, payload.Missing("list"))
	}
	balances, err := answer.List[0].balances(mode)
	if err != nil {
		return nil, malformed(r, err)
	}
	return balances, nil
}

func (w *walletRecord) balances(mode accountMode) ([]venues.Balance, error) {
	if w.Coins == nil {
		return nil, payload.Missing("coin")
	}
	var balances []venues.Balance
	coins := w.Coins
	if !slices.ContainsFunc(coins, func(r coinRecord) bool { return r.Coin == usdt }) {
		coins = append(slices.Clip(coins), coinRecord{Coin: usdt, Equity: payload.Number{Optional: venues.Some(decimal.Zero)}, WalletBalance: payload.Number{Optional: venues.Some(decimal.Zero)}})
	}
	for n := range coins {
		r := &coins[n]
		if r.Coin == "" || !r.Equity.Valid || !r.WalletBalance.Valid {
			return nil, payload.Missing("equity or walletBalance of coin " + strconv.Quote(payload.Bounded(r.Coin)))
		}
		if r.Coin != usdt && r.empty() {
			continue
		}
		balances = append(balances, venues.Balance{
			Exchange: venues.Bybit, AccountType: mode.AccountType, Currency: r.Coin,
			Equity: r.Equity.Decimal, Available: w.available(r, mode), UsedMargin: w.usedMargin(r),
			UnrealizedPnl: r.UnrealisedPnl.Decimal,
		})
	}
	return balances, nil
}

func (r *coinRecord) empty() bool {
	return r.Equity.Decimal.IsZero() && r.WalletBalance.Decimal.IsZero() && r.used().IsZero()
}

func (r *coinRecord) used() decimal.Decimal {
	return r.TotalPositionIM.Decimal.Add(r.TotalOrderIM.Decimal)
}

// price returns the price of the coin in USD; 1 if the venue's values have none.
func (r *coinRecord) price() decimal.Decimal {
	if r.Equity.Decimal.IsZero() {
		return decimal.NewFromInt(1)
	}
	price := r.USDValue.Decimal.DivRound(r.Equity.Decimal, venues.DecimalDigitsMax)
	if !price.IsPositive() {
		return decimal.NewFromInt(1)
	}
	return price
}

// available returns the account's free margin in the coin, or the coin's own where margin
// is isolated and there are no totals.
func (w *walletRecord) available(r *coinRecord, mode accountMode) decimal.Decimal {
	if mode.margin == isolatedMargin || !w.TotalAvailableBalance.Valid {
		return r.WalletBalance.Decimal.Sub(r.used()).Sub(r.Locked.Decimal).Sub(r.Bonus.Decimal)
	}
	return w.TotalAvailableBalance.Decimal.DivRound(r.price(), venues.DecimalDigitsMax).Truncate(balanceDecimals)
}

// usedMargin returns the coin's used margin, or the account's where margin is computed
// for the whole portfolio only.
func (w *walletRecord) usedMargin(r *coinRecord) decimal.Decimal {
	if r.TotalPositionIM.Valid || r.TotalOrderIM.Valid || !w.TotalInitialMargin.Valid {
		return r.used()
	}
	return w.TotalInitialMargin.Decimal.DivRound(r.price(), venues.DecimalDigitsMax).Truncate(balanceDecimals)
}

// keyRecord is the result of GET /v5/user/query-api.
type keyRecord struct {
	ReadOnly    payload.Number `json:"readOnly"`
	Permissions *struct {
		ContractTrade []string `json:"ContractTrade"`
		Wallet        []string `json:"Wallet"`
	} `json:"permissions"`
	IPs       []string `json:"ips"`
	ExpiredAt string   `json:"expiredAt"`
}

// KeyInfo reads the permissions of the API key.
func (a *Account) KeyInfo(ctx context.Context) (venues.KeyInfo, error) {
	var answer keyRecord
	if err := a.get(ctx, keyPath, nil, &answer); err != nil {
		return venues.KeyInfo{}, err
	}
	info, err := answer.info()
	if err != nil {
		return venues.KeyInfo{}, restclient.Unreadable(http.MethodGet, keyPath, err)
	}
	return info, nil
}

func (r *keyRecord) info() (venues.KeyInfo, error) {
	if !r.ReadOnly.Valid || r.Permissions == nil || r.IPs == nil {
		return venues.KeyInfo{}, payload.Missing("readOnly, permissions or ips")
	}
	info := venues.KeyInfo{
		CanTrade:    r.ReadOnly.Decimal.IsZero() && slices.Contains(r.Permissions.ContractTrade, "Order"),
		CanWithdraw: slices.Contains(r.Permissions.Wallet, "Withdraw"),
		IPBound:     len(r.IPs) > 0 && !slices.Contains(r.IPs, "*"),
		Known:       true,
	}
	if expires, err := time.Parse(time.RFC3339, r.ExpiredAt); err == nil && expires.Year() > 1970 {
		info.ExpiresAt = expires.UTC()
	}
	return info, nil
}
