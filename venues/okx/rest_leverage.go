package okx

import (
	"context"
	"net/http"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

const leveragePath = "/api/v5/account/leverage-info"

// leverageRecord is a row of GET /api/v5/account/leverage-info.
type leverageRecord struct {
	InstID string         `json:"instId"`
	Lever  payload.Number `json:"lever"`
}

// leverageCommand is the body of POST /api/v5/account/set-leverage.
type leverageCommand struct {
	InstID  string `json:"instId"`
	Lever   string `json:"lever"`
	MgnMode string `json:"mgnMode"`
	PosSide string `json:"posSide,omitempty"`
}

// SetLeverage changes the leverage of an instrument, for the margin mode of its orders,
// and reads it back. The same value is success. A rejection is leverage_change_rejected,
// with details.reason if the venue's code has one.
func (a *Account) SetLeverage(ctx context.Context, symbol string, leverage decimal.Decimal) (venues.LeverageChange, error) {
	change := venues.LeverageChange{Exchange: venues.OKX, Symbol: symbol}
	if !leverage.IsPositive() {
		return change, restclient.NotSent(venues.Errorf(venues.CodeLeverageChangeRejected, "leverage must be above zero").With("reason", "below_min"))
	}
	k, err := a.c.instrument(ctx, symbol)
	if err != nil {
		return change, restclient.NotSent(err)
	}
	change.Symbol = k.Symbol
	mode, err := a.marginMode(ctx, k.Symbol)
	if err != nil {
		return change, restclient.NotSent(err)
	}
	sides, err := a.leverageSides(ctx, mode)
	if err != nil {
		return change, restclient.NotSent(err)
	}
	return connector.Leverage{
		Read: func() (venues.Optional, error) { return a.leverageOf(ctx, k, mode) },
		Write: func() error {
			for n, side := range sides {
				err := a.writeLeverage(ctx, k, leverage, mode, side)
				switch {
				case err != nil && n > 0: // only one side has the new leverage
					return restclient.OutcomeUnknown(err)
				case err != nil:
					return leverageRejection(k, err)
				}
			}
			return nil
		},
		Path: leveragePath,
	}.Change(change)
}

// leverageSides returns the values of posSide to write: isolated margin in hedge mode has
// a leverage per side, otherwise there is one for the instrument.
func (a *Account) leverageSides(ctx context.Context, mode venues.MarginMode) ([]venues.PositionSide, error) {
	account, err := a.mode.Get(ctx, a.Mode)
	if err != nil {
		return nil, err
	}
	if account.Hedge && mode == venues.MarginIsolated {
		return []venues.PositionSide{venues.Long, venues.Short}, nil
	}
	return []venues.PositionSide{""}, nil
}

func (a *Account) writeLeverage(ctx context.Context, k *instrument, leverage decimal.Decimal, mode venues.MarginMode, side venues.PositionSide) error {
	const path = "/api/v5/account/set-leverage"
	return a.c.call(ctx, request{
		method: http.MethodPost, path: path, account: a,
		body: leverageCommand{
			InstID: k.VenueSymbol, Lever: venues.FormatDecimal(leverage), MgnMode: string(mode), PosSide: string(side),
		},
		priority: restclient.PriorityOrder, limit: rateLimit{name: path, requests: 20}, mutates: true,
	}, nil)
}

// leverageOf returns the leverage of an instrument; unknown if the venue reports none or
// the sides differ.
func (a *Account) leverageOf(ctx context.Context, k *instrument, mode venues.MarginMode) (venues.Optional, error) {
	var rows []leverageRecord
	if err := a.get(ctx, leveragePath, restclient.Params{{"instId", k.VenueSymbol}, {"mgnMode", string(mode)}}, 20, &rows); err != nil {
		return venues.Optional{}, err
	}
	var leverage venues.Optional
	for _, row := range rows {
		if row.InstID != k.VenueSymbol {
			continue
		}
		if leverage.Valid && !venues.EqualOptional(leverage, row.Lever.Positive()) {
			return venues.Optional{}, nil
		}
		leverage = row.Lever.Positive()
	}
	return leverage, nil
}

// leverageRejection returns the rejection with its reason and the maximum leverage.
func leverageRejection(k *instrument, err error) error {
	if code := venues.CodeOf(err); code != venues.CodeLeverageChangeRejected && code != venues.CodeInvalidRequest {
		return err
	}
	return rejection.WithLeverage(err, leverageReasons[rejection.CodeOf(err)], k.MaxLeverage)
}
