package binance

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

// SetLeverage changes the leverage of an instrument, whole numbers only, and reads it
// back. The same value is success. A rejection is leverage_change_rejected, with
// details.reason if the venue's code has one.
func (a *Account) SetLeverage(ctx context.Context, symbol string, leverage decimal.Decimal) (venues.LeverageChange, error) {
	change := venues.LeverageChange{Exchange: venues.Binance, Symbol: symbol}
	if !leverage.IsInteger() || !leverage.IsPositive() {
		return change, restclient.NotSent(venues.Errorf(venues.CodeLeverageChangeRejected, "the venue accepts whole leverage only").
			With("reason", "not_whole"))
	}
	if high := a.c.maxLeverages.of(a.c.venueSymbol(symbol)); high.Valid && leverage.GreaterThan(high.Decimal) {
		// The list of instruments may be older than what an account has read since.
		return change, restclient.NotSent(venues.Errorf(venues.CodeLeverageChangeRejected, "leverage above the maximum").
			With("reason", venues.ReasonAboveMax).With("maxLeverage", venues.FormatDecimal(high.Decimal)))
	}
	return connector.Leverage{
		Read: func() (venues.Optional, error) { return a.leverageOf(ctx, symbol) },
		Write: func() error {
			return a.leverageRejection(symbol, a.c.call(ctx, request{
				method: http.MethodPost, path: "/fapi/v1/leverage", security: signed, account: a,
				params:   restclient.Params{{"symbol", a.c.venueSymbol(symbol)}, {"leverage", venues.FormatDecimal(leverage)}},
				priority: restclient.PriorityOrder, weight: 1, mutates: true,
			}, nil))
		},
		Path: symbolConfigPath,
	}.Change(change)
}

func (a *Account) leverageOf(ctx context.Context, symbol string) (venues.Optional, error) {
	configs, err := a.symbolConfigs(ctx, symbol)
	if err != nil {
		return venues.Optional{}, err
	}
	return configs[symbol].Leverage.Positive(), nil
}

// leverageRejection returns a rejection with its reason and the maximum leverage, and any
// other error as it is.
func (a *Account) leverageRejection(symbol string, err error) error {
	reason, known := leverageReasons[rejection.CodeOf(err)]
	if !known && venues.CodeOf(err) != venues.CodeInvalidRequest {
		return err
	}
	return rejection.WithLeverage(err, reason, a.c.maxLeverages.of(a.c.venueSymbol(symbol)))
}

// bracketRecord is a row of GET /fapi/v1/leverageBracket.
type bracketRecord struct {
	Symbol   string `json:"symbol"`
	Brackets []struct {
		InitialLeverage payload.Number `json:"initialLeverage"`
	} `json:"brackets"`
}

// readLeverageLimits reads the maximum leverages of all instruments.
func (a *Account) readLeverageLimits(ctx context.Context) error {
	var answer bracketList
	if err := a.get(ctx, "/fapi/v1/leverageBracket", nil, 1, &answer); err != nil {
		return err
	}
	leverages := make(map[string]decimal.Decimal, len(answer))
	for _, row := range answer {
		for _, bracket := range row.Brackets {
			if high := bracket.InitialLeverage.Positive(); high.Valid && high.Decimal.GreaterThan(leverages[row.Symbol]) {
				leverages[row.Symbol] = high.Decimal
			}
		}
	}
	a.c.maxLeverages.adopt(leverages, time.Now())
	return nil
}

// bracketList is a list that some versions of the venue's API print as one object.
type bracketList []bracketRecord

func (l *bracketList) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("{")) {
		*l = make(bracketList, 1)
		return json.Unmarshal(data, &(*l)[0])
	}
	return json.Unmarshal(data, (*[]bracketRecord)(l))
}

// maxLeverageTable has the maximum leverage per venue symbol, as read by some account.
type maxLeverageTable struct {
	mu        sync.Mutex
	leverages map[string]decimal.Decimal
	readAt    time.Time
}

func (t *maxLeverageTable) of(venueSymbol string) venues.Optional {
	t.mu.Lock()
	defer t.mu.Unlock()
	leverage, ok := t.leverages[venueSymbol]
	return venues.Optional{Decimal: leverage, Valid: ok}
}

func (t *maxLeverageTable) adopt(leverages map[string]decimal.Decimal, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leverages, t.readAt = leverages, now
}

// maxLeveragesAgeMax is the age at which the table is read again.
const maxLeveragesAgeMax = 12 * time.Hour

func (t *maxLeverageTable) due(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now.Sub(t.readAt) > maxLeveragesAgeMax
}
