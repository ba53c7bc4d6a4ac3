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

// modeSymbol is the instrument whose position mode stands for the account's usual one.
const modeSymbol = "BTCUSDT"

// Account types.
const (
	accountUnified = "unified"
	accountClassic = "classic"
)

// marginKind is the margin mode of an account.
type marginKind string

const (
	crossMargin     marginKind = "REGULAR_MARGIN"
	isolatedMargin  marginKind = "ISOLATED_MARGIN"
	portfolioMargin marginKind = "PORTFOLIO_MARGIN"
)

// accountMode is the account mode with the venue's margin mode.
type accountMode struct {
	venues.AccountMode
	margin marginKind
}

// marginMode returns the margin mode of positions: portfolio margin is shared like cross
// margin.
func (m accountMode) marginMode() venues.MarginMode {
	if m.margin == isolatedMargin {
		return venues.MarginIsolated
	}
	return venues.MarginCross
}

// marginModes are the margin modes as reported.
var marginModes = map[marginKind]string{
	crossMargin: string(venues.MarginCross), isolatedMargin: string(venues.MarginIsolated), portfolioMargin: "portfolio",
}

// MarginInfo returns the account's margin mode.
func (a *Account) MarginInfo(ctx context.Context) (venues.MarginInfo, error) {
	mode, err := a.readMode(ctx)
	return venues.MarginInfo{Mode: marginModes[mode.margin]}, err
}

// accountInfo is the result of GET /v5/account/info.
type accountInfo struct {
	MarginMode          string  `json:"marginMode"`
	UnifiedMarginStatus integer `json:"unifiedMarginStatus"`
}

// mode converts the record. Status 1 is the classic account; all later ones are unified.
func (r *accountInfo) mode(now time.Time) (accountMode, error) {
	m := accountMode{AccountMode: venues.AccountMode{AccountType: accountUnified, ReadAt: now}, margin: marginKind(r.MarginMode)}
	switch m.margin {
	case crossMargin, isolatedMargin, portfolioMargin:
	default:
		return m, payload.UnknownValue("marginMode", r.MarginMode)
	}
	if r.UnifiedMarginStatus == 0 {
		return m, payload.Missing("unifiedMarginStatus")
	}
	if r.UnifiedMarginStatus == 1 {
		m.AccountType, m.NoDerivatives = accountClassic, true
	}
	return m, nil
}

// Mode reads margin mode and position mode and keeps them for orders. Position mode
// belongs to an instrument; that of BTCUSDT is returned, and used for every instrument
// whose own mode is unknown.
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
		return accountMode{}, restclient.Unreadable(http.MethodGet, accountInfoPath, err)
	}
	if mode.Hedge, err = a.readHedge(ctx, modeSymbol); err != nil {
		return accountMode{}, err
	}
	a.mode.Store(&mode)
	return mode, nil
}

// knownMode returns the mode as last read, and reads it if it was never read.
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

// settingsOf reads an instrument's settings, whose rows exist even without a position,
// and keeps the position mode: one row in one-way mode, two in hedge mode. The leverage is
// unknown with portfolio margin, and if the sides differ.
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
		return venues.Optional{}, false, malformed(r, payload.UnknownValue("symbol", rows[0].Symbol))
	}
	posSide, err := rows[0].PositionIdx.side()
	if err != nil {
		return venues.Optional{}, false, malformed(r, err)
	}
	hedge = posSide != ""
	a.modes.set(symbol, hedge)
	leverage = rows[0].Leverage.Positive()
	for _, row := range rows[1:] {
		if !venues.EqualOptional(leverage, row.Leverage.Positive()) {
			leverage = venues.Optional{}
		}
	}
	return leverage, hedge, nil
}

// hedgeOf returns an instrument's position mode as far as known.
func (a *Account) hedgeOf(ctx context.Context, symbol string) (bool, error) {
	if hedge, known := a.modes.of(symbol); known {
		return hedge, nil
	}
	mode, err := a.knownMode(ctx)
	return mode.Hedge, err
}

// knownHedge is hedgeOf without a request.
func (a *Account) knownHedge(symbol string) bool {
	if hedge, known := a.modes.of(symbol); known {
		return hedge
	}
	mode := a.mode.Load()
	return mode != nil && mode.Hedge
}

// positionModes keeps the position modes of instruments by canonical symbol. It is safe for
// concurrent use.
type positionModes struct{ hedges sync.Map }

func (m *positionModes) of(symbol string) (hedge, known bool) {
	value, known := m.hedges.Load(symbol)
	hedge, _ = value.(bool)
	return hedge, known
}

func (m *positionModes) set(symbol string, hedge bool) { m.hedges.Store(symbol, hedge) }
