package admin

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

// Key as the administration shows it.
type Key struct {
	ID        string              `json:"id"`
	Customer  string              `json:"customer"`
	Name      string              `json:"name"`
	Scopes    []persistence.Scope `json:"scopes"`
	Allow     []string            `json:"allow"`
	CreatedAt venues.Time         `json:"createdAt"`
	ExpiresAt venues.Time         `json:"expiresAt"`
	RevokedAt venues.Time         `json:"revokedAt"`
	// APIKey is the whole key, in the answer that made it alone.
	APIKey string `json:"apiKey,omitzero"`
}

// NewKey asks for a key. Without ExpiresAt it never expires; without Allow it
// is good from every address.
type NewKey struct {
	Customer  string              `json:"customer"`
	Name      string              `json:"name"`
	Scopes    []persistence.Scope `json:"scopes"`
	ExpiresAt venues.Time         `json:"expiresAt"`
	Allow     []string            `json:"allow"`
}

// KeyChange changes what is given.
type KeyChange struct {
	Name      *string             `json:"name"`
	Scopes    []persistence.Scope `json:"scopes"`
	ExpiresAt venues.Time         `json:"expiresAt"`
	Allow     []string            `json:"allow"`
}

// CreateKey makes a key. Its text is in the answer and is kept nowhere.
func (r *Registry) CreateKey(ctx context.Context, n NewKey) (Key, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	now := time.Now()
	record := persistence.APIKey{
		Customer: n.Customer, Name: n.Name, Scopes: n.Scopes, Allow: n.Allow, ExpiresAt: n.ExpiresAt,
	}
	if err := checkKey(&record, now); err != nil {
		return Key{}, err
	}
	if err := r.keys().checkOwner(ctx, record.Customer); err != nil {
		return Key{}, err
	}
	text, record, err := auth.New(r.entropy, auth.Grant{
		Customer: record.Customer, Name: record.Name, Scopes: record.Scopes,
		ExpiresAt: record.ExpiresAt.Time, Allow: record.Allow,
	}, now)
	if err != nil {
		return Key{}, err
	}
	if err := r.commit(ctx, kindKey, record.ID, keyFields("create", record), record); err != nil {
		return Key{}, err
	}
	key := keyOf(record)
	key.APIKey = text.Reveal()
	return key, nil
}

// Keys lists the keys of a customer, or of all if it is empty; the revoked ones
// too.
func (r *Registry) Keys(ctx context.Context, customer string) ([]Key, error) {
	keys := r.keys()
	keys.ended = func(*persistence.APIKey) bool { return false }
	return listParts(ctx, keys, customer, keyOf)
}

func (r *Registry) keys() parts[persistence.APIKey] {
	return parts[persistence.APIKey]{r, "keys", keysMax, r.Store.APIKeys, func(k *persistence.APIKey) bool { return !k.RevokedAt.IsZero() }}
}

// Key finds one by its public id.
func (r *Registry) Key(ctx context.Context, id string) (Key, error) {
	record, err := r.Store.APIKey(ctx, id)
	if err != nil {
		return Key{}, fmt.Errorf("read key: %w", err)
	}
	return keyOf(record), nil
}

// ChangeKey changes name, scopes, expiry or addresses of a key that is not
// revoked.
func (r *Registry) ChangeKey(ctx context.Context, id string, change KeyChange) (Key, error) {
	return r.putKey(ctx, id, "change", func(record *persistence.APIKey, now time.Time) error {
		if !record.RevokedAt.IsZero() {
			return venues.Errorf(venues.CodeInvalidRequest, "the key is revoked")
		}
		if change.Name != nil {
			record.Name = *change.Name
		}
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

// RevokeKey ends a key for good. Revoking it again changes nothing.
func (r *Registry) RevokeKey(ctx context.Context, id string) (Key, error) {
	return r.putKey(ctx, id, "revoke", func(record *persistence.APIKey, now time.Time) error {
		if record.RevokedAt.IsZero() {
			record.RevokedAt = venues.At(now)
		}
		return nil
	})
}

func (r *Registry) putKey(ctx context.Context, id, action string, change func(*persistence.APIKey, time.Time) error) (Key, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.Store.APIKey(ctx, id)
	if err != nil {
		return Key{}, fmt.Errorf("read key: %w", err)
	}
	if err := change(&record, time.Now()); err != nil {
		return Key{}, err
	}
	if err := r.commit(ctx, kindKey, record.ID, keyFields(action, record), record); err != nil {
		return Key{}, err
	}
	if err := r.Directory.KeyChanged(ctx, record.ID); err != nil {
		return Key{}, fmt.Errorf("follow key %s: %w", record.ID, err)
	}
	return keyOf(record), nil
}

// checkKey holds a key to the rules and puts its lists in order.
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
		return api.Fault("scopes", api.RuleUnknownValue, joinScopes(record.Scopes), joinScopes(allowed))
	}
	if !record.ExpiresAt.IsZero() && !record.ExpiresAt.After(now) {
		return api.Fault("expiresAt", api.RuleOutOfRange, "", "a moment to come")
	}
	return checkPrefixes(record.Allow)
}

// checkPrefixes writes every entry as a prefix: a lone address is one of full
// length.
func checkPrefixes(allow []string) error {
	if len(allow) > prefixesMax {
		return api.Fault("allow", api.RuleOutOfRange, "", "at most "+strconv.Itoa(prefixesMax)+" entries")
	}
	for i, text := range allow {
		prefix, err := auth.ParsePrefix(text)
		if err != nil {
			return api.Fault("allow", api.RuleMalformed, text, "an address or a prefix such as 10.0.0.0/8")
		}
		allow[i] = prefix.String()
	}
	return nil
}

func keyOf(record persistence.APIKey) Key {
	return Key{
		ID: record.ID, Customer: record.Customer, Name: record.Name, Scopes: record.Scopes, Allow: record.Allow,
		CreatedAt: record.CreatedAt, ExpiresAt: record.ExpiresAt, RevokedAt: record.RevokedAt,
	}
}

func keyFields(action string, record persistence.APIKey) []persistence.JournalField {
	return []persistence.JournalField{
		field("action", action), field("customer", record.Customer), field("name", record.Name),
		field("scopes", joinScopes(record.Scopes)), field("allow", strings.Join(record.Allow, " ")),
	}
}

func joinScopes(scopes []persistence.Scope) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = string(s)
	}
	return strings.Join(texts, " ")
}
