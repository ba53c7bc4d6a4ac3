package bybit

import (
	"context"
	"net/http"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

const setLeveragePath = "/v5/position/set-leverage"

// leverageBody is POST /v5/position/set-leverage. Both sides are set alike: the
// venue demands it everywhere but in isolated hedge mode.
type leverageBody struct {
	Category     string `json:"category"`
	Symbol       string `json:"symbol"`
	BuyLeverage  string `json:"buyLeverage"`
	SellLeverage string `json:"sellLeverage"`
}

// SetLeverage writes the leverage of an instrument and reads it back. The same
// value is success. A refusal is leverage_change_rejected with details.reason
// where the venue's code tells one.
func (a *Account) SetLeverage(ctx context.Context, symbol string, leverage decimal.Decimal) (venues.LeverageChange, error) {
	change := venues.LeverageChange{Exchange: venues.Bybit, Symbol: symbol}
	before, err := a.leverageOf(ctx, symbol)
	if err != nil {
		return change, restclient.NotSent(err)
	}
	change.PreviousLeverage = before
	text, venueSymbol := venues.FormatDecimal(leverage), a.c.venueSymbol(symbol)
	err = a.c.call(ctx, request{
		method: http.MethodPost, path: setLeveragePath, account: a, lane: restclient.LaneOrder, mutates: true,
		body: leverageBody{Category: category, Symbol: venueSymbol, BuyLeverage: text, SellLeverage: text},
	}, nil)
	if err != nil && !refusal.Is(err, codeLeverageNotModified) {
		return change, a.leverageRefusal(symbol, leverage, err)
	}
	after, err := a.leverageOf(ctx, symbol)
	if err != nil {
		return change, restclient.OutcomeUnknown(err)
	}
	if !after.Valid {
		return change, restclient.OutcomeUnknown(malformed(request{method: http.MethodGet, path: positionsPath}, payload.Missing("leverage")))
	}
	change.Leverage = after.Decimal
	return change, nil
}

func (a *Account) leverageOf(ctx context.Context, symbol string) (venues.Optional, error) {
	leverage, _, err := a.settingsOf(ctx, symbol)
	return leverage, err
}

// leverageRefusal says in the service's words why the venue refused.
func (a *Account) leverageRefusal(symbol string, leverage decimal.Decimal, err error) error {
	code := refusal.CodeOf(err)
	reason, known := leverageReasons[code]
	high := a.maxLeverage(symbol)
	if code == codeParameter && high.Valid && leverage.GreaterThan(high.Decimal) {
		reason, known = venues.ReasonAboveMax, true
	}
	if !known && venues.CodeOf(err) != venues.CodeInvalidRequest {
		return err
	}
	return refusal.WithLeverage(err, reason, high)
}

func (a *Account) maxLeverage(symbol string) venues.Optional {
	if i, ok := a.c.catalogue.Load().Find(symbol); ok {
		return i.MaxLeverage
	}
	return venues.Optional{}
}
