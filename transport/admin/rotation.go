package admin

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// Rotated counts what is sealed under a new key.
type Rotated struct {
	Accounts  int `json:"accounts"`
	Hooks     int `json:"hooks"`
	Endpoints int `json:"endpoints"`
}

// RotateKey makes a new key of the vault and seals everything under it anew. If
// it breaks off, what was not reached opens under the older key; the next
// rotation takes it along.
func (r *Registry) RotateKey(ctx context.Context) (Rotated, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	var done Rotated
	if err := r.Secrets.Rotate(); err != nil {
		return done, err
	}
	err := r.forCustomers(ctx, "", func(id string) error {
		record, err := r.Store.Customer(ctx, id)
		if err != nil || record.Disabled {
			return err // nobody owns its records now
		}
		if err := r.resealAccounts(ctx, id, &done); err != nil {
			return err
		}
		if err := r.resealHooks(ctx, id, &done); err != nil {
			return err
		}
		return r.resealEndpoints(ctx, id, &done)
	})
	if err != nil {
		return done, fmt.Errorf("seal anew: %w", err)
	}
	return done, r.commit(ctx, kindVault, "vault", []persistence.JournalField{
		field("action", "rotate"), field("accounts", strconv.Itoa(done.Accounts)),
		field("hooks", strconv.Itoa(done.Hooks)), field("endpoints", strconv.Itoa(done.Endpoints)),
	})
}

func (r *Registry) resealAccounts(ctx context.Context, customer string, done *Rotated) error {
	records, err := r.Store.VenueAccounts(ctx, customer)
	if err != nil {
		return err
	}
	for _, a := range records {
		if len(a.Sealed) == 0 {
			continue
		}
		credentials, err := r.Vault.Open(a.Customer, a.Exchange, a.Sealed)
		if err != nil {
			return fmt.Errorf("account %s: %w", accountID(a.Customer, a.Exchange), err)
		}
		if a.Sealed, err = r.Vault.Seal(a.Customer, a.Exchange, credentials); err != nil {
			return err
		}
		if err := r.Directory.RecordAccount(ctx, a); err != nil {
			return err
		}
		done.Accounts++
	}
	return nil
}

func (r *Registry) resealHooks(ctx context.Context, customer string, done *Rotated) error {
	records, err := r.Store.Channels(ctx, customer)
	if err != nil {
		return err
	}
	for _, c := range records {
		if len(c.Sealed) == 0 {
			continue
		}
		forgetEndedHook(&c, time.Now())
		if err := r.reseal(c.Key(), &c.Sealed, &c.Previous); err != nil {
			return err
		}
		if err := r.Directory.PutPart(ctx, c, r.row(kindVault, c.ID, nil)); err != nil {
			return err
		}
		done.Hooks++
	}
	return nil
}

func (r *Registry) resealEndpoints(ctx context.Context, customer string, done *Rotated) error {
	records, err := r.Store.Endpoints(ctx, customer)
	if err != nil {
		return err
	}
	for _, e := range records {
		if len(e.Sealed) == 0 {
			continue
		}
		forgetEndedEndpoint(&e, time.Now())
		if err := r.reseal(e.Key(), &e.Sealed, &e.Next); err != nil {
			return err
		}
		if err := r.Directory.PutPart(ctx, e, r.row(kindVault, e.ID, nil)); err != nil {
			return err
		}
		done.Endpoints++
	}
	return nil
}

// forgetEndedHook drops the secret whose overlap is over.
func forgetEndedHook(c *persistence.Channel, now time.Time) {
	if !now.Before(c.PreviousUntil.Time) {
		c.Previous, c.PreviousUntil = nil, venues.Time{}
	}
}

// forgetEndedEndpoint drops the secret that another has followed.
func forgetEndedEndpoint(e *persistence.Endpoint, now time.Time) {
	if len(e.Next) > 0 && !now.Before(e.NextFrom.Time) {
		e.Sealed, e.Next, e.NextFrom = e.Next, nil, venues.Time{}
	}
}

func (r *Registry) reseal(of persistence.Key, sealed ...*[]byte) error {
	for _, s := range sealed {
		if len(*s) == 0 {
			continue
		}
		secret, err := r.Secrets.Open(*s, of)
		if err != nil {
			return fmt.Errorf("open the secret of %s: %w", of, err)
		}
		if *s, err = r.Secrets.Seal(secret, of); err != nil {
			return err
		}
	}
	return nil
}
