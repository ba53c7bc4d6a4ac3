package bybit

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Traded reads the executions of all instruments for their names.
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
			if symbol := canonicalSymbol(rows[n].Symbol); symbol != "" && rows[n].isFill() {
				found[symbol] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
