package badgerstore

import (
	"fmt"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

func TestKeyFilterContainsAddedKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		filter := &keyFilter{seed: newKeyFilter(0).seed, words: make([]atomic.Uint64, 1<<rapid.IntRange(0, 6).Draw(t, "size"))}
		filter.complete.Store(true)
		var added [][]byte
		for range rapid.IntRange(0, 100).Draw(t, "keys") {
			key := rapid.SliceOf(rapid.Byte()).Draw(t, "key")
			filter.add(key)
			added = append(added, key)
			for _, key := range added {
				if filter.lacks(key) {
					t.Fatalf("lacks(%x) = true for an added key", key)
				}
			}
		}
	})
}

// A filter of the size for its store excludes nearly every other key.
func TestKeyFilterExcludesOtherKeys(t *testing.T) {
	const rows = keyFilterBytesMin / keyFilterRowBytes
	filter := newKeyFilter(rows)
	for n := range 2 * rows {
		filter.add(fmt.Append(nil, "added", n))
	}
	if filter.lacks([]byte("absent")) {
		t.Error("a filter that is not complete excludes a key, want none")
	}
	filter.complete.Store(true)
	notExcluded := 0
	for n := range rows {
		if !filter.lacks(fmt.Append(nil, "absent", n)) {
			notExcluded++
		}
	}
	if share := float64(notExcluded) / rows; share > 0.03 {
		t.Errorf("%.2f %% of the keys that were not added are not excluded, want at most 3 %%", 100*share)
	}
}

// The filter of a store contains the rows that Open finds and those that commits add.
func TestKeyFilterContainsTheRowsOfAStore(t *testing.T) {
	dir := t.TempDir()
	for opening := range 3 {
		s := openSmall(t, dir)
		fence, err := s.TakeOwnership(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		request := storetest.NewIdempotency("alice", fmt.Sprint("r", opening), 1, opening)
		if err := s.Commit(t.Context(), persistence.Batch{Fence: fence, Puts: []persistence.Record{request}}); err != nil {
			t.Fatal(err)
		}
		for earlier := range opening + 1 {
			if _, err := s.Idempotency(t.Context(), "alice", request.Scope, fmt.Sprint("r", earlier)); err != nil {
				t.Errorf("Idempotency of opening %d = %v, want nil", earlier, err)
			}
		}
		for n := range 50 * (opening + 1) {
			// Journal rows are not cached; each is written twice.
			entry := storetest.NewJournal(n / 2)
			entry.Result = fmt.Sprint(opening, n)
			if err := s.Commit(t.Context(), persistence.Batch{Fence: fence, Journal: []persistence.JournalEntry{entry}}); err != nil {
				t.Fatal(err)
			}
		}
		found, err := inspect(s.db)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		// A row that the filter excludes although it exists would be counted twice.
		if err := found.err; err != nil {
			t.Errorf("opening %d: verifyRows = %v, want nil", opening, err)
		}
	}
}
