package account

import (
	"context"
	"errors"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// ordersOfFills finds the orders whose fills are recorded. Executions of nobody's
// order are recorded too, and explain nothing.
func (a *account) ordersOfFills(ctx context.Context, symbol string, from time.Time, known map[venueKey]bool) error {
	q := persistence.FillQuery{Customer: a.deps.Customer, Exchange: a.deps.Exchange, Symbol: symbol, From: from}
	return a.eachFill(ctx, q, func(f persistence.FillRecord) {
		if f.OrderID != "" {
			known[venueKey{symbol: symbol, id: f.VenueOrderID}] = true
		}
	})
}

// findStored reads the order that a report is about; nil if the store has none. A
// stop made outside this service is found by its client id where its venue does
// not tell what it came from.
func (a *account) findStored(ctx context.Context, r *venues.ExecutionReport) (*loadedOrder, error) {
	record, err := a.deps.Store.Order(ctx, a.deps.Customer, a.state.ids.orderOf(r))
	if errors.Is(err, persistence.ErrNotFound) && r.ClientOrderID != "" {
		record, err = a.deps.Store.OrderByClientID(ctx, a.deps.Customer, r.ClientOrderID)
		if err == nil && !a.state.ids.isAbout(&record, r) {
			return nil, nil
		}
	}
	if errors.Is(err, persistence.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	loaded, err := a.loadOrder(ctx, record)
	return &loaded, err
}

// storeRetry is the wait of an account that is to start while the store takes no
// commits. It would end with the first thing that it found at its venue, and spend
// the venue's limits on finding it again and again.
const storeRetry = time.Second

// load reads what the account must know before it does anything. What an
// incarnation before this one has submitted is waited for, and the store must take
// a commit.
func (a *account) load(ctx context.Context) any {
	var done loadDone
	if err := persistence.Await(ctx, a.deps.Journal, persistence.Batch{Fence: a.deps.Fence}); err != nil {
		return loadDone{err: err}
	}
	state, err := a.deps.Store.AccountState(ctx, a.deps.Customer, a.deps.Exchange)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return loadDone{err: err}
	}
	done.account = state
	done.account.Customer, done.account.Exchange = a.deps.Customer, a.deps.Exchange
	unchanged := persistence.Batch{Fence: a.deps.Fence, Puts: []persistence.Record{done.account}}
	if err := persistence.Await(ctx, a.deps.Journal, unchanged); err != nil {
		return loadDone{err: err}
	}
	if err := a.loadRisk(ctx, &done); err != nil {
		return loadDone{err: err}
	}
	records, err := a.deps.Store.UnfinishedOrders(ctx, a.deps.Customer, a.deps.Exchange)
	if err != nil {
		return loadDone{err: err}
	}
	if records, err = a.withEntries(ctx, records); err != nil {
		return loadDone{err: err}
	}
	for _, record := range records {
		loaded, err := a.loadOrder(ctx, record)
		if err != nil {
			return loadDone{err: err}
		}
		done.orders = append(done.orders, loaded)
	}
	return done
}

// withEntries adds the entries of the legs among unfinished orders. One whose stop was
// reached has nothing to look after, unless the venue cuts the stop short.
func (a *account) withEntries(ctx context.Context, records []persistence.OrderRecord) ([]persistence.OrderRecord, error) {
	known := map[string]bool{"": true}
	for _, record := range records {
		known[record.OrderID] = true
	}
	for _, leg := range records {
		if known[leg.EntryOrderID] {
			continue
		}
		known[leg.EntryOrderID] = true
		entry, err := a.deps.Store.Order(ctx, a.deps.Customer, leg.EntryOrderID)
		switch {
		case err == nil:
			records = append(records, entry)
		case !errors.Is(err, persistence.ErrNotFound):
			return nil, err
		}
	}
	return records, nil
}

func (a *account) loadOrder(ctx context.Context, record persistence.OrderRecord) (loadedOrder, error) {
	loaded := loadedOrder{record: record}
	if record.RequestID != "" {
		claim, err := a.deps.Store.Idempotency(ctx, a.deps.Customer, record.Scope, record.RequestID)
		switch {
		case err == nil && claim.OrderID == record.OrderID && claim.FreedAt.IsZero():
			loaded.claim = &claim
		case err != nil && !errors.Is(err, persistence.ErrNotFound):
			return loaded, err
		}
	}
	q := persistence.FillQuery{Customer: a.deps.Customer, OrderID: record.OrderID, Limit: persistence.PageSizeMax}
	for {
		page, err := a.deps.Store.Fills(ctx, q)
		if err != nil {
			return loaded, err
		}
		loaded.fills = append(loaded.fills, page.Items...)
		if page.Next == nil {
			return loaded, nil
		}
		q.After = page.Next
	}
}
