package account

import (
	"context"
	"errors"
	"time"

	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// findStored reads the order of a report; nil if the store has none. A triggered foreign stop
// is found by its client id if its venue does not report which stop it was.
func (a *account) findStored(ctx context.Context, r *venues.ExecutionReport) (*loadedOrder, error) {
	var record persistence.OrderRecord
	var err error
	if id, ours := a.state.ids.orderID(r.ClientOrderID); ours {
		record, err = a.deps.Store.Order(ctx, a.deps.Customer, id)
	} else {
		record, err = a.deps.Store.AdoptedOrder(ctx, a.deps.Customer, a.state.ids.identityOf(r))
	}
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

// storeRetry is how long an account that starts waits while the store rejects commits.
// Otherwise it would fail at the first commit, restart, and use up the venue's rate limits.
const storeRetry = time.Second

// load reads the stored state of the account. It first waits until the commits of the last
// incarnation are durable or have failed, and until the store accepts one.
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
	unchanged := persistence.Batch{Fence: a.deps.Fence, Puts: []persistence.Record{done.account}, Reserve: true}
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

// withEntries adds the entries of the legs among unfinished orders. An entry whose stop was
// triggered is finished, but the venue may end the stop partially filled.
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
	q := persistence.FillQuery{Customer: a.deps.Customer, OrderID: record.OrderID}
	err := a.eachFill(ctx, q, func(f persistence.FillRecord) { loaded.fills = append(loaded.fills, f) })
	return loaded, err
}

// loadRisk reads the account's limits and lock, the fills of the day, and the ledgers of
// its positions.
func (a *account) loadRisk(ctx context.Context, done *loadDone) error {
	accounts, err := a.deps.Store.VenueAccounts(ctx, a.deps.Customer)
	if err != nil {
		return err
	}
	for _, record := range accounts {
		if record.Exchange == a.deps.Exchange {
			done.control = record
		}
	}
	done.risk, err = a.deps.Store.Risk(ctx, a.deps.Customer, a.deps.Exchange)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return err
	}
	done.today = risk.NewDay(time.Now())
	q := persistence.FillQuery{Customer: a.deps.Customer, Exchange: a.deps.Exchange, From: done.today.Start}
	err = a.eachFill(ctx, q, func(f persistence.FillRecord) { done.today.Add(&f) })
	if err != nil {
		return err
	}
	records, err := a.deps.Store.PositionRecords(ctx, a.deps.Customer, a.deps.Exchange)
	if err != nil {
		return err
	}
	for _, record := range records {
		loaded := loadedPosition{record: record}
		q.Symbol, q.From = record.Symbol, record.CutAt.Time
		if record.KnownSince.After(q.From) {
			q.From = record.KnownSince.Time
		}
		err := a.eachFill(ctx, q, func(f persistence.FillRecord) { loaded.fills = append(loaded.fills, f) })
		if err != nil {
			return err
		}
		done.positions = append(done.positions, loaded)
	}
	return nil
}
