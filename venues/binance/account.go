package binance

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// Account is one customer's futures account. It is safe for concurrent use.
type Account struct {
	c           *Connector
	credentials venues.Credentials
	orders10s   *restclient.Budget
	orders1m    *restclient.Budget
	mode        atomic.Pointer[venues.AccountMode]
	// acknowledged is when the last change of an order began that the venue took,
	// in unix nanoseconds: the private stream must tell of it soon.
	acknowledged atomic.Int64
	sides        sideMemory
}

func newAccount(c *Connector, credentials venues.Credentials) *Account {
	return &Account{
		c: c, credentials: credentials,
		orders10s: restclient.NewBudget("orders_10s", orderLimit10s, 10*time.Second),
		orders1m:  restclient.NewBudget("orders_1m", orderLimitMinute, time.Minute),
	}
}

// get reads with a signature.
func (a *Account) get(ctx context.Context, path string, p params, weight int, out any) error {
	return a.c.call(ctx, request{
		method: http.MethodGet, path: path, params: p, security: signed, account: a,
		lane: restclient.LaneReconcile, weight: weight,
	}, out)
}

// Account types: whether one asset or all of them together are margin.
const (
	singleAsset = "single_asset"
	multiAssets = "multi_assets"
)

// Mode reads position mode and margin pool, and keeps them for orders. Now and
// then it reads the leverage limits too, which serve the catalogue.
func (a *Account) Mode(ctx context.Context) (venues.AccountMode, error) {
	var answer accountConfig
	if err := a.get(ctx, "/fapi/v1/accountConfig", nil, 5, &answer); err != nil {
		return venues.AccountMode{}, err
	}
	if answer.DualSidePosition == nil || answer.MultiAssetsMargin == nil {
		return venues.AccountMode{}, malformed(request{method: http.MethodGet, path: "/fapi/v1/accountConfig"}, missing("dualSidePosition"))
	}
	mode := venues.AccountMode{AccountType: singleAsset, Hedge: *answer.DualSidePosition, ReadAt: time.Now()}
	if *answer.MultiAssetsMargin {
		mode.AccountType = multiAssets
	}
	a.mode.Store(&mode)
	if a.c.leverages.due(mode.ReadAt) {
		// A failure leaves MaxLeverage unknown; the mode is what was asked for.
		_ = a.readLeverageLimits(ctx)
	}
	return mode, nil
}

// knownMode is the mode as last read; it is read now if it never was.
func (a *Account) knownMode(ctx context.Context) (venues.AccountMode, error) {
	if mode := a.mode.Load(); mode != nil {
		return *mode, nil
	}
	return a.Mode(ctx)
}

func (a *Account) accountType() string {
	if mode := a.mode.Load(); mode != nil {
		return mode.AccountType
	}
	return ""
}

// setMultiAssets adopts what an event told of the margin pool.
func (a *Account) setMultiAssets(on bool) {
	mode := a.mode.Load()
	if mode == nil {
		return
	}
	changed := *mode
	changed.AccountType = singleAsset
	if on {
		changed.AccountType = multiAssets
	}
	a.mode.CompareAndSwap(mode, &changed)
}

// Balances lists the assets that the account holds or uses, and USDT in any
// case. In multi-assets mode each row is still that asset's own.
func (a *Account) Balances(ctx context.Context) ([]venues.Balance, error) {
	mode, err := a.knownMode(ctx)
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
		return nil, malformed(request{method: http.MethodGet, path: path}, err)
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
	// An untouched account lists no asset; its totals are those of USDT.
	whole := assetRecord{
		Asset: "USDT", UnrealizedProfit: r.TotalUnrealizedProfit, MarginBalance: r.TotalMarginBalance,
		InitialMargin: r.TotalInitialMargin, AvailableBalance: r.AvailableBalance,
	}
	b, err := whole.balance(accountType)
	return append(balances, b), err
}

func (r *assetRecord) empty() bool {
	return r.WalletBalance.Decimal.IsZero() && r.MarginBalance.Decimal.IsZero() && r.InitialMargin.Decimal.IsZero()
}

func (r *assetRecord) balance(accountType string) (venues.Balance, error) {
	if !r.MarginBalance.Valid || !r.AvailableBalance.Valid || !r.InitialMargin.Valid || !r.UnrealizedProfit.Valid || r.Asset == "" {
		return venues.Balance{}, missing("balance of asset " + strconv.Quote(bounded(r.Asset)))
	}
	return venues.Balance{
		Exchange: venues.Binance, AccountType: accountType, Currency: r.Asset,
		Equity:        r.MarginBalance.Decimal,
		Available:     r.AvailableBalance.Decimal,
		UsedMargin:    r.InitialMargin.Decimal,
		UnrealizedPnl: r.UnrealizedProfit.Decimal,
	}, nil
}

// Positions lists open positions. Leverage and margin mode come from a second
// request, made only if there is a position.
func (a *Account) Positions(ctx context.Context) ([]venues.Position, error) {
	const path = "/fapi/v3/positionRisk"
	var rows []positionRecord
	if err := a.get(ctx, path, nil, 5, &rows); err != nil {
		return nil, err
	}
	positions := make([]venues.Position, 0, len(rows))
	for n := range rows {
		p, open, err := rows[n].position()
		if err != nil {
			return nil, malformed(request{method: http.MethodGet, path: path}, err)
		}
		if open {
			p.AccountType = a.accountType()
			positions = append(positions, p)
		}
	}
	a.sides.replace(positions)
	if len(positions) == 0 {
		return positions, nil
	}
	return positions, a.addConfigs(ctx, positions)
}

// position reads a row; rows of symbols with nothing but open orders are not open.
func (r *positionRecord) position() (p venues.Position, open bool, err error) {
	book, err := parsePositionBook(r.PositionSide)
	if err != nil {
		return p, false, err
	}
	if !r.PositionAmt.Valid {
		return p, false, missing("positionAmt")
	}
	if r.PositionAmt.Decimal.IsZero() {
		return p, false, nil
	}
	return venues.Position{
		Exchange:         venues.Binance,
		Symbol:           canonicalSymbol(r.Symbol),
		Side:             book.sideOf(r.PositionAmt.Decimal),
		Qty:              r.PositionAmt.Decimal.Abs(),
		EntryPrice:       r.EntryPrice.positive(),
		MarkPrice:        r.MarkPrice.positive(),
		LiquidationPrice: r.LiquidationPrice.positive(),
		UnrealizedPnl:    r.UnrealizedProfit.Optional,
		UpdatedAt:        venues.At(millis(r.UpdateTime)),
	}, true, nil
}

func (a *Account) addConfigs(ctx context.Context, positions []venues.Position) error {
	configs, err := a.symbolConfigs(ctx, "")
	if err != nil {
		return err
	}
	for n := range positions {
		p := &positions[n]
		config, ok := configs[p.Symbol]
		if !ok {
			continue
		}
		p.Leverage = config.Leverage.positive()
		if p.MarginMode, err = parseMarginMode(config.MarginType); err != nil {
			return malformed(request{method: http.MethodGet, path: symbolConfigPath}, err)
		}
	}
	return nil
}

const symbolConfigPath = "/fapi/v1/symbolConfig"

// symbolConfigs reads leverage and margin type by canonical symbol; of one
// symbol or, if empty, of all.
func (a *Account) symbolConfigs(ctx context.Context, symbol string) (map[string]symbolConfig, error) {
	var p params
	if symbol != "" {
		p = params{{"symbol", a.c.venueSymbol(symbol)}}
	}
	var rows []symbolConfig
	if err := a.get(ctx, symbolConfigPath, p, 5, &rows); err != nil {
		return nil, err
	}
	configs := make(map[string]symbolConfig, len(rows))
	for _, row := range rows {
		configs[canonicalSymbol(row.Symbol)] = row
	}
	return configs, nil
}

// sideMemory remembers the direction of one-way positions: the venue reports a
// closed one without saying which it was.
type sideMemory struct {
	mu    sync.Mutex
	sides map[string]venues.PositionSide
}

func (m *sideMemory) replace(positions []venues.Position) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sides = make(map[string]venues.PositionSide, len(positions))
	for _, p := range positions {
		m.sides[p.Symbol] = p.Side
	}
}

// ended tells which sides of symbol are over now that its one-way position has
// the given amount, and remembers the new direction. If the old direction is not
// known, both may have been.
func (m *sideMemory) ended(symbol string, amount decimal.Decimal) []venues.PositionSide {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sides == nil {
		m.sides = make(map[string]venues.PositionSide)
	}
	before, known := m.sides[symbol]
	if amount.IsZero() {
		delete(m.sides, symbol)
		if known {
			return []venues.PositionSide{before}
		}
		return []venues.PositionSide{venues.Long, venues.Short}
	}
	now := bookBoth.sideOf(amount)
	m.sides[symbol] = now
	if known && before != now {
		return []venues.PositionSide{before}
	}
	return nil
}

// KeyFacts examines the API key where the environment has a host for that; else
// only whether the account may trade is told.
func (a *Account) KeyFacts(ctx context.Context) (venues.KeyFacts, error) {
	if a.c.keys == nil {
		var answer accountConfig
		if err := a.get(ctx, "/fapi/v1/accountConfig", nil, 5, &answer); err != nil {
			return venues.KeyFacts{}, err
		}
		return venues.KeyFacts{CanTrade: answer.CanTrade != nil && *answer.CanTrade}, nil
	}
	var answer struct {
		IPRestrict        bool  `json:"ipRestrict"`
		EnableWithdrawals bool  `json:"enableWithdrawals"`
		EnableFutures     bool  `json:"enableFutures"`
		ExpirationTime    int64 `json:"tradingAuthorityExpirationTime"`
	}
	err := a.c.call(ctx, request{
		method: http.MethodGet, path: "/sapi/v1/account/apiRestrictions", security: signed, account: a,
		lane: restclient.LaneHistory, keyHost: true,
	}, &answer)
	if err != nil {
		return venues.KeyFacts{}, err
	}
	return venues.KeyFacts{
		CanTrade: answer.EnableFutures, CanWithdraw: answer.EnableWithdrawals, IPBound: answer.IPRestrict,
		ExpiresAt: millis(answer.ExpirationTime), Known: true,
	}, nil
}
