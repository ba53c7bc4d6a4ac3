package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// harness is one store under test with the fences taken on it.
type harness struct {
	testing.TB
	store  persistence.Store
	fences map[string]persistence.Fence
}

func newHarness(t testing.TB, open Open) *harness {
	t.Helper()
	h := &harness{TB: t, store: open(t), fences: map[string]persistence.Fence{"": {}}}
	t.Cleanup(func() {
		if err := h.store.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return h
}

// fence takes a customer once and remembers it.
func (h *harness) fence(customer string) persistence.Fence {
	h.Helper()
	fence, taken := h.fences[customer]
	if taken {
		return fence
	}
	fence, err := h.store.TakeOwnership(h.Context(), customer)
	if err != nil {
		h.Fatalf("TakeOwnership(%q): %v", customer, err)
	}
	h.fences[customer] = fence
	return fence
}

// put commits records, each under the fence of its customer.
func (h *harness) put(records ...persistence.Record) {
	h.Helper()
	for _, r := range records {
		b := persistence.Batch{Fence: h.fence(r.Key().Customer), Puts: []persistence.Record{r}}
		if err := h.store.Commit(h.Context(), b); err != nil {
			h.Fatalf("commit %s: %v", r.Key(), err)
		}
	}
}

// commit commits a batch under the fence of a customer.
func (h *harness) commit(customer string, b persistence.Batch) {
	h.Helper()
	b.Fence = h.fence(customer)
	if err := h.store.Commit(h.Context(), b); err != nil {
		h.Fatalf("commit for %q: %v", customer, err)
	}
}

// refused commits a batch that must fail with want.
func (h *harness) refused(b persistence.Batch, want error) {
	h.Helper()
	if err := h.store.Commit(h.Context(), b); !errors.Is(err, want) {
		h.Fatalf("commit gave %v, want %v", err, want)
	}
}

// must unwraps a read that has to succeed.
func must[T any](h *harness) func(T, error) T {
	h.Helper()
	return func(v T, err error) T {
		h.Helper()
		if err != nil {
			h.Fatalf("read %T: %v", v, err)
		}
		return v
	}
}

// missing checks that a read found nothing.
func missing[T any](h *harness) func(T, error) {
	h.Helper()
	return func(v T, err error) {
		h.Helper()
		if !errors.Is(err, persistence.ErrNotFound) {
			h.Errorf("read gave %s, %v; want ErrNotFound", text(v), err)
		}
	}
}

// same compares by what the records print: decimals by value, moments to the
// millisecond.
func (h *harness) same(what string, got, want any) {
	h.Helper()
	if g, w := text(got), text(want); g != w {
		h.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v (%v)", v, err)
	}
	return string(out)
}

// epoch is when the tests' time begins.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// moment is n milliseconds after epoch.
func moment(n int) venues.Time { return venues.At(epoch.Add(time.Duration(n) * time.Millisecond)) }
