package registry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// secretBytes is the size of a secret, a token and a secret address.
	secretBytes = 32
	// signingPrefix begins a signing secret. The whole text is the key.
	signingPrefix = "whsec_"
)

// newSecret returns 256 random bits as text.
func newSecret() string {
	var random [secretBytes]byte
	_, _ = rand.Read(random[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}

func newSigningSecret() string { return signingPrefix + newSecret() }

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Rotated counts the records that were sealed with a new key.
type Rotated struct {
	Accounts  int `json:"accounts"`
	Hooks     int `json:"hooks"`
	Endpoints int `json:"endpoints"`
	Users     int `json:"users"`
}

// RotateKey makes a new key of the vault and seals everything with it. After an
// error the rest still opens with the older key and is sealed by the next
// rotation. Records of disabled customers are skipped: no owner can store them.
func (in *Installation) RotateKey(ctx context.Context) (Rotated, error) {
	in.audit.Lock()
	defer in.audit.Unlock()
	var done Rotated
	if err := in.options.Secrets.Rotate(); err != nil {
		return done, err
	}
	customers, err := in.options.Store.Customers(ctx)
	for i := range customers {
		if err == nil && !customers[i].Disabled {
			err = in.reseal(ctx, customers[i].ID, &done)
		}
	}
	if err != nil {
		return done, fmt.Errorf("seal with the new key: %w", err)
	}
	users, err := in.resealUsers(ctx)
	if err != nil {
		return done, fmt.Errorf("seal with the new key: %w", err)
	}
	done.Users = len(users)
	return done, in.audit.commit(ctx, kindVault, "vault", []persistence.JournalField{
		field("action", "rotate"), field("accounts", strconv.Itoa(done.Accounts)),
		field("hooks", strconv.Itoa(done.Hooks)), field("endpoints", strconv.Itoa(done.Endpoints)), field("users", strconv.Itoa(done.Users)),
	}, users...)
}

// resealUsers returns the users who have a second step, sealed with the new key.
func (in *Installation) resealUsers(ctx context.Context) (resealed []persistence.Record, err error) {
	users, err := in.options.Store.Users(ctx)
	for _, u := range users {
		if len(u.Sealed) == 0 && len(u.Pending) == 0 {
			continue
		}
		if err := in.resealSecrets(u.Key(), &u.Sealed, &u.Pending); err != nil {
			return nil, err
		}
		resealed = append(resealed, u)
	}
	return resealed, err
}

// reseal seals everything of a customer with the new key.
func (in *Installation) reseal(ctx context.Context, customer string, done *Rotated) error {
	accounts, err := in.options.Store.VenueAccounts(ctx, customer)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if len(a.Sealed) == 0 {
			continue
		}
		if err := in.resealAccount(ctx, a); err != nil {
			return err
		}
		done.Accounts++
	}
	channels, err := in.options.Store.Channels(ctx, customer)
	if err != nil {
		return err
	}
	for _, c := range channels {
		if len(c.Sealed) == 0 {
			continue
		}
		dropExpiredSecret(&c, time.Now())
		if err := in.resealSecrets(c.Key(), &c.Sealed, &c.Previous); err != nil {
			return err
		}
		if err := in.options.Service.ConfigurePart(ctx, c, in.audit.row(ctx, kindVault, c.ID, nil)); err != nil {
			return err
		}
		done.Hooks++
	}
	endpoints, err := in.options.Store.Endpoints(ctx, customer)
	if err != nil {
		return err
	}
	for _, e := range endpoints {
		if len(e.Sealed) == 0 {
			continue
		}
		switchSecret(&e, time.Now())
		if err := in.resealSecrets(e.Key(), &e.Sealed, &e.Next); err != nil {
			return err
		}
		if err := in.options.Service.ConfigurePart(ctx, e, in.audit.row(ctx, kindVault, e.ID, nil)); err != nil {
			return err
		}
		done.Endpoints++
	}
	return nil
}

func (in *Installation) resealAccount(ctx context.Context, a persistence.VenueAccount) error {
	credentials, err := in.options.Vault.Open(a.Customer, a.Exchange, a.Sealed)
	if err != nil {
		return fmt.Errorf("account %s: %w", accountID(a.Customer, a.Exchange), err)
	}
	if a.Sealed, err = in.options.Vault.Seal(a.Customer, a.Exchange, credentials); err != nil {
		return err
	}
	return in.options.Service.RecordAccount(ctx, a)
}

func (in *Installation) resealSecrets(of persistence.Key, sealed ...*[]byte) error {
	for _, s := range sealed {
		if len(*s) == 0 {
			continue
		}
		secret, err := in.options.Secrets.Open(*s, of)
		if err != nil {
			return fmt.Errorf("open the secret of %s: %w", of, err)
		}
		if *s, err = in.options.Secrets.Seal(secret, of); err != nil {
			return err
		}
	}
	return nil
}

// dropExpiredSecret removes the previous secret of a channel after its overlap.
func dropExpiredSecret(c *persistence.Channel, now time.Time) {
	if !now.Before(c.PreviousUntil.Time) {
		c.Previous, c.PreviousUntil = nil, venues.Time{}
	}
}

// switchSecret replaces the secret of an endpoint by the next one when that is
// due.
func switchSecret(e *persistence.Endpoint, now time.Time) {
	if len(e.Next) > 0 && !now.Before(e.NextFrom.Time) {
		e.Sealed, e.Next, e.NextFrom = e.Next, nil, venues.Time{}
	}
}
