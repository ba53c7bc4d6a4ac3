package account

import (
	"context"
	"errors"
	"time"

	"venuegate/actors/account/risk"
	"venuegate/persistence"
)

// loadRisk reads the account's limits and lock, what the day has brought so far, and the
// ledgers of its positions.
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
