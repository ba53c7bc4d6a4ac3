package bybit

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"venuegate/venues/internal/payload"
)

// Traded returns the instruments of all executions.
func (a *Account) Traded(ctx context.Context, from, to time.Time) ([]string, error) {
	found := map[string]bool{}
	for ; from.Before(to); from = from.Add(executionsWindow) {
		end := from.Add(executionsWindow)
		if end.After(to) {
			end = to
		}
		rows, err := a.executions(ctx, "", from, end)
		if err != nil {
			return nil, err
		}
		for n := range rows {
			if !rows[n].isFill() {
				continue
			}
			symbol := canonicalSymbol(rows[n].Symbol)
			if symbol == "" {
				return nil, malformed(request{method: http.MethodGet, path: executionsPath}, payload.UnknownValue("symbol", rows[n].Symbol))
			}
			found[symbol] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
