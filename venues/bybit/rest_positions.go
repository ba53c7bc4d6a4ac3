package bybit

import (
	"context"
	"net/http"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const (
	positionsPath = "/v5/position/list"
	positionsPage = 200
)

// positionRecord is a position. Its price is avgPrice in queries and entryPrice on the
// stream.
type positionRecord struct {
	Category      string         `json:"category"` // on the stream only
	PositionIdx   positionIndex  `json:"positionIdx"`
	Symbol        string         `json:"symbol"`
	Side          string         `json:"side"`
	Size          payload.Number `json:"size"`
	AvgPrice      payload.Number `json:"avgPrice"`
	EntryPrice    payload.Number `json:"entryPrice"`
	MarkPrice     payload.Number `json:"markPrice"`
	LiqPrice      payload.Number `json:"liqPrice"`
	UnrealisedPnl payload.Number `json:"unrealisedPnl"`
	Leverage      payload.Number `json:"leverage"`
	TakeProfit    payload.Number `json:"takeProfit"`
	StopLoss      payload.Number `json:"stopLoss"`
	OpenTime      integer        `json:"openTime"`
	UpdatedTime   integer        `json:"updatedTime"`
}

// positionRows reads the rows of an instrument, or the open ones of a settlement coin.
func (a *Account) positionRows(ctx context.Context, filter restclient.Params) ([]positionRecord, error) {
	p := append(restclient.Params{{"category", category}}, filter...)
	return pages[positionRecord](ctx, a.c, get(positionsPath, p, a, restclient.PriorityReconcile), positionsPage)
}

// Positions returns the open positions of all settlement coins.
func (a *Account) Positions(ctx context.Context) ([]venues.Position, error) {
	mode, err := a.knownMode(ctx)
	if err != nil {
		return nil, err
	}
	return a.positions.Read(func() ([]venues.Position, error) { return a.readPositions(ctx, mode) })
}

func (a *Account) readPositions(ctx context.Context, mode accountMode) ([]venues.Position, error) {
	positions := []venues.Position{}
	for _, coin := range settleCoins {
		rows, err := a.positionRows(ctx, restclient.Params{{"settleCoin", coin}})
		if err != nil {
			return nil, err
		}
		for n := range rows {
			posSide, p, err := rows[n].position(mode)
			if err != nil {
				return nil, restclient.Unreadable(http.MethodGet, positionsPath, err)
			}
			a.modes.set(p.Symbol, posSide != "")
			if p.Qty.IsPositive() {
				positions = append(positions, p)
			}
		}
	}
	return positions, nil
}

// position converts a row. An empty one in one-way mode has no side.
func (r *positionRecord) position(mode accountMode) (venues.PositionSide, venues.Position, error) {
	posSide, err := r.PositionIdx.side()
	p := venues.Position{
		Exchange:         venues.Bybit,
		Symbol:           canonicalSymbol(r.Symbol),
		Qty:              r.Size.Decimal,
		EntryPrice:       r.AvgPrice.Positive(),
		MarkPrice:        r.MarkPrice.Positive(),
		LiquidationPrice: r.LiqPrice.Positive(),
		UnrealizedPnl:    r.UnrealisedPnl.Optional,
		Leverage:         r.Leverage.Positive(),
		StopLoss:         r.StopLoss.Positive(),
		TakeProfit:       r.TakeProfit.Positive(),
		AccountType:      mode.AccountType,
		MarginMode:       mode.marginMode(),
		OpenedAt:         venues.At(r.OpenTime.time()),
		UpdatedAt:        venues.At(r.UpdatedTime.time()),
	}
	if !p.EntryPrice.Valid {
		p.EntryPrice = r.EntryPrice.Positive()
	}
	switch {
	case err != nil:
		return posSide, p, err
	case p.Symbol == "":
		return posSide, p, payload.Missing("symbol")
	case !r.Size.Valid || p.Qty.IsNegative():
		return posSide, p, payload.Missing("size")
	}
	p.Side, err = r.side(posSide)
	return posSide, p, err
}

// side returns the side of the position: that of the row or, for an empty one in hedge mode,
// posSide.
func (r *positionRecord) side(posSide venues.PositionSide) (venues.PositionSide, error) {
	switch {
	case r.Side == "Buy":
		return venues.Long, nil
	case r.Side == "Sell":
		return venues.Short, nil
	case r.Size.Decimal.IsPositive() || r.Side != "" && r.Side != "None":
		return "", payload.UnknownValue("side", r.Side)
	default:
		return posSide, nil
	}
}
