package okx

import (
	"context"
	"maps"
	"slices"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

const positionsPath = "/api/v5/account/positions"

// positionRecord is a row of GET /api/v5/account/positions and of the stream channel
// positions.
type positionRecord struct {
	InstID         string         `json:"instId"`
	PosSide        string         `json:"posSide"`
	Pos            payload.Number `json:"pos"`
	AvgPx          payload.Number `json:"avgPx"`
	MarkPx         payload.Number `json:"markPx"`
	LiqPx          payload.Number `json:"liqPx"`
	Upl            payload.Number `json:"upl"`
	Lever          payload.Number `json:"lever"`
	MgnMode        string         `json:"mgnMode"`
	CTime          milliTime      `json:"cTime"`
	UTime          milliTime      `json:"uTime"`
	CloseOrderAlgo []struct {
		SlTriggerPx   payload.Number `json:"slTriggerPx"`
		TpTriggerPx   payload.Number `json:"tpTriggerPx"`
		CloseFraction string         `json:"closeFraction"`
	} `json:"closeOrderAlgo"`
}

// Positions returns open positions.
func (a *Account) Positions(ctx context.Context) ([]venues.Position, error) {
	mode, err := a.mode.Get(ctx, a.Mode)
	if err != nil {
		return nil, err
	}
	return a.positions.Read(func() ([]venues.Position, error) { return a.readPositions(ctx, mode) })
}

func (a *Account) readPositions(ctx context.Context, mode venues.AccountMode) ([]venues.Position, error) {
	var rows []positionRecord
	if err := a.get(ctx, positionsPath, nil, 10, &rows); err != nil {
		return nil, err
	}
	positions := make([]venues.Position, 0, len(rows))
	for n := range rows {
		k, err := a.c.byVenueSymbol(ctx, rows[n].InstID)
		if err != nil {
			return nil, unreadableRow(positionsPath, err)
		}
		if k == nil {
			continue
		}
		p, _, err := rows[n].position(k)
		if err != nil {
			return nil, unreadableRow(positionsPath, err)
		}
		if p.Qty.IsPositive() {
			p.AccountType = mode.AccountType
			positions = append(positions, p)
		}
	}
	return positions, nil
}

// position converts a row. A closed position has Qty zero; in one-way mode its Side is then
// meaningless.
func (r *positionRecord) position(k *instrument) (venues.Position, venues.PositionSide, error) {
	posSide, err := parsePositionSide(r.PosSide)
	if err == nil && r.PosSide == "" { // required here: in hedge mode the amount has no sign
		err = payload.Missing("posSide")
	}
	if err != nil {
		return venues.Position{}, posSide, err
	}
	mode, err := parseMarginMode(r.MgnMode)
	if err != nil {
		return venues.Position{}, posSide, err
	}
	if !r.Pos.Valid {
		return venues.Position{}, posSide, payload.Missing("pos")
	}
	p := venues.Position{
		Exchange: venues.OKX, Symbol: k.Symbol, Side: connector.SideOf(posSide, r.Pos.Decimal), Qty: k.toBase(r.Pos.Decimal.Abs()),
		EntryPrice: r.AvgPx.Positive(), MarkPrice: r.MarkPx.Positive(), LiquidationPrice: r.LiqPx.Positive(),
		UnrealizedPnl: r.Upl.Optional, Leverage: r.Lever.Positive(), MarginMode: mode,
		OpenedAt: venues.At(r.CTime.Time), UpdatedAt: venues.At(r.UTime.Time),
	}
	for _, stop := range r.CloseOrderAlgo {
		if stop.CloseFraction == "1" {
			p.StopLoss, p.TakeProfit = stop.SlTriggerPx.Positive(), stop.TpTriggerPx.Positive()
		}
	}
	return p, posSide, nil
}

// marginMode returns the margin mode (tdMode, mgnMode) for an order or for the leverage of
// an instrument: that of its open position, cross if there is none. The service never
// changes to isolated margin. The positions are read if they were never read.
func (a *Account) marginMode(ctx context.Context, symbol string) (venues.MarginMode, error) {
	if !a.positions.Listed() {
		if _, err := a.Positions(ctx); err != nil {
			return "", err
		}
	}
	for _, p := range a.positions.Open(symbol) {
		if p.MarginMode == venues.MarginIsolated {
			return venues.MarginIsolated, nil
		}
	}
	return venues.MarginCross, nil
}

// MarginInfo returns which open positions have isolated margin. At this venue the margin
// mode belongs to each order: orders of this service are cross unless the position is
// isolated.
func (a *Account) MarginInfo(ctx context.Context) (venues.MarginInfo, error) {
	positions, err := a.Positions(ctx)
	if err != nil {
		return venues.MarginInfo{}, err
	}
	isolated := map[string]bool{}
	for _, p := range positions {
		if p.MarginMode == venues.MarginIsolated {
			isolated[p.Symbol] = true
		}
	}
	return venues.MarginInfo{Mode: string(venues.MarginCross), Isolated: slices.Sorted(maps.Keys(isolated))}, nil
}
