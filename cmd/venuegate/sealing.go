package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"venuegate/persistence"
	"venuegate/persistence/vault"
	"venuegate/venues"
)

// credentialVault seals venue credentials, bound to their customer and exchange:
// sealed bytes copied to another account cannot be opened.
type credentialVault struct{ *vault.Vault }

// sealedCredentials is the sealed form; venues.Secret would encode as redacted.
type sealedCredentials struct {
	APIKey     string `json:"apiKey"`
	APISecret  string `json:"apiSecret"`
	Passphrase string `json:"passphrase,omitzero"`
}

// vaultStore is the part of the store that the vault needs.
type vaultStore interface {
	settingStore
	Customers(ctx context.Context) ([]persistence.Customer, error)
	VenueAccounts(ctx context.Context, customer string) ([]persistence.VenueAccount, error)
	Channels(ctx context.Context, customer string) ([]persistence.Channel, error)
	Endpoints(ctx context.Context, customer string) ([]persistence.Endpoint, error)
}

// openVault opens the key file, or creates it if it does not exist. It fails if the
// file is missing but the store has sealed secrets, which a new key cannot open, or if it
// is not the key file of the store.
func openVault(ctx context.Context, keyFile string, store vaultStore) (credentialVault, error) {
	_, err := os.Stat(keyFile)
	isNew := errors.Is(err, fs.ErrNotExist)
	if isNew {
		if err := checkNothingSealed(ctx, keyFile, store); err != nil {
			return credentialVault{}, err
		}
	}
	opened, err := vault.Open(keyFile)
	if err != nil {
		return credentialVault{}, fmt.Errorf("open key file %s: %w", keyFile, err)
	}
	v := credentialVault{opened}
	if isNew {
		return v, writeKeyCheck(ctx, store, opened)
	}
	if err := checkKey(ctx, store, keyFile, v); err != nil {
		return v, err
	}
	vault.RemoveUnfinished(keyFile)
	return v, nil
}

// checkNothingSealed returns an error if a new key would be useless.
func checkNothingSealed(ctx context.Context, keyFile string, store vaultStore) error {
	secrets, err := sealedSecrets(ctx, store)
	if err != nil || len(secrets) == 0 {
		return err
	}
	which := "restore it"
	if check, err := readKeyCheck(ctx, store); err == nil {
		which = "restore the one whose key has the fingerprint " + check.Fingerprint
	}
	return fmt.Errorf("the key file %s is missing and %d sealed secrets need it: %s, or start with an empty data directory", keyFile, len(secrets), which)
}

// sealedSecret is a secret in the store with its context.
type sealedSecret struct {
	sealed  []byte
	context string
}

// opensAny reports whether the vault opens one of the secrets.
func (v credentialVault) opensAny(secrets []sealedSecret) bool {
	return slices.ContainsFunc(secrets, func(s sealedSecret) bool {
		_, err := v.Vault.Open(s.sealed, s.context)
		return err == nil
	})
}

// sealedSecrets returns the current secrets of all records.
func sealedSecrets(ctx context.Context, store vaultStore) ([]sealedSecret, error) {
	customers, err := store.Customers(ctx)
	if err != nil {
		return nil, fmt.Errorf("list customers: %w", err)
	}
	var all []sealedSecret
	add := func(sealed []byte, context string) {
		if len(sealed) > 0 {
			all = append(all, sealedSecret{sealed, context})
		}
	}
	for _, c := range customers {
		accounts, err := store.VenueAccounts(ctx, c.ID)
		if err != nil {
			return nil, fmt.Errorf("list accounts of %s: %w", c.ID, err)
		}
		for _, a := range accounts {
			add(a.Sealed, credentialContext(a.Customer, a.Exchange))
		}
		channels, err := store.Channels(ctx, c.ID)
		if err != nil {
			return nil, fmt.Errorf("list hooks of %s: %w", c.ID, err)
		}
		for _, h := range channels {
			add(h.Sealed, secretContext(h.Key()))
		}
		endpoints, err := store.Endpoints(ctx, c.ID)
		if err != nil {
			return nil, fmt.Errorf("list endpoints of %s: %w", c.ID, err)
		}
		for _, e := range endpoints {
			add(e.Sealed, secretContext(e.Key()))
		}
	}
	return all, nil
}

// Seal implements registry.Vault.
func (v credentialVault) Seal(customer string, exchange venues.Venue, c venues.Credentials) ([]byte, error) {
	plain, err := json.Marshal(sealedCredentials{c.APIKey.Reveal(), c.APISecret.Reveal(), c.Passphrase.Reveal()})
	if err != nil {
		return nil, err
	}
	return v.Vault.Seal(plain, credentialContext(customer, exchange))
}

// Open implements registry.Vault.
func (v credentialVault) Open(customer string, exchange venues.Venue, sealed []byte) (venues.Credentials, error) {
	plain, err := v.Vault.Open(sealed, credentialContext(customer, exchange))
	if err != nil {
		return venues.Credentials{}, err
	}
	var c sealedCredentials
	if err := json.Unmarshal(plain, &c); err != nil {
		// The error of the decoder could contain a secret.
		return venues.Credentials{}, errors.New("the sealed credentials cannot be read")
	}
	return venues.Credentials{
		APIKey: venues.Secret(c.APIKey), APISecret: venues.Secret(c.APISecret), Passphrase: venues.Secret(c.Passphrase),
	}, nil
}

func credentialContext(customer string, exchange venues.Venue) string {
	return vault.Context(customer, string(persistence.KindVenueAccount), string(exchange))
}

func (e *engine) secrets() recordSecrets { return recordSecrets{e.vault.Vault, e.store} }

// recordSecrets seals secrets of records, each bound to its record. It implements
// registry.Secrets.
type recordSecrets struct {
	*vault.Vault
	settings settingStore
}

// keyCheckMax bounds the commit of the check of a new key.
const keyCheckMax = 5 * time.Second

// Rotate implements registry.Secrets. If the check of the new key cannot be stored, the
// next start stores it.
func (v recordSecrets) Rotate() error {
	if err := v.Vault.Rotate(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), keyCheckMax)
	defer cancel()
	return writeKeyCheck(ctx, v.settings, v.Vault)
}

// Seal implements registry.Secrets.
func (v recordSecrets) Seal(secret venues.Secret, of persistence.Key) ([]byte, error) {
	return v.Vault.Seal([]byte(secret.Reveal()), secretContext(of))
}

// Open implements registry.Secrets.
func (v recordSecrets) Open(sealed []byte, of persistence.Key) (venues.Secret, error) {
	plain, err := v.Vault.Open(sealed, secretContext(of))
	return venues.Secret(plain), err
}

func secretContext(of persistence.Key) string {
	return vault.Context(of.Customer, string(of.Kind), of.ID)
}
