package auth

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
)

// storedKeys has the keys whose id begins with 0 or 1. The customer of the latter is removed.
type storedKeys struct{ reads int }

func (s *storedKeys) APIKey(_ context.Context, id string) (persistence.APIKey, error) {
	s.reads++
	switch {
	case strings.HasPrefix(id, "0"):
		return persistence.APIKey{ID: id, Customer: "cus_1"}, nil
	case strings.HasPrefix(id, "1"):
		return persistence.APIKey{ID: id, Customer: "cus_2"}, nil
	default:
		return persistence.APIKey{}, persistence.ErrNotFound
	}
}

func (*storedKeys) Customer(_ context.Context, id string) (persistence.Customer, error) {
	if id != "cus_1" {
		return persistence.Customer{}, persistence.ErrNotFound
	}
	return persistence.Customer{ID: "cus_1"}, nil
}

// Unknown ids are not cached: a client that sends many would evict the keys of others, and
// a key that is created later would be unknown.
func TestUnknownKeysAreNotCached(t *testing.T) {
	a := NewAuthenticator(&storedKeys{})
	now := time.Now()
	for n := range 10 {
		id := fmt.Sprint(n)
		_, known, err := a.find(t.Context(), id, now)
		if want := n == 0; known != want || err != nil {
			t.Errorf("find(%s) = %v, %v, want %v", id, known, err, want)
		}
	}
	if got := len(a.cached); got != 1 {
		t.Errorf("%d keys in the cache, want only the one that exists", got)
	}
}

// The cache is bounded, and its newest key is in it.
func TestKeyCacheIsBounded(t *testing.T) {
	keys := &storedKeys{}
	a := NewAuthenticator(keys)
	now := time.Now()
	for n := range cacheMax + 2 {
		id := fmt.Sprint("0", n)
		for range 2 { // the second time from the cache
			if _, known, err := a.find(t.Context(), id, now); !known || err != nil {
				t.Fatalf("find(%s) = %v, %v, want true", id, known, err)
			}
		}
		if got, want := len(a.cached), min(n+1, cacheMax); got != want {
			t.Fatalf("%d keys in the cache after %d, want %d", got, n+1, want)
		}
	}
	if want := cacheMax + 2; keys.reads != want {
		t.Errorf("%d reads, want %d", keys.reads, want)
	}
}
