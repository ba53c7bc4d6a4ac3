package main

import (
	"context"

	"venuegate/persistence"
	"venuegate/transport/admin"
	"venuegate/venues"
)

// The engine is the administration's directory: what runs follows what is
// recorded.

// CustomerChanged implements admin.Directory.
func (e *engine) CustomerChanged(ctx context.Context, id string) error {
	record, err := e.store.Customer(ctx, id)
	if err != nil {
		return err
	}
	if record.Disabled {
		if err := e.revokeKeys(ctx, id); err != nil {
			return err
		}
	}
	_, err = e.tree.Customer(id)
	running := err == nil
	switch {
	case record.Disabled && running:
		return e.tree.StopCustomer(ctx, id)
	case !record.Disabled && !running:
		return e.tree.StartCustomer(id)
	default:
		return nil
	}
}

// revokeKeys ends what was opened with any key of a customer.
func (e *engine) revokeKeys(ctx context.Context, customer string) error {
	keys, err := e.store.APIKeys(ctx, customer)
	for i := range keys {
		e.auth.Revoke(keys[i].ID)
	}
	return err
}

// KeyChanged implements admin.Directory.
func (e *engine) KeyChanged(_ context.Context, keyID string) error {
	e.auth.Revoke(keyID)
	return nil
}

// PutAccount implements admin.Directory.
func (e *engine) PutAccount(ctx context.Context, account persistence.VenueAccount) error {
	owner, err := e.tree.Customer(account.Customer)
	if err != nil {
		return err
	}
	if len(account.Sealed) == 0 {
		return owner.Remove(ctx, account.Exchange)
	}
	return owner.Connect(ctx, account)
}

// ConfigureAccount implements admin.Directory.
func (e *engine) ConfigureAccount(ctx context.Context, account persistence.VenueAccount) error {
	return e.tree.Configure(ctx, account)
}

// AwaitHalt implements admin.Directory.
func (e *engine) AwaitHalt(ctx context.Context, customer string, exchange venues.Venue) (admin.HaltReport, error) {
	result, err := e.tree.AwaitHalt(ctx, customer, exchange)
	return admin.HaltReport{Done: result.Done, OpenOrders: result.OpenOrders, OpenPositions: result.OpenPositions}, err
}

// UnlockAccount implements admin.Directory.
func (e *engine) UnlockAccount(ctx context.Context, customer string, exchange venues.Venue) error {
	return e.tree.Unlock(ctx, customer, exchange)
}

// RecordAccount implements admin.Directory.
func (e *engine) RecordAccount(ctx context.Context, account persistence.VenueAccount) error {
	owner, err := e.tree.Customer(account.Customer)
	if err != nil {
		return err
	}
	return owner.Record(ctx, account)
}

// PutPart implements admin.Signals.
func (e *engine) PutPart(ctx context.Context, record persistence.Record, row persistence.JournalEntry) error {
	return e.tree.ConfigurePart(ctx, record, row)
}

// PutAlert implements admin.Signals.
func (e *engine) PutAlert(ctx context.Context, alert persistence.Alert, row persistence.JournalEntry) (persistence.Alert, error) {
	return e.tree.PutAlert(ctx, alert, row)
}

// Accept implements admin.Signals.
func (e *engine) Accept(ctx context.Context, s venues.Signal) (venues.SignalAnswer, error) {
	return e.tree.Accept(ctx, s)
}

// Resend implements admin.Signals.
func (e *engine) Resend(ctx context.Context, customer, endpoint, eventID string) error {
	return e.tree.Resend(ctx, customer, endpoint, eventID)
}

// ResendUndelivered implements admin.Signals.
func (e *engine) ResendUndelivered(ctx context.Context, customer, endpoint string) (int, error) {
	return e.tree.ResendUndelivered(ctx, customer, endpoint)
}

// TestEndpoint implements admin.Signals.
func (e *engine) TestEndpoint(ctx context.Context, customer, endpoint string) (admin.EndpointTest, error) {
	t, err := e.tree.TestEndpoint(ctx, customer, endpoint)
	return admin.EndpointTest{EventID: t.EventID, Attempt: t.Attempt, Took: t.Took}, err
}

// Symbol implements admin.Signals. While the instruments of an exchange are not
// known, every name may be one of them.
func (e *engine) Symbol(exchange venues.Venue, text string) (string, bool) {
	unknown := false
	for _, venue := range e.config.venueCodes() {
		if exchange != "" && venue != exchange {
			continue
		}
		set, _ := e.tree.Instruments(venue)
		if set == nil {
			unknown = true
			continue
		}
		if i, known := set.Find(text); known {
			return i.Symbol, true
		}
	}
	return text, unknown && text != ""
}

func (e *engine) secrets() recordSecrets { return recordSecrets{e.vault.Vault} }
