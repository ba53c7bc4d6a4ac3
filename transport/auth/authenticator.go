package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"venuegate/persistence"
	"venuegate/transport/listen"
	"venuegate/venues"
)

// Principal is the authenticated sender of a request. Its scopes are shared and
// must not be changed.
type Principal struct {
	Customer string
	KeyID    string
	Scopes   []persistence.Scope
	// ExpiresAt zero means never.
	ExpiresAt time.Time
	// Source is how orders of the sender are marked.
	Source venues.Source
}

// Has reports whether the key has the scope. No scope implies another.
func (p *Principal) Has(scope persistence.Scope) bool { return slices.Contains(p.Scopes, scope) }

// Require returns nil, or a *venues.Error scope_required.
func (p *Principal) Require(scope persistence.Scope) error {
	if p.Has(scope) {
		return nil
	}
	granted := make([]string, len(p.Scopes))
	for i, s := range p.Scopes {
		granted[i] = string(s)
	}
	return venues.Errorf(venues.CodeScopeRequired, "the key lacks the scope %s", scope).
		With("required", string(scope)).With("granted", granted)
}

// Keys reads the records of keys; persistence.Reader implements it.
type Keys interface {
	APIKey(ctx context.Context, id string) (persistence.APIKey, error)
	Customer(ctx context.Context, id string) (persistence.Customer, error)
}

const (
	// CacheTTL bounds how long a key is valid after a change that was not passed to
	// Revoke.
	CacheTTL = 5 * time.Second
	// cacheMax bounds the keys in the cache.
	cacheMax = 4096
	// UseEvery is the least time between two reports of the use of a key.
	UseEvery = time.Minute
	// failureAddressesMax bounds the addresses whose failures are counted.
	failureAddressesMax = 16384
)

// Authenticator checks API keys and the tokens of console sessions. It is safe for
// concurrent use.
type Authenticator struct {
	keys     Keys
	failures *MemoryLimiter

	mu      sync.Mutex
	cached  map[string]keyEntry
	tokens  sessionTokens
	epoch   uint64 // rises with each Revoke
	watches map[*func(keyID string)]struct{}
	used    func(Use)
}

// Use is a use of a key.
type Use struct {
	KeyID  string
	At     time.Time
	Source netip.Addr
}

// keyEntry is a cached key; it is immutable but for isUseReported.
type keyEntry struct {
	// isUseReported is set once a use was reported that the record lacks.
	isUseReported *atomic.Bool

	key      persistence.APIKey
	allow    []netip.Prefix
	disabled bool
	readAt   time.Time
}

// NewAuthenticator returns an Authenticator over the records of keys.
func NewAuthenticator(keys Keys) *Authenticator {
	return &Authenticator{
		keys:     keys,
		failures: NewMemoryLimiter(failureAddressesMax),
		cached:   make(map[string]keyEntry),
		tokens:   newSessionTokens(),
		watches:  make(map[*func(string)]struct{}),
		used:     func(Use) {},
	}
}

// ReportUses calls used when a key is used whose record has no use of the last UseEvery: about
// once in that time, if the use is then stored in the record. used must not block. ReportUses must
// be called before the first authentication.
func (a *Authenticator) ReportUses(used func(Use)) { a.used = used }

// Authenticate returns the principal of a key or a token that was sent from source. The error
// is a *venues.Error unauthorized or rate_limited; any other error is that of the
// lookup.
func (a *Authenticator) Authenticate(ctx context.Context, key string, source netip.Addr) (Principal, error) {
	now := time.Now()
	p, ok, err := a.check(ctx, key, source, now)
	if err != nil {
		return Principal{}, err
	}
	if !ok {
		return Principal{}, a.Fail(ctx, source)
	}
	return p, nil
}

// Fail counts one failed authentication of source and returns the error to answer
// with: unauthorized, or rate_limited past the limit. Edges with other credentials
// (chart tokens) use it too.
func (a *Authenticator) Fail(ctx context.Context, source netip.Addr) *venues.Error {
	d, err := a.failures.Take(ctx, listen.ClientAddr(source).String(), authFailure, time.Now())
	if err == nil && d.Allowed {
		return venues.Errorf(venues.CodeUnauthorized, "the API key is missing, wrong or expired")
	}
	e := &venues.Error{
		Code: venues.CodeRateLimited, Message: "too many failed authentications from this address",
		Details: map[string]any{"limit": authFailure.Limit, "scope": venues.LimitOfSource}, RetryAfter: d.Reset,
	}
	if err != nil {
		e.RetryAfter = fullRetry
	}
	return e
}

func (a *Authenticator) check(ctx context.Context, text string, source netip.Addr, now time.Time) (Principal, bool, error) {
	if strings.HasPrefix(text, tokenPrefix) {
		p, ok := a.checkToken(text, source, now)
		return p, ok, nil
	}
	id, secret, ok := parseKey(text)
	if !ok {
		return Principal{}, false, nil
	}
	entry, known, err := a.find(ctx, id, now)
	if err != nil {
		return Principal{}, false, err
	}
	// Unknown ids are compared too, so that the time does not reveal which ids
	// exist.
	hash := entry.key.Hash
	if !known {
		hash = make([]byte, sha256.Size)
	}
	sum := hashSecret(secret)
	match := subtle.ConstantTimeCompare(sum[:], hash) == 1
	if !known || !match || !entry.usable(source, now) {
		return Principal{}, false, nil
	}
	k := entry.key
	if now.Sub(k.LastUsedAt.Time) >= UseEvery && entry.isUseReported.CompareAndSwap(false, true) {
		a.used(Use{k.ID, now, source})
	}
	return Principal{Customer: k.Customer, KeyID: k.ID, Scopes: k.Scopes, ExpiresAt: k.ExpiresAt.Time, Source: venues.SourceAPI}, true, nil
}

func (e *keyEntry) usable(source netip.Addr, now time.Time) bool {
	expired := !e.key.ExpiresAt.IsZero() && !now.Before(e.key.ExpiresAt.Time)
	return !expired && e.key.RevokedAt.IsZero() && !e.disabled && e.allows(source)
}

// find returns a key from the cache or the records.
func (a *Authenticator) find(ctx context.Context, id string, now time.Time) (keyEntry, bool, error) {
	a.mu.Lock()
	entry, hit := a.cached[id]
	epoch := a.epoch
	a.mu.Unlock()
	if hit && now.Sub(entry.readAt) < CacheTTL {
		return entry, true, nil
	}
	entry, known, err := a.read(ctx, id, now)
	if err != nil || !known {
		return keyEntry{}, false, err
	}
	a.cache(id, entry, epoch)
	return entry, true, nil
}

func (a *Authenticator) read(ctx context.Context, id string, now time.Time) (keyEntry, bool, error) {
	key, err := a.keys.APIKey(ctx, id)
	if errors.Is(err, persistence.ErrNotFound) {
		return keyEntry{}, false, nil
	}
	if err != nil {
		return keyEntry{}, false, fmt.Errorf("read API key %s: %w", id, err)
	}
	customer, err := a.keys.Customer(ctx, key.Customer)
	if errors.Is(err, persistence.ErrNotFound) {
		return keyEntry{}, false, nil
	}
	if err != nil {
		return keyEntry{}, false, fmt.Errorf("read the customer of API key %s: %w", id, err)
	}
	return keyEntry{isUseReported: new(atomic.Bool), key: key, allow: parseAllow(key.Allow), disabled: customer.Disabled, readAt: now}, true, nil
}

// cache adds an entry to the cache, unless a key was revoked since the entry was
// read: it may be that key.
func (a *Authenticator) cache(id string, entry keyEntry, epoch uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.epoch != epoch {
		return
	}
	if _, known := a.cached[id]; !known && len(a.cached) >= cacheMax {
		for victim := range a.cached { // any of them: reading it again is cheap
			delete(a.cached, victim)
			break
		}
	}
	a.cached[id] = entry
}

// Revoke makes the change of a key effective immediately, or ends the token of a console
// session, and notifies the subscribers of Watch. It must be called after the record was
// changed.
func (a *Authenticator) Revoke(keyID string) {
	a.mu.Lock()
	delete(a.cached, keyID)
	a.tokens.end(keyID)
	a.epoch++
	watches := make([]func(string), 0, len(a.watches))
	for watch := range a.watches {
		watches = append(watches, *watch)
	}
	a.mu.Unlock()
	for _, watch := range watches {
		watch(keyID)
	}
}

// Watch calls revoked with the id of each key that is passed to Revoke, until stop
// is called. revoked must not block.
func (a *Authenticator) Watch(revoked func(keyID string)) (stop func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.watches[&revoked] = struct{}{}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.watches, &revoked)
	}
}
