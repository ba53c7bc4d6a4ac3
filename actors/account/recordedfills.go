package account

import (
	"context"
	"slices"
	"time"

	"venuegate/actors/account/position"
	"venuegate/persistence"
	"venuegate/venues"
)

// storedUnattributed returns the store's records of those of fills that it has without an
// order. They must be of one symbol.
func (a *account) storedUnattributed(ctx context.Context, fills []venues.Fill) ([]persistence.FillRecord, error) {
	recorded, err := a.recorded(ctx, fills)
	var list []persistence.FillRecord
	for i := range fills {
		if record, is := recorded[position.TradeKey(&fills[i])]; is && record.OrderID == "" {
			list = append(list, record)
		}
	}
	return list, err
}

// newFills returns those of fills that the store does not have, or has without an order, and
// its records of the latter. They must be of one symbol. The others need no lookup of their
// order, which would cost a request each at every start.
func (a *account) newFills(ctx context.Context, fills []venues.Fill) (list []venues.Fill, unattributed []persistence.FillRecord, err error) {
	recorded, err := a.recorded(ctx, fills)
	for i := range fills {
		record, is := recorded[position.TradeKey(&fills[i])]
		if is && record.OrderID == "" {
			unattributed = append(unattributed, record)
		}
		if !is || record.OrderID == "" {
			list = append(list, fills[i])
		}
	}
	return list, unattributed, err
}

// unrecorded returns those of fills that the store does not have. They must be of one symbol.
func (a *account) unrecorded(ctx context.Context, fills []venues.Fill) ([]venues.Fill, error) {
	recorded, err := a.recorded(ctx, fills)
	return slices.DeleteFunc(slices.Clone(fills), func(f venues.Fill) bool {
		_, is := recorded[position.TradeKey(&f)]
		return is
	}), err
}

// recorded returns the store's records of fills, which must be of one symbol, by their trade
// keys.
func (a *account) recorded(ctx context.Context, fills []venues.Fill) (map[string]persistence.FillRecord, error) {
	recorded := map[string]persistence.FillRecord{}
	if len(fills) == 0 {
		return recorded, nil
	}
	first, last := fills[0].ExecutedAt.Time, fills[0].ExecutedAt.Time
	for _, f := range fills {
		if f.ExecutedAt.Before(first) {
			first = f.ExecutedAt.Time
		}
		if f.ExecutedAt.After(last) {
			last = f.ExecutedAt.Time
		}
	}
	q := persistence.FillQuery{
		Customer: a.deps.Customer, Exchange: a.deps.Exchange, Symbol: fills[0].Symbol,
		From: first.Add(-time.Second), To: last.Add(time.Second),
	}
	err := a.eachFill(ctx, q, func(f persistence.FillRecord) { recorded[position.TradeKey(&f.Fill)] = f })
	return recorded, err
}

// ordersOfFills adds the orders whose fills are recorded to known. Fills that are
// recorded without an order are left out.
func (a *account) ordersOfFills(ctx context.Context, symbol string, from time.Time, known map[venueKey]bool) error {
	q := persistence.FillQuery{Customer: a.deps.Customer, Exchange: a.deps.Exchange, Symbol: symbol, From: from}
	return a.eachFill(ctx, q, func(f persistence.FillRecord) {
		if f.OrderID != "" {
			known[venueKey{symbol: symbol, id: f.VenueOrderID}] = true
		}
	})
}

// eachFill calls visit for every stored fill that matches the query.
func (a *account) eachFill(ctx context.Context, q persistence.FillQuery, visit func(persistence.FillRecord)) error {
	q.Limit = persistence.PageSizeMax
	for {
		page, err := a.deps.Store.Fills(ctx, q)
		if err != nil {
			return err
		}
		for _, f := range page.Items {
			visit(f)
		}
		if page.Next == nil {
			return nil
		}
		q.After = page.Next
	}
}
