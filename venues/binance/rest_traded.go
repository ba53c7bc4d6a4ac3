package binance

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const (
	incomePath = "/fapi/v1/income"
	incomePage = 1000
	// incomePagesMax bounds one call: half a million rows.
	incomePagesMax = 500
)

// Traded finds instruments by the income of their executions, because the venue lists
// executions per instrument only. Executions without fee and profit are not found.
func (a *Account) Traded(ctx context.Context, from, to time.Time) ([]string, error) {
	found := map[string]bool{}
	for start, end := range connector.Spans(a.earliestFills(from), to, fillsWindow) {
		if err := a.incomeSymbols(ctx, start, end, found); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

func (a *Account) incomeSymbols(ctx context.Context, from, to time.Time, found map[string]bool) error {
	for page := 1; page <= incomePagesMax; page++ {
		var rows []struct {
			Symbol     string `json:"symbol"`
			IncomeType string `json:"incomeType"`
		}
		r := request{
			method: http.MethodGet, path: incomePath, security: signed, account: a,
			params: restclient.Params{
				{"startTime", strconv.FormatInt(from.UnixMilli(), 10)},
				{"endTime", strconv.FormatInt(to.UnixMilli()-1, 10)},
				{"limit", strconv.Itoa(incomePage)},
				{"page", strconv.Itoa(page)},
			},
			priority: restclient.PriorityReconcile, weight: 30,
		}
		if err := a.c.call(ctx, r, &rows); err != nil {
			return err
		}
		for _, row := range rows {
			if row.IncomeType == "" {
				return malformed(r, payload.Missing("incomeType"))
			}
			if !isOfExecution(row.IncomeType) {
				continue
			}
			symbol := canonicalSymbol(row.Symbol)
			if symbol == "" {
				return malformed(r, payload.UnknownValue("symbol", row.Symbol))
			}
			found[symbol] = true
		}
		if len(rows) < incomePage {
			return nil
		}
	}
	return venues.Errorf(venues.CodeExchangeUnavailable, "more than %d pages of income", incomePagesMax)
}

func isOfExecution(incomeType string) bool {
	return slices.Contains([]string{"COMMISSION", "REALIZED_PNL", "INSURANCE_CLEAR"}, incomeType)
}
