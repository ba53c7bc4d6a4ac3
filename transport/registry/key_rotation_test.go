package registry_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// rotate rotates the key of alice, and returns the new one and the previous one.
func (in *installation) rotate(t *testing.T, overlapSec int) (next registry.Key, previous persistence.APIKey) {
	t.Helper()
	next, err := in.Keys.Rotate(t.Context(), in.key, registry.KeyRotation{OverlapSec: &overlapSec})
	if err == nil {
		previous, err = in.store.APIKey(t.Context(), in.key)
	}
	if err != nil {
		t.Fatal(err)
	}
	return next, previous
}

func TestRotatedKeyStaysValidForTheOverlap(t *testing.T) {
	in := newInstallation(t)
	before := made(in.store.APIKey(t.Context(), in.key))
	next, previous := in.rotate(t, 60)
	if next.ID == in.key || next.APIKey == "" || next.Name != before.Name || !slices.Equal(next.Scopes, before.Scopes) || !next.ExpiresAt.IsZero() {
		t.Errorf("new key = %+v, want one like %+v", next, before)
	}
	if left := time.Until(previous.ExpiresAt.Time); !previous.RevokedAt.IsZero() || left < 55*time.Second || left > time.Minute || previous.ReplacedBy != next.ID {
		t.Errorf("previous key = %+v, want it to end in a minute, replaced by %s", previous, next.ID)
	}
	keys := auth.NewAuthenticator(in.store)
	if p, err := keys.Authenticate(t.Context(), next.APIKey, netip.MustParseAddr("192.0.2.1")); err != nil || p.KeyID != next.ID {
		t.Errorf("new key: principal %+v, %v, want %s", p, err, next.ID)
	}
	if !slices.Equal(in.service.Revoked, []string{in.key}) {
		t.Errorf("closed connections of %q, want those of %s", in.service.Revoked, in.key)
	}
	if _, err := in.Keys.Rotate(t.Context(), in.key, registry.KeyRotation{}); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Errorf("second rotation: error %v, want %s", err, venues.CodeInvalidRequest)
	}
	rows := made(in.store.Journal(t.Context(), persistence.JournalQuery{Kind: "admin.key", Subject: next.ID})).Items
	if len(rows) != 1 || !slices.Contains(rows[0].Fields, persistence.JournalField{Name: "replaces", Value: in.key}) {
		t.Errorf("rows = %+v, want one that names the previous key", rows)
	}
}

func TestRotationWithoutOverlapRevokes(t *testing.T) {
	in := newInstallation(t)
	if _, previous := in.rotate(t, 0); previous.RevokedAt.IsZero() {
		t.Errorf("previous key = %+v, want it revoked", previous)
	}
	for _, sec := range []int{-1, 86401} {
		if _, err := in.Keys.Rotate(t.Context(), in.key, registry.KeyRotation{OverlapSec: &sec}); venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("overlap of %d s: error %v, want %s", sec, err, venues.CodeInvalidRequest)
		}
	}
	if _, err := in.Keys.Rotate(t.Context(), in.key, registry.KeyRotation{}); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Errorf("rotation of a revoked key: error %v, want %s", err, venues.CodeInvalidRequest)
	}
}

// A key that ends within the overlap does not live longer by a rotation.
func TestRotationDoesNotProlongAKey(t *testing.T) {
	in := newInstallation(t)
	end := venues.At(time.Now().Add(30 * time.Second).Truncate(time.Millisecond))
	made(in.Keys.Change(t.Context(), in.key, registry.KeyChange{ExpiresAt: end}))
	next, previous := in.rotate(t, 60)
	if !previous.ExpiresAt.Equal(end.Time) || !next.ExpiresAt.Equal(end.Time) {
		t.Errorf("ends = %s and %s, want %s", previous.ExpiresAt, next.ExpiresAt, end)
	}
}

// The last use is stored without a change to anything else, and only if it is later than
// the one that is stored.
func TestUseOfAKeyIsRecorded(t *testing.T) {
	in := newInstallation(t)
	at := time.Now().Truncate(time.Millisecond)
	use := auth.Use{KeyID: in.key, At: at, Source: netip.MustParseAddr("::ffff:192.0.2.7")}
	made(in.Keys.Revoke(t.Context(), in.key))
	for _, u := range []auth.Use{use, {KeyID: "none", At: at, Source: use.Source}, {KeyID: in.key, At: at.Add(-time.Hour), Source: netip.MustParseAddr("192.0.2.8")}} {
		if err := in.RecordUse(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	key := made(in.For(in.alice, registry.Author{}).Keys.Get(t.Context(), in.key))
	if !key.LastUsedAt.Equal(at) || key.LastUsedFrom != "192.0.2.7" || key.RevokedAt.IsZero() {
		t.Errorf("key = %+v, want it revoked and used at %s from 192.0.2.7", key, at)
	}
}
