package okx

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Traded returns the instruments of all executions, from the lists that Fills reads. An
// execution in a delisted instrument that was never in the list is left out.
func (a *Account) Traded(ctx context.Context, from, to time.Time) ([]string, error) {
	found := map[string]bool{}
	for _, instType := range []string{instTypeSwap, instTypeFutures} {
		err := a.eachFillList(from, to, func(path string, perWindow int, from, to time.Time) error {
			return a.tradedIn(ctx, path, perWindow, instType, from, to, found)
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

func (a *Account) tradedIn(ctx context.Context, path string, perWindow int, instType string, from, to time.Time, found map[string]bool) error {
	p := restclient.Params{
		{"instType", instType},
		{"begin", strconv.FormatInt(from.UnixMilli(), 10)},
		{"end", strconv.FormatInt(to.Add(fillsSlack).UnixMilli(), 10)},
	}
	return eachRecord(ctx, a, a.signedRead(path, p, perWindow), fillsPagesMax, func(row *fillRecord) (id string, err error) {
		k, err := a.c.byVenueSymbol(ctx, row.InstID)
		switch {
		case errors.Is(err, payload.ErrNoInstrument): // delisted, and its size was never seen
			return row.BillID, nil
		case err == nil && k != nil:
			found[k.Symbol] = true
		}
		return row.BillID, err
	})
}
