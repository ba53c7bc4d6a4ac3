package bybit

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Traded returns the instruments of all executions.
func (a *Account) Traded(ctx context.Context, from, to time.Time) ([]string, error) {
	found := map[string]bool{}
	for start, end := range connector.Spans(from, to, executionsWindow) {
		rows, err := a.executions(ctx, "", start, end)
		if err != nil {
			return nil, err
		}
		for n := range rows {
			if !rows[n].isFill() {
				continue
			}
			symbol := canonicalSymbol(rows[n].Symbol)
			if symbol == "" {
				return nil, restclient.Unreadable(http.MethodGet, executionsPath, payload.UnknownValue("symbol", rows[n].Symbol))
			}
			found[symbol] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
