package registry

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/venues"
)

const (
	// keysMax bounds the keys of a customer that are not revoked.
	keysMax = 100
	// prefixesMax bounds the address list of a key.
	prefixesMax = 64
)

// KeyStore reads API keys.
type KeyStore interface {
	APIKey(ctx context.Context, id string) (persistence.APIKey, error)
	APIKeys(ctx context.Context, customer string) ([]persistence.APIKey, error)
}

// Sessions ends the open connections of API keys and drops their cached records.
type Sessions interface {
	// Revoke ends the sessions of a key. The key is read again at its next use.
	Revoke(keyID string)
}

// Keys manages the API keys of customers.
type Keys struct {
	scope
	audit    audit
	store    KeyStore
	sessions Sessions
}

// Key is an API key without its text.
type Key struct {
	ID        string              `json:"id"`
	Customer  string              `json:"customer"`
	Name      string              `json:"name"`
	Scopes    []persistence.Scope `json:"scopes"`
	Allow     []string            `json:"allow"`
	CreatedAt venues.Time         `json:"createdAt"`
	ExpiresAt venues.Time         `json:"expiresAt"`
	RevokedAt venues.Time         `json:"revokedAt"`
	// LastUsedAt and LastUsedFrom are of the last use, about a minute late at most.
	LastUsedAt   venues.Time `json:"lastUsedAt"`
	LastUsedFrom string      `json:"lastUsedFrom"`
	// ReplacedBy is the id of the key that a rotation has made instead; empty without one.
	ReplacedBy string `json:"replacedBy"`
	// APIKey is the text of the key, only in the result of Create and of Rotate.
	APIKey string `json:"apiKey,omitzero"`
}

// NewKey is the request for a key. Without ExpiresAt it never expires; without
// Allow it may be used from every address.
type NewKey struct {
	Customer  string              `json:"customer"`
	Name      string              `json:"name"`
	Scopes    []persistence.Scope `json:"scopes"`
	ExpiresAt venues.Time         `json:"expiresAt"`
	Allow     []string            `json:"allow"`
}

// KeyChange changes the members that are set.
type KeyChange struct {
	Name      *string             `json:"name"`
	Scopes    []persistence.Scope `json:"scopes"`
	ExpiresAt venues.Time         `json:"expiresAt"`
	Allow     []string            `json:"allow"`
}

// Create makes a key. Its text is only in the result and is not stored.
func (k *Keys) Create(ctx context.Context, n NewKey) (Key, error) {
	customer, err := k.resolve(n.Customer)
	if err != nil {
		return Key{}, err
	}
	k.audit.Lock()
	defer k.audit.Unlock()
	now := time.Now()
	record := persistence.APIKey{Customer: customer, Name: n.Name, Scopes: n.Scopes, Allow: n.Allow, ExpiresAt: n.ExpiresAt}
	if err := checkKey(&record, now); err != nil {
		return Key{}, err
	}
	if err := k.records().checkRoom(ctx, customer); err != nil {
		return Key{}, err
	}
	text, record, err := auth.New(k.audit.entropy, auth.Grant{
		Customer: record.Customer, Name: record.Name, Scopes: record.Scopes,
		ExpiresAt: record.ExpiresAt.Time, Allow: record.Allow,
	}, now)
	if err != nil {
		return Key{}, err
	}
	if err := k.audit.commitOf(ctx, customer, kindKey, record.ID, keyFields("create", record), record); err != nil {
		return Key{}, err
	}
	key := keyOf(record)
	key.APIKey = text.Reveal()
	return key, nil
}

// List returns the keys of a customer, or of every customer in the scope if customer is
// empty, including revoked ones.
func (k *Keys) List(ctx context.Context, customer string) ([]Key, error) {
	records := k.records()
	records.ended = func(*persistence.APIKey) bool { return false }
	return list(ctx, records, customer, keyOf)
}

// Get returns a key by its public id.
func (k *Keys) Get(ctx context.Context, id string) (Key, error) {
	record, err := k.read(ctx, id)
	return keyOf(record), err
}

// Change changes name, scopes, expiry or addresses of a key that is not revoked.
func (k *Keys) Change(ctx context.Context, id string, change KeyChange) (Key, error) {
	return k.update(ctx, id, "change", func(record *persistence.APIKey, now time.Time) error {
		if !record.RevokedAt.IsZero() {
			return venues.Errorf(venues.CodeInvalidRequest, "the key is revoked")
		}
		set(&record.Name, change.Name)
		if change.Scopes != nil {
			record.Scopes = change.Scopes
		}
		if !change.ExpiresAt.IsZero() {
			record.ExpiresAt = change.ExpiresAt
		}
		if change.Allow != nil {
			record.Allow = change.Allow
		}
		return checkKey(record, now)
	})
}

// Revoke ends a key permanently. Revoking it again changes nothing.
func (k *Keys) Revoke(ctx context.Context, id string) (Key, error) {
	return k.update(ctx, id, "revoke", func(record *persistence.APIKey, now time.Time) error {
		if record.RevokedAt.IsZero() {
			record.RevokedAt = venues.At(now)
		}
		return nil
	})
}

func (k *Keys) update(ctx context.Context, id, action string, change func(*persistence.APIKey, time.Time) error) (Key, error) {
	k.audit.Lock()
	defer k.audit.Unlock()
	record, err := k.read(ctx, id)
	if err != nil {
		return Key{}, err
	}
	if err := change(&record, time.Now()); err != nil {
		return Key{}, err
	}
	if err := k.audit.commitOf(ctx, record.Customer, kindKey, record.ID, keyFields(action, record), record); err != nil {
		return Key{}, err
	}
	k.sessions.Revoke(record.ID)
	return keyOf(record), nil
}

func (k *Keys) read(ctx context.Context, id string) (persistence.APIKey, error) {
	record, err := k.store.APIKey(ctx, id)
	if err == nil && !k.has(record.Customer) {
		err = persistence.ErrNotFound
	}
	if err != nil {
		return persistence.APIKey{}, fmt.Errorf("read key: %w", notFound(err))
	}
	return record, nil
}

func (k *Keys) records() collection[persistence.APIKey] {
	return collection[persistence.APIKey]{k.scope, "keys", keysMax, k.store.APIKeys, func(r *persistence.APIKey) bool { return !r.RevokedAt.IsZero() }}
}

// checkKey validates a key and sorts its scopes.
func checkKey(record *persistence.APIKey, now time.Time) error {
	name, err := checkName(record.Name)
	if err != nil {
		return err
	}
	record.Name = name
	record.Scopes = slices.Compact(slices.Sorted(slices.Values(record.Scopes)))
	allowed := []persistence.Scope{persistence.ScopeRead, persistence.ScopeTrade, persistence.ScopeAccount}
	unknown := slices.ContainsFunc(record.Scopes, func(s persistence.Scope) bool { return !slices.Contains(allowed, s) })
	if unknown || len(record.Scopes) == 0 {
		return api.FieldError("scopes", api.RuleUnknownValue, join(record.Scopes), join(allowed))
	}
	if !record.ExpiresAt.IsZero() && !record.ExpiresAt.After(now) {
		return api.FieldError("expiresAt", api.RuleOutOfRange, "", "a time in the future")
	}
	return checkPrefixes(record.Allow)
}

// checkPrefixes validates an address list and rewrites every entry as a prefix: a
// single address is one of full length.
func checkPrefixes(allow []string) error {
	if len(allow) > prefixesMax {
		return api.FieldError("allow", api.RuleOutOfRange, "", "at most "+strconv.Itoa(prefixesMax)+" entries")
	}
	for i, text := range allow {
		prefix, err := auth.ParsePrefix(text)
		if err != nil {
			return api.FieldError("allow", api.RuleMalformed, text, "an address or a prefix such as 10.0.0.0/8")
		}
		allow[i] = prefix.String()
	}
	return nil
}

func keyOf(record persistence.APIKey) Key {
	return Key{
		ID: record.ID, Customer: record.Customer, Name: record.Name, Scopes: record.Scopes, Allow: record.Allow,
		CreatedAt: record.CreatedAt, ExpiresAt: record.ExpiresAt, RevokedAt: record.RevokedAt,
		LastUsedAt: record.LastUsedAt, LastUsedFrom: record.LastUsedFrom, ReplacedBy: record.ReplacedBy,
	}
}

func keyFields(action string, record persistence.APIKey) []persistence.JournalField {
	return []persistence.JournalField{
		field("action", action), field("customer", record.Customer), field("name", record.Name),
		field("scopes", join(record.Scopes)), field("allow", strings.Join(record.Allow, " ")),
	}
}

// join writes values with spaces between them.
func join[S ~string](values []S) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, " ")
}

// set assigns a value of a change, if there is one.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
