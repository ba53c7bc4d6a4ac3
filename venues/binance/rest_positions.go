package binance

import (
	"context"
	"net/http"
	"slices"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// positionRecord is a row of GET /fapi/v3/positionRisk.
type positionRecord struct {
	Symbol           string         `json:"symbol"`
	PositionSide     string         `json:"positionSide"`
	PositionAmt      payload.Number `json:"positionAmt"`
	EntryPrice       payload.Number `json:"entryPrice"`
	MarkPrice        payload.Number `json:"markPrice"`
	UnrealizedProfit payload.Number `json:"unRealizedProfit"`
	LiquidationPrice payload.Number `json:"liquidationPrice"`
	UpdateTime       int64          `json:"updateTime"`
}

// symbolConfig is a row of GET /fapi/v1/symbolConfig.
type symbolConfig struct {
	Symbol     string         `json:"symbol"`
	MarginType string         `json:"marginType"`
	Leverage   payload.Number `json:"leverage"`
}

// Positions returns open positions. Leverage and margin mode require a second request,
// which is sent only if there is a position.
func (a *Account) Positions(ctx context.Context) ([]venues.Position, error) {
	positions, err := a.positions.Read(func() ([]venues.Position, error) { return a.readPositions(ctx) })
	if err != nil || len(positions) == 0 {
		return positions, err
	}
	return positions, a.addConfigs(ctx, positions)
}

func (a *Account) readPositions(ctx context.Context) ([]venues.Position, error) {
	const path = "/fapi/v3/positionRisk"
	var rows []positionRecord
	if err := a.get(ctx, path, nil, 5, &rows); err != nil {
		return nil, err
	}
	positions := make([]venues.Position, 0, len(rows))
	for n := range rows {
		p, open, err := rows[n].position()
		if err != nil {
			return nil, restclient.Unreadable(http.MethodGet, path, err)
		}
		if open {
			p.AccountType = a.mode.AccountType()
			positions = append(positions, p)
		}
	}
	return positions, nil
}

// position converts a row. Rows of symbols that only have open orders are not open.
func (r *positionRecord) position() (p venues.Position, open bool, err error) {
	posSide, err := parsePositionSide(r.PositionSide)
	if err != nil {
		return p, false, err
	}
	symbol := canonicalSymbol(r.Symbol)
	switch {
	case symbol == "":
		return p, false, payload.UnknownValue("symbol", r.Symbol)
	case !r.PositionAmt.Valid:
		return p, false, payload.Missing("positionAmt")
	}
	if r.PositionAmt.Decimal.IsZero() {
		return p, false, nil
	}
	return venues.Position{
		Exchange:         venues.Binance,
		Symbol:           symbol,
		Side:             connector.SideOf(posSide, r.PositionAmt.Decimal),
		Qty:              r.PositionAmt.Decimal.Abs(),
		EntryPrice:       r.EntryPrice.Positive(),
		MarkPrice:        r.MarkPrice.Positive(),
		LiquidationPrice: r.LiquidationPrice.Positive(),
		UnrealizedPnl:    r.UnrealizedProfit.Optional,
		UpdatedAt:        venues.At(payload.Millis(r.UpdateTime)),
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
		p.Leverage = config.Leverage.Positive()
		if p.MarginMode, err = parseMarginMode(config.MarginType); err != nil {
			return restclient.Unreadable(http.MethodGet, symbolConfigPath, err)
		}
	}
	return nil
}

const symbolConfigPath = "/fapi/v1/symbolConfig"

// symbolConfigs returns leverage and margin type by canonical symbol; of one symbol or,
// if empty, of all.
func (a *Account) symbolConfigs(ctx context.Context, symbol string) (map[string]symbolConfig, error) {
	var p restclient.Params
	if symbol != "" {
		p = restclient.Params{{"symbol", a.c.venueSymbol(symbol)}}
	}
	changes := a.leverages.version()
	var rows []symbolConfig
	if err := a.get(ctx, symbolConfigPath, p, 5, &rows); err != nil {
		return nil, err
	}
	configs := make(map[string]symbolConfig, len(rows))
	for _, row := range rows {
		name := canonicalSymbol(row.Symbol)
		if name == "" {
			return nil, restclient.Unreadable(http.MethodGet, symbolConfigPath, payload.UnknownValue("symbol", row.Symbol))
		}
		configs[name] = row
	}
	if symbol == "" {
		a.leverages.adopt(changes, configs)
	} else {
		a.leverages.set(symbol, configs[symbol].Leverage.Positive())
	}
	return configs, nil
}

// MarginInfo returns the instruments that are set to isolated margin. All others have
// cross margin.
func (a *Account) MarginInfo(ctx context.Context) (venues.MarginInfo, error) {
	configs, err := a.symbolConfigs(ctx, "")
	if err != nil {
		return venues.MarginInfo{}, err
	}
	info := venues.MarginInfo{Mode: string(venues.MarginCross)}
	for symbol, config := range configs {
		mode, err := parseMarginMode(config.MarginType)
		if err != nil {
			return info, restclient.Unreadable(http.MethodGet, symbolConfigPath, err)
		}
		if mode == venues.MarginIsolated {
			info.Isolated = append(info.Isolated, symbol)
		}
	}
	slices.Sort(info.Isolated)
	return info, nil
}
