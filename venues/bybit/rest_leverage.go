package bybit

import (
	"context"
	"net/http"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

const setLeveragePath = "/v5/position/set-leverage"

// leverageBody is POST /v5/position/set-leverage. Both sides get the same value: the
// venue requires it except in isolated hedge mode.
type leverageBody struct {
	Category     string `json:"category"`
	Symbol       string `json:"symbol"`
	BuyLeverage  string `json:"buyLeverage"`
	SellLeverage string `json:"sellLeverage"`
}

// SetLeverage changes the leverage of an instrument and reads it back. The same value is
// success. A rejection is leverage_change_rejected, with details.reason if the venue's
// code has one.
func (a *Account) SetLeverage(ctx context.Context, symbol string, leverage decimal.Decimal) (venues.LeverageChange, error) {
	change := venues.LeverageChange{Exchange: venues.Bybit, Symbol: symbol}
	text, venueSymbol := venues.FormatDecimal(leverage), a.c.venueSymbol(symbol)
	return connector.Leverage{
		Read: func() (venues.Optional, error) { return a.leverageOf(ctx, symbol) },
		Write: func() error {
			err := a.c.call(ctx, request{
				method: http.MethodPost, path: setLeveragePath, account: a, priority: restclient.PriorityOrder, mutates: true,
				body: leverageBody{Category: category, Symbol: venueSymbol, BuyLeverage: text, SellLeverage: text},
			}, nil)
			if err != nil && !rejection.Is(err, codeLeverageNotModified) {
				return a.leverageRejection(symbol, leverage, err)
			}
			return nil
		},
		Path: positionsPath,
	}.Change(change)
}

func (a *Account) leverageOf(ctx context.Context, symbol string) (venues.Optional, error) {
	leverage, _, err := a.settingsOf(ctx, symbol)
	return leverage, err
}

// leverageRejection returns the rejection with its reason and the maximum leverage.
func (a *Account) leverageRejection(symbol string, leverage decimal.Decimal, err error) error {
	code := rejection.CodeOf(err)
	reason, known := leverageReasons[code]
	high := a.maxLeverage(symbol)
	if code == codeParameter && high.Valid && leverage.GreaterThan(high.Decimal) {
		reason = venues.ReasonAboveMax
	}
	if !known && venues.CodeOf(err) != venues.CodeInvalidRequest {
		return err
	}
	return rejection.WithLeverage(err, reason, high)
}

func (a *Account) maxLeverage(symbol string) venues.Optional {
	if i, ok := a.c.instruments.Load().Find(symbol); ok {
		return i.MaxLeverage
	}
	return venues.Optional{}
}
