package auth_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/venues"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var home = netip.MustParseAddr("192.0.2.1")

// records are keys and customers in memory.
type records struct {
	mu        sync.Mutex
	keys      map[string]persistence.APIKey
	customers map[string]persistence.Customer
	reads     int
	fault     error
	// reading, if set, is called between the reading of a key and its answer.
	reading func()
}

func newRecords() *records {
	return &records{
		keys:      map[string]persistence.APIKey{},
		customers: map[string]persistence.Customer{"cus_1": {ID: "cus_1"}, "cus_2": {ID: "cus_2", Disabled: true}},
	}
}

func (r *records) APIKey(_ context.Context, id string) (persistence.APIKey, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	key, known := r.keys[id]
	if r.reading != nil {
		r.reading()
	}
	if r.fault != nil {
		return persistence.APIKey{}, r.fault
	}
	if !known {
		return persistence.APIKey{}, persistence.ErrNotFound
	}
	return key, nil
}

func (r *records) Customer(_ context.Context, id string) (persistence.Customer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	customer, known := r.customers[id]
	if !known {
		return persistence.Customer{}, persistence.ErrNotFound
	}
	return customer, nil
}

func (r *records) issue(t *testing.T, g auth.Grant) (key string, id string) {
	t.Helper()
	secret, record, err := auth.New(rand.Reader, g, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r.keys[record.ID] = record
	return secret.Reveal(), record.ID
}

func (r *records) revoke(id string) {
	key := r.keys[id]
	key.RevokedAt = venues.At(time.Now())
	r.keys[id] = key
}

// panicking fails the test if anything is looked up.
type panicking struct{}

func (panicking) APIKey(context.Context, string) (persistence.APIKey, error) {
	panic("a key was looked up")
}

func (panicking) Customer(context.Context, string) (persistence.Customer, error) {
	panic("a customer was looked up")
}

func TestAuthenticate(t *testing.T) {
	r := newRecords()
	ends := time.Now().Add(time.Hour)
	key, id := r.issue(t, auth.Grant{
		Customer: "cus_1", Scopes: []persistence.Scope{persistence.ScopeRead, persistence.ScopeTrade}, ExpiresAt: ends,
	})
	p, err := auth.NewAuthenticator(r).Authenticate(t.Context(), key, home)
	if err != nil {
		t.Fatal(err)
	}
	if p.Customer != "cus_1" || p.KeyID != id || !p.Has(persistence.ScopeTrade) || p.Has(persistence.ScopeAccount) || !p.ExpiresAt.Equal(ends) {
		t.Errorf("got %+v", p)
	}
	if err := p.Require(persistence.ScopeRead); err != nil {
		t.Error(err)
	}
	e, _ := errors.AsType[*venues.Error](p.Require(persistence.ScopeAccount))
	if e == nil || e.Code != venues.CodeScopeRequired || e.Details["required"] != "account" || len(e.Details["granted"].([]string)) != 2 {
		t.Errorf("got %v", e)
	}
}

func TestKeysThatAreNotTaken(t *testing.T) {
	r := newRecords()
	expired, _ := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read, ExpiresAt: time.Now()})
	revoked, revokedID := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	r.revoke(revokedID)
	disabled, _ := r.issue(t, auth.Grant{Customer: "cus_2", Scopes: read})
	orphan, _ := r.issue(t, auth.Grant{Customer: "cus_9", Scopes: read})
	elsewhere, _ := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read, Allow: []string{"198.51.100.0/24"}})
	unreadable, unreadableID := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	broken := r.keys[unreadableID]
	broken.Allow = []string{"everyone"}
	r.keys[unreadableID] = broken
	unknown, unknownID := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	delete(r.keys, unknownID)
	wrong, wrongID := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	_, otherID := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	r.keys[wrongID] = persistence.APIKey{ID: wrongID, Customer: "cus_1", Hash: r.keys[otherID].Hash, Scopes: read}

	a := auth.NewAuthenticator(r)
	var messages []string
	for name, key := range map[string]string{
		"none": "", "junk": "vgk_x", "expired": expired, "revoked": revoked, "disabled customer": disabled, "no customer": orphan,
		"other address": elsewhere, "unreadable allow-list": unreadable, "unknown": unknown, "wrong secret": wrong,
	} {
		_, err := a.Authenticate(t.Context(), key, home)
		if venues.CodeOf(err) != venues.CodeUnauthorized {
			t.Errorf("%s: %v", name, err)
			continue
		}
		messages = append(messages, err.Error())
	}
	for _, m := range messages {
		if m != messages[0] {
			t.Errorf("the answers differ: %q and %q", m, messages[0])
		}
	}
}

func TestAllowedAddresses(t *testing.T) {
	r := newRecords()
	key, _ := r.issue(t, auth.Grant{
		Customer: "cus_1", Scopes: read, Allow: []string{"198.51.100.0/24", "192.0.2.7", "2001:db8:1::/48", "::ffff:203.0.113.0/120"},
	})
	a := auth.NewAuthenticator(r)
	for source, want := range map[string]bool{
		"198.51.100.200": true, "198.51.101.1": false, "192.0.2.7": true, "192.0.2.8": false, "::ffff:192.0.2.7": true,
		"2001:db8:1:2::3": true, "2001:db8:2::1": false, "2001:db8:1::1%eth0": true, "203.0.113.7": true, "::ffff:203.0.113.7": true, "203.0.114.7": false,
	} {
		_, err := a.Authenticate(t.Context(), key, netip.MustParseAddr(source))
		if (err == nil) != want {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestFailuresAreLimitedPerAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecords()
		key, _ := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
		a := auth.NewAuthenticator(r)
		for i := range 40 {
			_, err := a.Authenticate(t.Context(), "wrong", home)
			want := venues.CodeUnauthorized
			if i >= 30 {
				want = venues.CodeRateLimited
			}
			if venues.CodeOf(err) != want {
				t.Fatalf("failure %d: %v", i+1, err)
			}
		}
		if _, err := a.Authenticate(t.Context(), key, home); err != nil {
			t.Errorf("a right key is stopped by the failures of others: %v", err)
		}
		if _, err := a.Authenticate(t.Context(), "wrong", netip.MustParseAddr("192.0.2.2")); venues.CodeOf(err) != venues.CodeUnauthorized {
			t.Errorf("another address: %v", err)
		}
		e := a.Fail(t.Context(), home)
		if e.Code != venues.CodeRateLimited || e.RetryAfter != time.Minute {
			t.Errorf("got %v after %v", e, e.RetryAfter)
		}
		time.Sleep(e.RetryAfter)
		if e := a.Fail(t.Context(), home); e.Code != venues.CodeUnauthorized {
			t.Errorf("after the wait: %v", e)
		}
	})
}

func TestIPv6FailuresAreLimitedPerNetwork(t *testing.T) {
	a := auth.NewAuthenticator(newRecords())
	source := netip.MustParseAddr("2001:db8::1")
	for range 30 {
		if e := a.Fail(t.Context(), source); e.Code != venues.CodeUnauthorized {
			t.Fatal(e)
		}
		source = source.Next()
	}
	if e := a.Fail(t.Context(), source); e.Code != venues.CodeRateLimited {
		t.Errorf("got %v", e)
	}
	if e := a.Fail(t.Context(), netip.MustParseAddr("2001:db8:0:1::1")); e.Code != venues.CodeUnauthorized {
		t.Errorf("the next network: %v", e)
	}
}

func TestCacheIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecords()
		key, id := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
		a := auth.NewAuthenticator(r)
		for range 5 {
			if _, err := a.Authenticate(t.Context(), key, home); err != nil {
				t.Fatal(err)
			}
		}
		if r.reads != 1 {
			t.Errorf("%d reads", r.reads)
		}
		r.revoke(id)
		time.Sleep(auth.CacheTTL)
		if _, err := a.Authenticate(t.Context(), key, home); venues.CodeOf(err) != venues.CodeUnauthorized {
			t.Errorf("after the cache's time: %v", err)
		}
	})
}

func TestRevokeTakesEffectAtOnce(t *testing.T) {
	r := newRecords()
	key, id := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	a := auth.NewAuthenticator(r)
	var told []string
	stop := a.Watch(func(keyID string) { told = append(told, keyID) })
	if _, err := a.Authenticate(t.Context(), key, home); err != nil {
		t.Fatal(err)
	}
	r.revoke(id)
	a.Revoke(id)
	if _, err := a.Authenticate(t.Context(), key, home); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("got %v", err)
	}
	stop()
	a.Revoke(id)
	if len(told) != 1 || told[0] != id {
		t.Errorf("told %q", told)
	}
}

// A key that is read just before its revocation must not come into the cache
// just after it.
func TestRevokeDuringARead(t *testing.T) {
	r := newRecords()
	key, id := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	a := auth.NewAuthenticator(r)
	r.reading = func() {
		r.reading = nil
		r.revoke(id)
		a.Revoke(id)
	}
	if _, err := a.Authenticate(t.Context(), key, home); err != nil {
		t.Fatalf("the request that was under way: %v", err)
	}
	if _, err := a.Authenticate(t.Context(), key, home); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("got %v", err)
	}
}

func TestAFailedLookupIsNoFailedAuthentication(t *testing.T) {
	r := newRecords()
	key, _ := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	r.fault = persistence.ErrUnavailable
	a := auth.NewAuthenticator(r)
	for range 40 {
		if _, err := a.Authenticate(t.Context(), key, home); !errors.Is(err, persistence.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	r.fault = nil
	if e := a.Fail(t.Context(), home); e.Code != venues.CodeUnauthorized {
		t.Errorf("got %v", e)
	}
}

func TestManyKeysAtOnce(t *testing.T) {
	r := newRecords()
	var keys []string
	for range 32 {
		key, _ := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
		keys = append(keys, key)
	}
	a := auth.NewAuthenticator(r)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 200 {
				key := keys[(i+worker)%len(keys)]
				p, err := a.Authenticate(t.Context(), key, home)
				if err != nil || p.KeyID != key[4:12] {
					t.Errorf("%s: %+v, %v", key[:12], p, err)
				}
				if i%50 == 0 {
					a.Revoke(p.KeyID)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkAuthenticate(b *testing.B) {
	r := newRecords()
	secret, record, err := auth.New(rand.Reader, auth.Grant{Customer: "cus_1", Scopes: read}, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	r.keys[record.ID] = record
	a, key := auth.NewAuthenticator(r), secret.Reveal()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Authenticate(b.Context(), key, home); err != nil {
			b.Fatal(err)
		}
	}
}
