package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

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

// openVault opens the key file, or creates it if it does not exist. It fails if the
// file is missing but the store has sealed records, which a new key cannot open.
func openVault(ctx context.Context, keyFile string, store persistence.Reader) (credentialVault, error) {
	if _, err := os.Stat(keyFile); errors.Is(err, fs.ErrNotExist) {
		sealed, err := sealedRecords(ctx, store)
		if err != nil {
			return credentialVault{}, err
		}
		if sealed > 0 {
			return credentialVault{}, fmt.Errorf("the key file %s is missing and %d sealed secrets need it: restore it, or start with an empty data directory", keyFile, sealed)
		}
	}
	v, err := vault.Open(keyFile)
	if err != nil {
		return credentialVault{}, fmt.Errorf("open key file %s: %w", keyFile, err)
	}
	return credentialVault{v}, nil
}

// sealedRecords returns the number of records with sealed secrets.
func sealedRecords(ctx context.Context, store persistence.Reader) (int, error) {
	customers, err := store.Customers(ctx)
	if err != nil {
		return 0, fmt.Errorf("list customers: %w", err)
	}
	n := 0
	for _, c := range customers {
		accounts, err := store.VenueAccounts(ctx, c.ID)
		if err != nil {
			return 0, fmt.Errorf("list accounts of %s: %w", c.ID, err)
		}
		channels, err := store.Channels(ctx, c.ID)
		if err != nil {
			return 0, fmt.Errorf("list hooks of %s: %w", c.ID, err)
		}
		endpoints, err := store.Endpoints(ctx, c.ID)
		if err != nil {
			return 0, fmt.Errorf("list endpoints of %s: %w", c.ID, err)
		}
		n += count(accounts, func(a persistence.VenueAccount) []byte { return a.Sealed }) +
			count(channels, func(c persistence.Channel) []byte { return c.Sealed }) +
			count(endpoints, func(e persistence.Endpoint) []byte { return e.Sealed })
	}
	return n, nil
}

func count[T any](records []T, sealed func(T) []byte) int {
	n := 0
	for _, r := range records {
		if len(sealed(r)) > 0 {
			n++
		}
	}
	return n
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

func (e *engine) secrets() recordSecrets { return recordSecrets{e.vault.Vault} }

// recordSecrets seals secrets of records, each bound to its record. It implements
// registry.Secrets.
type recordSecrets struct{ *vault.Vault }

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
