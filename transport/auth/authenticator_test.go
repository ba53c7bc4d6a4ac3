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

var source = netip.MustParseAddr("192.0.2.1")

// records holds keys and customers in memory.
type records struct {
	mu        sync.Mutex
	keys      map[string]persistence.APIKey
	customers map[string]persistence.Customer
	reads     int
	err       error
	// onRead, if set, is called after a key was read and before it is returned.
	onRead func()
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
	if r.onRead != nil {
		r.onRead()
	}
	if r.err != nil {
		return persistence.APIKey{}, r.err
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

// panicking panics at every lookup.
type panicking struct{}

func (panicking) APIKey(context.Context, string) (persistence.APIKey, error) {
	panic("a key was looked up")
}

func (panicking) Customer(context.Context, string) (persistence.Customer, error) {
	panic("a customer was looked up")
}

func TestValidKeyHasItsPrincipal(t *testing.T) {
	r := newRecords()
	ends := time.Now().Add(time.Hour)
	key, id := r.issue(t, auth.Grant{
		Customer: "cus_1", Scopes: []persistence.Scope{persistence.ScopeRead, persistence.ScopeTrade}, ExpiresAt: ends,
	})
	p, err := auth.NewAuthenticator(r).Authenticate(t.Context(), key, source)
	if err != nil {
		t.Fatal(err)
	}
	if p.Customer != "cus_1" || p.KeyID != id || !p.Has(persistence.ScopeTrade) || p.Has(persistence.ScopeAccount) || !p.ExpiresAt.Equal(ends) {
		t.Errorf("principal = %+v, want key %s of cus_1 with scopes read and trade until %s", p, id, ends)
	}
	if err := p.Require(persistence.ScopeRead); err != nil {
		t.Errorf("Require(read): error %v, want none", err)
	}
	e, _ := errors.AsType[*venues.Error](p.Require(persistence.ScopeAccount))
	if e == nil || e.Code != venues.CodeScopeRequired || e.Details["required"] != "account" || len(e.Details["granted"].([]string)) != 2 {
		t.Errorf("Require(account) = %v, want scope_required with two granted scopes", e)
	}
}

func TestInvalidKeysAreUnauthorized(t *testing.T) {
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
		_, err := a.Authenticate(t.Context(), key, source)
		if venues.CodeOf(err) != venues.CodeUnauthorized {
			t.Errorf("%s: error %v, want unauthorized", name, err)
			continue
		}
		messages = append(messages, err.Error())
	}
	for _, m := range messages {
		if m != messages[0] {
			t.Errorf("message = %q, want the same for every key: %q", m, messages[0])
		}
	}
}

func TestKeyIsAcceptedFromItsAddressesOnly(t *testing.T) {
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
			t.Errorf("key from %s: error %v, want allowed %v", source, err, want)
		}
	}
}

func TestFailuresAreLimitedPerAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecords()
		key, _ := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
		a := auth.NewAuthenticator(r)
		for i := range 40 {
			_, err := a.Authenticate(t.Context(), "wrong", source)
			want := venues.CodeUnauthorized
			if i >= 30 {
				want = venues.CodeRateLimited
			}
			if venues.CodeOf(err) != want {
				t.Fatalf("failure %d: error %v, want %s", i+1, err, want)
			}
		}
		if _, err := a.Authenticate(t.Context(), key, source); err != nil {
			t.Errorf("valid key after the failures of others: error %v, want none", err)
		}
		if _, err := a.Authenticate(t.Context(), "wrong", netip.MustParseAddr("192.0.2.2")); venues.CodeOf(err) != venues.CodeUnauthorized {
			t.Errorf("failure of another address: error %v, want unauthorized", err)
		}
		e := a.Fail(t.Context(), source)
		if e.Code != venues.CodeRateLimited || e.RetryAfter != time.Minute {
			t.Errorf("error = %v with RetryAfter %v, want rate_limited with %v", e, e.RetryAfter, time.Minute)
		}
		time.Sleep(e.RetryAfter)
		if e := a.Fail(t.Context(), source); e.Code != venues.CodeUnauthorized {
			t.Errorf("failure after RetryAfter: error %v, want unauthorized", e)
		}
	})
}

func TestIPv6FailuresAreLimitedPerNetwork(t *testing.T) {
	a := auth.NewAuthenticator(newRecords())
	source := netip.MustParseAddr("2001:db8::1")
	for range 30 { // every one from another address
		if e := a.Fail(t.Context(), source); e.Code != venues.CodeUnauthorized {
			t.Fatalf("failure = %v, want unauthorized", e)
		}
		source = source.Next()
	}
	if e := a.Fail(t.Context(), source); e.Code != venues.CodeRateLimited {
		t.Errorf("failure 31 = %v, want rate_limited", e)
	}
	if e := a.Fail(t.Context(), netip.MustParseAddr("2001:db8:0:1::1")); e.Code != venues.CodeUnauthorized {
		t.Errorf("failure of the next network = %v, want unauthorized", e)
	}
}

func TestCachedKeyExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecords()
		key, id := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
		a := auth.NewAuthenticator(r)
		for range 5 {
			if _, err := a.Authenticate(t.Context(), key, source); err != nil {
				t.Fatal(err)
			}
		}
		if r.reads != 1 {
			t.Errorf("reads = %d, want 1", r.reads)
		}
		r.revoke(id)
		time.Sleep(auth.CacheTTL)
		if _, err := a.Authenticate(t.Context(), key, source); venues.CodeOf(err) != venues.CodeUnauthorized {
			t.Errorf("revoked key after CacheTTL: error %v, want unauthorized", err)
		}
	})
}

func TestRevokeIsEffectiveImmediately(t *testing.T) {
	r := newRecords()
	key, id := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	a := auth.NewAuthenticator(r)
	var revoked []string
	stop := a.Watch(func(keyID string) { revoked = append(revoked, keyID) })
	if _, err := a.Authenticate(t.Context(), key, source); err != nil {
		t.Fatal(err)
	}
	r.revoke(id)
	a.Revoke(id)
	if _, err := a.Authenticate(t.Context(), key, source); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("revoked key: error %v, want unauthorized", err)
	}
	stop()
	a.Revoke(id)
	if len(revoked) != 1 || revoked[0] != id {
		t.Errorf("watched keys = %q, want one %q: none after stop", revoked, id)
	}
}

// A key that was read just before its revocation must not be cached after it.
func TestKeyRevokedDuringAReadIsNotCached(t *testing.T) {
	r := newRecords()
	key, id := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	a := auth.NewAuthenticator(r)
	r.onRead = func() {
		r.onRead = nil
		r.revoke(id)
		a.Revoke(id)
	}
	if _, err := a.Authenticate(t.Context(), key, source); err != nil {
		t.Fatalf("request during the revocation: error %v, want none", err)
	}
	if _, err := a.Authenticate(t.Context(), key, source); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("request after the revocation: error %v, want unauthorized", err)
	}
}

func TestLookupErrorIsNotCountedAsFailure(t *testing.T) {
	r := newRecords()
	key, _ := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: read})
	r.err = persistence.ErrUnavailable
	a := auth.NewAuthenticator(r)
	for range 40 {
		if _, err := a.Authenticate(t.Context(), key, source); !errors.Is(err, persistence.ErrUnavailable) {
			t.Fatalf("error = %v, want ErrUnavailable", err)
		}
	}
	r.err = nil
	if e := a.Fail(t.Context(), source); e.Code != venues.CodeUnauthorized {
		t.Errorf("failure = %v, want unauthorized: lookup errors do not count", e)
	}
}

func TestConcurrentAuthenticationReturnsTheRightKey(t *testing.T) {
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
				p, err := a.Authenticate(t.Context(), key, source)
				if err != nil || p.KeyID != key[4:12] {
					t.Errorf("principal = %+v, %v; want key %s", p, err, key[4:12])
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
		if _, err := a.Authenticate(b.Context(), key, source); err != nil {
			b.Fatal(err)
		}
	}
}

// The use of a key is reported once until the record has it, and again a minute later.
func TestUsesAreReportedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecords()
		key, id := r.issue(t, auth.Grant{Customer: "cus_1", Scopes: []persistence.Scope{persistence.ScopeRead}})
		a := auth.NewAuthenticator(r)
		var uses []auth.Use
		a.ReportUses(func(u auth.Use) {
			uses = append(uses, u)
			record := r.keys[u.KeyID]
			record.LastUsedAt = venues.At(u.At)
			r.keys[u.KeyID] = record
		})
		began := time.Now()
		for time.Since(began) < 2*auth.UseEvery {
			if _, err := a.Authenticate(t.Context(), key, source); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if len(uses) != 2 || uses[0] != (auth.Use{KeyID: id, At: began, Source: source}) || uses[1].At.Sub(began) < auth.UseEvery {
			t.Errorf("reported uses = %+v, want two, a minute apart", uses)
		}
		if _, err := a.Authenticate(t.Context(), key[:len(key)-1]+"x", source); err == nil || len(uses) != 2 {
			t.Errorf("wrong key: error %v with %d uses, want a rejection that is no use", err, len(uses))
		}
	})
}
