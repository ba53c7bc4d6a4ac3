package bybit

import (
	"context"
	"net/http"
	"sync"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const accountInfoPath = "/v5/account/info"

// modeSymbol is asked for the position mode that an account usually has.
const modeSymbol = "BTCUSDT"

// Account types.
const (
	accountUnified = "unified"
	accountClassic = "classic"
)

// marginKind is how an account reckons its margin.
type marginKind string

const (
	crossMargin     marginKind = "REGULAR_MARGIN"
	isolatedMargin  marginKind = "ISOLATED_MARGIN"
	portfolioMargin marginKind = "PORTFOLIO_MARGIN"
)

// accountMode is the mode with what the port does not show.
type accountMode struct {
	venues.AccountMode
	margin marginKind
}

// marginMode of positions: a portfolio shares its margin as cross does.
func (m accountMode) marginMode() venues.MarginMode {
	if m.margin == isolatedMargin {
		return venues.MarginIsolated
	}
	return venues.MarginCross
}

// marginWords are the margin kinds as they are told.
var marginWords = map[marginKind]string{
	crossMargin: string(venues.MarginCross), isolatedMargin: string(venues.MarginIsolated), portfolioMargin: "portfolio",
}

// MarginFacts tells the margin mode, which the account has one of.
func (a *Account) MarginFacts(ctx context.Context) (venues.MarginFacts, error) {
	mode, err := a.readMode(ctx)
	return venues.MarginFacts{Mode: marginWords[mode.margin]}, err
}

// accountInfo is the result of GET /v5/account/info.
type accountInfo struct {
	MarginMode          string  `json:"marginMode"`
	UnifiedMarginStatus integer `json:"unifiedMarginStatus"`
}

// mode reads the record. Status 1 is the account of old; all later ones are
// unified.
func (r *accountInfo) mode(now time.Time) (accountMode, error) {
	m := accountMode{AccountMode: venues.AccountMode{AccountType: accountUnified, ReadAt: now}, margin: marginKind(r.MarginMode)}
	switch m.margin {
	case crossMargin, isolatedMargin, portfolioMargin:
	default:
		return m, payload.UnknownWord("marginMode", r.MarginMode)
	}
	if r.UnifiedMarginStatus == 0 {
		return m, payload.Missing("unifiedMarginStatus")
	}
	if r.UnifiedMarginStatus == 1 {
		m.AccountType, m.Unfit = accountClassic, true
	}
	return m, nil
}

// Mode reads margin mode and position mode, and keeps them for orders. Position
// mode belongs to an instrument; what is told is that of BTCUSDT, which serves
// for every instrument of which nothing else is known yet.
func (a *Account) Mode(ctx context.Context) (venues.AccountMode, error) {
	mode, err := a.readMode(ctx)
	return mode.AccountMode, err
}

func (a *Account) readMode(ctx context.Context) (accountMode, error) {
	var answer accountInfo
	if err := a.get(ctx, accountInfoPath, nil, &answer); err != nil {
		return accountMode{}, err
	}
	mode, err := answer.mode(time.Now())
	if err != nil {
		return accountMode{}, malformed(request{method: http.MethodGet, path: accountInfoPath}, err)
	}
	if mode.Hedge, err = a.readHedge(ctx, modeSymbol); err != nil {
		return accountMode{}, err
	}
	a.mode.Store(&mode)
	return mode, nil
}

// knownMode is the mode as last read; it is read now if it never was.
func (a *Account) knownMode(ctx context.Context) (accountMode, error) {
	if mode := a.mode.Load(); mode != nil {
		return *mode, nil
	}
	return a.readMode(ctx)
}

// readHedge reads an instrument's position mode.
func (a *Account) readHedge(ctx context.Context, symbol string) (bool, error) {
	_, hedge, err := a.settingsOf(ctx, symbol)
	return hedge, err
}

// settingsOf reads an instrument's settings, which its rows tell even without a
// position, and remembers the position mode: one row with index 0, or two with 1
// and 2. The leverage is unknown with portfolio margin, and where the sides differ.
func (a *Account) settingsOf(ctx context.Context, symbol string) (leverage venues.Optional, hedge bool, err error) {
	name := a.c.venueSymbol(symbol)
	rows, err := a.positionRows(ctx, restclient.Params{{"symbol", name}})
	if err != nil {
		return venues.Optional{}, false, err
	}
	r := request{method: http.MethodGet, path: positionsPath}
	if len(rows) == 0 {
		return venues.Optional{}, false, malformed(r, payload.Missing("list"))
	}
	if rows[0].Symbol != name {
		return venues.Optional{}, false, malformed(r, payload.UnknownWord("symbol", rows[0].Symbol))
	}
	index, err := rows[0].PositionIdx.index()
	if err != nil {
		return venues.Optional{}, false, malformed(r, err)
	}
	hedge = index != oneWay
	a.hedges.learn(symbol, hedge)
	leverage = rows[0].Leverage.Positive()
	for _, row := range rows[1:] {
		if !venues.EqualOptional(leverage, row.Leverage.Positive()) {
			leverage = venues.Optional{}
		}
	}
	return leverage, hedge, nil
}

// hedgeOf is an instrument's position mode as far as known.
func (a *Account) hedgeOf(ctx context.Context, symbol string) (bool, error) {
	if hedge, known := a.hedges.of(symbol); known {
		return hedge, nil
	}
	mode, err := a.knownMode(ctx)
	return mode.Hedge, err
}

// knownHedge is hedgeOf without asking the venue.
func (a *Account) knownHedge(symbol string) bool {
	if hedge, known := a.hedges.of(symbol); known {
		return hedge
	}
	mode := a.mode.Load()
	return mode != nil && mode.Hedge
}

// hedgeTable holds the position modes of instruments by canonical symbol.
type hedgeTable struct {
	mu     sync.Mutex
	hedges map[string]bool
}

func (t *hedgeTable) of(symbol string) (hedge, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	hedge, known = t.hedges[symbol]
	return hedge, known
}

func (t *hedgeTable) learn(symbol string, hedge bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hedges == nil {
		t.hedges = make(map[string]bool)
	}
	t.hedges[symbol] = hedge
}
