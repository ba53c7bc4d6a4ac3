package rows_test

import (
	"context"
	"errors"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
	"venuegate/persistence/storetest"
)

// unavailable is an engine without snapshots.
type unavailable struct{}

func (unavailable) View(context.Context, func(rows.Snapshot) error) error {
	return persistence.ErrUnavailable
}

// A request id that cannot be read may be taken: the error must not be ErrNotFound.
func TestFailedReadOfARequestID(t *testing.T) {
	_, err := rows.NewReader(unavailable{}).Idempotency(t.Context(), "alice", persistence.ScopeREST, "r")
	if !errors.Is(err, persistence.ErrUnavailable) || errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("Idempotency = %v, want %v", err, persistence.ErrUnavailable)
	}
}

// The keys of a request id with a slash and of a scope with one are the same.
func TestRequestIDOfAnotherScope(t *testing.T) {
	store := storetest.NewMemory()
	fence, err := store.TakeOwnership(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	r := storetest.NewIdempotency("alice", "b/c", 1, 1)
	if err := store.Commit(t.Context(), persistence.Batch{Fence: fence, Puts: []persistence.Record{r}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		scope, id string
		want      error
	}{{r.Scope, "b/c", nil}, {r.Scope + "/b", "c", persistence.ErrNotFound}} {
		if got, err := store.Idempotency(t.Context(), "alice", c.scope, c.id); !errors.Is(err, c.want) {
			t.Errorf("Idempotency of %q in scope %q = %+v, %v; want %v", c.id, c.scope, got, err, c.want)
		}
	}
}
