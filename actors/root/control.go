package root

import (
	"context"

	"venuegate/actors/account"
	"venuegate/persistence"
	"venuegate/venues"
)

// What an administrator does to a connected account. The record comes first: it
// is what the account finds at its next start.

// Configure records an account's limits and whether it is halted, and tells the
// account if it runs. A halt goes on after the return; see AwaitHalt.
func (d *Directory) Configure(ctx context.Context, record persistence.VenueAccount) error {
	owner, err := d.Customer(record.Customer)
	if err != nil {
		return err
	}
	if err := owner.Record(ctx, record); err != nil {
		return err
	}
	c, err := d.account(record.Customer, record.Exchange)
	if err != nil {
		return nil //nolint:nilerr // an account that does not run reads its record when it does
	}
	return c.Configure(ctx, record)
}

// AwaitHalt waits until the venue's own list of orders is empty or the halt gives
// up.
func (d *Directory) AwaitHalt(ctx context.Context, customer string, exchange venues.Venue) (account.HaltResult, error) {
	c, err := d.account(customer, exchange)
	if err != nil {
		return account.HaltResult{}, err
	}
	return c.AwaitHalt(ctx)
}

// Unlock ends the lock of an account's limit.
func (d *Directory) Unlock(ctx context.Context, customer string, exchange venues.Venue) error {
	c, err := d.account(customer, exchange)
	if err != nil {
		return err
	}
	return c.Unlock(ctx)
}
