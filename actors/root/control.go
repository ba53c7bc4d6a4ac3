package root

import (
	"context"

	"venuegate/persistence"
	"venuegate/venues"
)

// Changes of customers and accounts by an administrator. The record is stored first, so
// that the next start reads it.

// ConfigureCustomer starts a stored customer that is not running, or stops it if it is
// disabled.
func (t *Tree) ConfigureCustomer(ctx context.Context, record persistence.Customer) error {
	_, err := t.Customer(record.ID)
	running := err == nil
	switch {
	case record.Disabled && running:
		return t.StopCustomer(ctx, record.ID)
	case !record.Disabled && !running:
		return t.StartCustomer(record.ID)
	default:
		return nil
	}
}

// PutAccount stores an account and connects it; one without credentials is disconnected.
func (d *Directory) PutAccount(ctx context.Context, record persistence.VenueAccount) error {
	owner, err := d.Customer(record.Customer)
	if err != nil {
		return err
	}
	if len(record.Sealed) == 0 {
		return owner.Remove(ctx, record.Exchange)
	}
	return owner.Connect(ctx, record)
}

// RecordAccount stores an account. A running one is not changed.
func (d *Directory) RecordAccount(ctx context.Context, record persistence.VenueAccount) error {
	owner, err := d.Customer(record.Customer)
	if err != nil {
		return err
	}
	return owner.Record(ctx, record)
}

// Configure stores an account's limits and whether it is halted, and notifies the account
// if it is running. A halt continues after the return; see AwaitHalt.
func (d *Directory) Configure(ctx context.Context, record persistence.VenueAccount) error {
	if err := d.RecordAccount(ctx, record); err != nil {
		return err
	}
	c, err := d.account(record.Customer, record.Exchange)
	if err != nil {
		return nil //nolint:nilerr // an account that is not running reads its record when it starts
	}
	return c.Configure(ctx, record)
}

// AwaitHalt waits until the venue's own list of orders is empty or the halt is given up.
func (d *Directory) AwaitHalt(ctx context.Context, customer string, exchange venues.Venue) (venues.HaltReport, error) {
	c, err := d.account(customer, exchange)
	if err != nil {
		return venues.HaltReport{}, err
	}
	return c.AwaitHalt(ctx)
}

// Risk returns the loss of the day of an account.
func (d *Directory) Risk(ctx context.Context, customer string, exchange venues.Venue) (venues.RiskReport, error) {
	c, err := d.account(customer, exchange)
	if err != nil {
		return venues.RiskReport{}, err
	}
	return c.Risk(ctx)
}

// OpenReport returns the number of open orders of an account, and those of unknown outcome.
func (d *Directory) OpenReport(ctx context.Context, customer string, exchange venues.Venue) (venues.OpenOrdersReport, error) {
	c, err := d.account(customer, exchange)
	if err != nil {
		return venues.OpenOrdersReport{}, err
	}
	return c.OpenReport(ctx)
}

// Unlock ends the lock by an account's loss limit.
func (d *Directory) Unlock(ctx context.Context, customer string, exchange venues.Venue) error {
	c, err := d.account(customer, exchange)
	if err != nil {
		return err
	}
	return c.Unlock(ctx)
}
