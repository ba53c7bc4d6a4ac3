package okx

import (
	"context"
	"net/http"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

const leveragePath = "/api/v5/account/leverage-info"

// leverageRecord is a row of GET /api/v5/account/leverage-info and what
// POST /api/v5/account/set-leverage takes.
type leverageRecord struct {
	InstID  string         `json:"instId"`
	Lever   payload.Number `json:"lever"`
	PosSide string         `json:"posSide"`
}

type leverageCommand struct {
	InstID  string `json:"instId"`
	Lever   string `json:"lever"`
	MgnMode string `json:"mgnMode"`
	PosSide string `json:"posSide,omitempty"`
}

// SetLeverage writes the leverage of an instrument, for the margin mode that its
// orders use, and reads it back. The same value is success. A refusal is
// leverage_change_rejected with details.reason where the venue's code tells one.
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
	mode, err := a.tradeMode(ctx, k.Symbol)
	if err != nil {
		return change, restclient.NotSent(err)
	}
	if change.PreviousLeverage, err = a.leverageOf(ctx, k, mode); err != nil {
		return change, restclient.NotSent(err)
	}
	books, err := a.leverageBooks(ctx, mode)
	if err != nil {
		return change, restclient.NotSent(err)
	}
	for n, book := range books {
		if err := a.writeLeverage(ctx, k, leverage, mode, book); err != nil {
			if n > 0 { // one side has the new leverage and the other has not
				return change, restclient.OutcomeUnknown(err)
			}
			return change, leverageRefusal(k, err)
		}
	}
	after, err := a.leverageOf(ctx, k, mode)
	if err != nil {
		return change, restclient.OutcomeUnknown(err)
	}
	if !after.Valid {
		return change, restclient.OutcomeUnknown(restclient.Unreadable(http.MethodGet, leveragePath, payload.Missing("lever")))
	}
	change.Leverage = after.Decimal
	return change, nil
}

// leverageBooks are the values of posSide to write: isolated margin in hedge mode
// has leverage per side, everything else has one.
func (a *Account) leverageBooks(ctx context.Context, mode venues.MarginMode) ([]positionBook, error) {
	account, err := a.knownMode(ctx)
	if err != nil {
		return nil, err
	}
	if account.Hedge && mode == venues.MarginIsolated {
		return []positionBook{bookLong, bookShort}, nil
	}
	return []positionBook{""}, nil
}

func (a *Account) writeLeverage(ctx context.Context, k *contract, leverage decimal.Decimal, mode venues.MarginMode, book positionBook) error {
	const path = "/api/v5/account/set-leverage"
	return a.c.call(ctx, request{
		method: http.MethodPost, path: path, account: a,
		body: leverageCommand{
			InstID: k.VenueSymbol, Lever: venues.FormatDecimal(leverage), MgnMode: string(mode), PosSide: string(book),
		},
		lane: restclient.LaneOrder, limit: allowance{name: path, limit: 20}, mutates: true,
	}, nil)
}

// leverageOf reads the leverage of an instrument; unknown where the venue tells
// none or the sides differ.
func (a *Account) leverageOf(ctx context.Context, k *contract, mode venues.MarginMode) (venues.Optional, error) {
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

// leverageRefusal says in the service's words why the venue refused.
func leverageRefusal(k *contract, err error) error {
	if code := venues.CodeOf(err); code != venues.CodeLeverageChangeRejected && code != venues.CodeInvalidRequest {
		return err
	}
	return refusal.WithLeverage(err, leverageReasons[refusal.CodeOf(err)], k.MaxLeverage)
}
