package binance

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/openpositions"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/session"
)

// Account is one customer's futures account. It is safe for concurrent use.
type Account struct {
	c           *Connector
	credentials venues.Credentials
	orders10s   *restclient.Budget
	orders1m    *restclient.Budget
	mode        connector.ModeCache
	// lastAck is when the last acknowledged change of an order began; the private stream
	// must report an event after it.
	lastAck   session.LastAck
	positions openpositions.Tracker
	leverages leverageCache
	// entry is the connection for orders while the private stream is open, if OrderEntry
	// selects it.
	entry connector.OrderEntry
}

func newAccount(c *Connector, credentials venues.Credentials) *Account {
	return &Account{
		c: c, credentials: credentials,
		orders10s: restclient.NewBudget(orders10s, orderLimit10s, 10*time.Second),
		orders1m:  restclient.NewBudget(orders1m, orderLimitMinute, time.Minute),
	}
}

// get sends a signed read.
func (a *Account) get(ctx context.Context, path string, p restclient.Params, weight int, out any) error {
	return a.c.call(ctx, a.reading(path, p, weight), out)
}

// reading returns the request of a signed read.
func (a *Account) reading(path string, p restclient.Params, weight int) request {
	return request{
		method: http.MethodGet, path: path, params: p, security: signed, account: a,
		priority: restclient.PriorityReconcile, weight: weight,
	}
}

// accountRecord is GET /fapi/v3/account.
type accountRecord struct {
	TotalInitialMargin    payload.Number `json:"totalInitialMargin"`
	TotalUnrealizedProfit payload.Number `json:"totalUnrealizedProfit"`
	TotalMarginBalance    payload.Number `json:"totalMarginBalance"`
	AvailableBalance      payload.Number `json:"availableBalance"`
	Assets                []assetRecord  `json:"assets"`
}

type assetRecord struct {
	Asset            string         `json:"asset"`
	WalletBalance    payload.Number `json:"walletBalance"`
	UnrealizedProfit payload.Number `json:"unrealizedProfit"`
	MarginBalance    payload.Number `json:"marginBalance"`
	InitialMargin    payload.Number `json:"initialMargin"`
	AvailableBalance payload.Number `json:"availableBalance"`
}

// Balances returns the assets that the account holds or uses, and USDT in any case. In
// multi-assets mode each row still contains only that asset.
func (a *Account) Balances(ctx context.Context) ([]venues.Balance, error) {
	mode, err := a.mode.Get(ctx, a.Mode)
	if err != nil {
		return nil, err
	}
	var answer accountRecord
	const path = "/fapi/v3/account"
	if err := a.get(ctx, path, nil, 5, &answer); err != nil {
		return nil, err
	}
	balances, err := answer.balances(mode.AccountType)
	if err != nil {
		return nil, restclient.Unreadable(http.MethodGet, path, err)
	}
	return balances, nil
}

func (r *accountRecord) balances(accountType string) ([]venues.Balance, error) {
	var balances []venues.Balance
	usdt := false
	for _, asset := range r.Assets {
		b, err := asset.balance(accountType)
		if err != nil {
			return nil, err
		}
		isUSDT := asset.Asset == "USDT"
		if usdt = usdt || isUSDT; !isUSDT && asset.empty() {
			continue
		}
		balances = append(balances, b)
	}
	if usdt || accountType != singleAsset {
		return balances, nil
	}
	// An unused account lists no asset; its totals are those of USDT.
	total := assetRecord{
		Asset: "USDT", UnrealizedProfit: r.TotalUnrealizedProfit, MarginBalance: r.TotalMarginBalance,
		InitialMargin: r.TotalInitialMargin, AvailableBalance: r.AvailableBalance,
	}
	b, err := total.balance(accountType)
	return append(balances, b), err
}

func (r *assetRecord) empty() bool {
	return r.WalletBalance.Decimal.IsZero() && r.MarginBalance.Decimal.IsZero() && r.InitialMargin.Decimal.IsZero()
}

func (r *assetRecord) balance(accountType string) (venues.Balance, error) {
	if !r.MarginBalance.Valid || !r.AvailableBalance.Valid || !r.InitialMargin.Valid || !r.UnrealizedProfit.Valid || r.Asset == "" {
		return venues.Balance{}, payload.Missing("balance of asset " + strconv.Quote(payload.Bounded(r.Asset)))
	}
	return venues.Balance{
		Exchange: venues.Binance, AccountType: accountType, Currency: r.Asset,
		Equity:        r.MarginBalance.Decimal,
		Available:     r.AvailableBalance.Decimal,
		UsedMargin:    r.InitialMargin.Decimal,
		UnrealizedPnl: r.UnrealizedProfit.Decimal,
	}, nil
}

// keyRecord is GET /sapi/v1/account/apiRestrictions.
type keyRecord struct {
	IPRestrict        *bool `json:"ipRestrict"`
	EnableWithdrawals *bool `json:"enableWithdrawals"`
	EnableFutures     *bool `json:"enableFutures"`
	ExpirationTime    int64 `json:"tradingAuthorityExpirationTime"`
}

// KeyInfo reads the permissions of the API key where the environment has a host for that;
// elsewhere only whether the account may trade.
func (a *Account) KeyInfo(ctx context.Context) (venues.KeyInfo, error) {
	if a.c.keys == nil {
		var answer accountConfig
		if err := a.get(ctx, "/fapi/v1/accountConfig", nil, 5, &answer); err != nil {
			return venues.KeyInfo{}, err
		}
		return venues.KeyInfo{CanTrade: answer.CanTrade != nil && *answer.CanTrade}, nil
	}
	r := request{
		method: http.MethodGet, path: "/sapi/v1/account/apiRestrictions", security: signed, account: a,
		priority: restclient.PriorityHistory, keyHost: true,
	}
	var answer keyRecord
	if err := a.c.call(ctx, r, &answer); err != nil {
		return venues.KeyInfo{}, err
	}
	if answer.IPRestrict == nil || answer.EnableWithdrawals == nil || answer.EnableFutures == nil {
		return venues.KeyInfo{}, malformed(r, payload.Missing("ipRestrict, enableWithdrawals or enableFutures"))
	}
	return venues.KeyInfo{
		CanTrade: *answer.EnableFutures, CanWithdraw: *answer.EnableWithdrawals, IPBound: *answer.IPRestrict,
		ExpiresAt: payload.Millis(answer.ExpirationTime), Known: true,
	}, nil
}
