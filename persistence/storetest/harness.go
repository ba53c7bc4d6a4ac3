package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// harness is a store under test with the fences of its customers.
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

// fence returns the fence of a customer. The first call takes the ownership.
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

// put commits each record in a batch of its own, under the fence of its customer.
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

// rejects commits a batch, which must return want.
func (h *harness) rejects(b persistence.Batch, want error) {
	h.Helper()
	if err := h.store.Commit(h.Context(), b); !errors.Is(err, want) {
		h.Fatalf("Commit = %v, want %v", err, want)
	}
}

// must returns the result of a read, which must succeed.
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

// missing checks that a read returns ErrNotFound.
func missing[T any](h *harness) func(T, error) {
	h.Helper()
	return func(v T, err error) {
		h.Helper()
		if !errors.Is(err, persistence.ErrNotFound) {
			h.Errorf("read = %s, %v; want ErrNotFound", text(v), err)
		}
	}
}

// equal compares the JSON of values: decimals by value, times to the millisecond.
func (h *harness) equal(what string, got, want any) {
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

// epoch is the time zero of the tests.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// timeAt returns the time n milliseconds after epoch.
func timeAt(n int) venues.Time { return venues.At(epoch.Add(time.Duration(n) * time.Millisecond)) }

// recordsMax bounds the records of one query, which ends a query whose pages do not end.
const recordsMax = 100_000

// readPages returns the records of all pages of a query.
func readPages[T any](t interface {
	Helper()
	Fatalf(format string, args ...any)
}, read func(after *persistence.PagePosition) (persistence.Page[T], error),
) []T {
	t.Helper()
	all := []T{}
	var after *persistence.PagePosition
	for {
		page, err := read(after)
		if err != nil {
			t.Fatalf("read %T: %v", page, err)
		}
		all = append(all, page.Items...)
		if page.Next == nil {
			return all
		}
		if after = page.Next; len(all) > recordsMax {
			t.Fatalf("%d records have been read, and there is another page; want at most %d", len(all), recordsMax)
		}
	}
}

// allIDs returns the ids of the records of all pages of a query.
func allIDs[T any](h *harness, id func(T) string, read func(after *persistence.PagePosition) (persistence.Page[T], error)) []string {
	h.Helper()
	records := readPages(h, read)
	ids := slices.Grow[[]string](nil, len(records)) // nil if there are none
	for _, record := range records {
		ids = append(ids, id(record))
	}
	return ids
}
