package admin_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/admin"
	"venuegate/venues"
)

// headSetting keeps the end of the chain.
const headSetting = "admin.journal.head"

// written is an installation's journal as it was written, oldest row first.
type written struct {
	rows []persistence.JournalEntry
	head *persistence.Setting
}

// write lets a registry make n customers after the rows of before.
func write(t *testing.T, n int, before ...persistence.JournalEntry) written {
	t.Helper()
	store := storetest.NewMemory()
	t.Cleanup(func() { _ = store.Close() })
	if len(before) > 0 {
		if err := store.Commit(t.Context(), persistence.Batch{Journal: before}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		// A registry of its own reads the end of the chain anew, as after a start.
		if _, err := registry(store).CreateCustomer(t.Context(), admin.NewCustomer{Name: fmt.Sprint("customer ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := store.Journal(t.Context(), persistence.JournalQuery{})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(page.Items, func(a, b persistence.JournalEntry) int { return int(a.Seq) - int(b.Seq) })
	w := written{rows: page.Items}
	if n > 0 {
		head, err := store.Setting(t.Context(), headSetting)
		if err != nil {
			t.Fatal(err)
		}
		w.head = &head
	}
	return w
}

func registry(store *storetest.Memory) *admin.Registry {
	return admin.NewRegistry(admin.Options{
		Store: store, Directory: &directory{store: store, fences: map[string]persistence.Fence{}}, Vault: vault{}, Examiner: &examiner{},
	})
}

// verify puts the journal into a store of its own and verifies it there.
func (w written) verify(t *testing.T) (int, error) {
	t.Helper()
	store := storetest.NewMemory()
	defer func() { _ = store.Close() }()
	b := persistence.Batch{Journal: w.rows}
	if w.head != nil {
		b.Puts = append(b.Puts, *w.head)
	}
	if err := store.Commit(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return registry(store).Verify(t.Context())
}

// unchained is a row of before there was a chain.
func unchained(n int) persistence.JournalEntry { return storetest.NewJournal(n) }

func TestChainHolds(t *testing.T) {
	for name, w := range map[string]written{
		"nothing":                  write(t, 0),
		"one row":                  write(t, 1),
		"rows":                     write(t, 6),
		"rows of before alone":     write(t, 0, unchained(1), unchained(3)),
		"rows of before and after": write(t, 3, unchained(1), unchained(3)),
	} {
		rows, err := w.verify(t)
		if err != nil || rows != len(w.rows) {
			t.Errorf("%s: %d rows of %d, %v", name, rows, len(w.rows), err)
		}
	}
}

// Every row is altered in every way, the oldest and the newest among them.
func TestChainBreaks(t *testing.T) {
	const before, after = 2, 5
	sound := write(t, after, unchained(1), unchained(2))
	for at := range before + after {
		seq := sound.rows[at].Seq
		for name, alter := range alterations {
			w := written{rows: slices.Clone(sound.rows), head: sound.head}
			w.rows = alter(w.rows, at)
			_, err := w.verify(t)
			var found *admin.ChainBreak
			if !errors.As(err, &found) {
				t.Errorf("row %d %s: %v, want a break", seq, name, err)
				continue
			}
			// What was done to a row of before shows at the first chained one,
			// which an inserted row moves by one.
			if first, last := seq, max(seq+1, before+2); found.Seq < first || found.Seq > last {
				t.Errorf("row %d %s: found at row %d: %v", seq, name, found.Seq, err)
			}
		}
	}
}

var alterations = map[string]func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry{
	"with another value": func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry {
		fields := slices.Clone(rows[at].Fields)
		fields[0].Value += "0"
		rows[at].Fields = fields
		return rows
	},
	"with a value moved to another field": func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry {
		fields := slices.Clone(rows[at].Fields)
		fields[0].Name, fields[0].Value = fields[0].Name+fields[0].Value, ""
		rows[at].Fields = fields
		return rows
	},
	"a millisecond later": func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry {
		rows[at].At = venues.At(rows[at].At.Add(time.Millisecond))
		return rows
	},
	"with the hash of another": func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry {
		rows[at].Hash = bytes.Repeat([]byte{7}, 32)
		return rows
	},
	"with another hash before it": func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry {
		rows[at].PrevHash, rows[at].Subject = bytes.Repeat([]byte{7}, 32), "another"
		return rows
	},
	"without hashes": func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry {
		rows[at].PrevHash, rows[at].Hash, rows[at].Kind = nil, nil, "another"
		return rows
	},
	"removed": func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry {
		return slices.Delete(rows, at, at+1)
	},
	"followed by a copy": func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry {
		row := rows[at]
		row.ID += "x"
		return slices.Insert(rows, at+1, row)
	},
	"followed by an inserted row": func(rows []persistence.JournalEntry, at int) []persistence.JournalEntry {
		row := rows[at]
		row.ID, row.Kind = row.ID+"x", "another"
		rows = slices.Insert(rows, at+1, row)
		for i := at + 1; i < len(rows); i++ {
			rows[i].Seq++
		}
		return rows
	},
}

func TestChainEndIsKept(t *testing.T) {
	sound := write(t, 4)
	for name, w := range map[string]written{
		"the newest rows removed": {rows: sound.rows[:2], head: sound.head},
		"all rows removed":        {head: sound.head},
		"the end removed":         {rows: sound.rows},
		"rows after the end":      {rows: sound.rows, head: write(t, 2).head},
	} {
		_, err := w.verify(t)
		var found *admin.ChainBreak
		if !errors.As(err, &found) {
			t.Errorf("%s: %v, want a break", name, err)
		}
	}
	cut := *sound.head
	cut.Value = cut.Value[:20]
	if _, err := (written{rows: sound.rows, head: &cut}).verify(t); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("half of the end: %v, want ErrIntegrity", err)
	}
}

// A commit that may or may not have happened is followed by one that fits either
// way.
func TestChainGoesOnAfterAnUnknownOutcome(t *testing.T) {
	for _, applied := range []bool{false, true} {
		store := storetest.NewMemory()
		r := registry(store)
		if _, err := r.CreateCustomer(t.Context(), admin.NewCustomer{Name: "first"}); err != nil {
			t.Fatal(err)
		}
		if applied {
			store.LoseNextAnswer()
		} else {
			store.FailNext(persistence.ErrOutcomeUnknown)
		}
		if _, err := r.CreateCustomer(t.Context(), admin.NewCustomer{Name: "second"}); err == nil {
			t.Error("the failed commit was not reported")
		}
		if _, err := r.CreateCustomer(t.Context(), admin.NewCustomer{Name: "third"}); err != nil {
			t.Fatal(err)
		}
		want := 2
		if applied {
			want = 3
		}
		if rows, err := r.Verify(t.Context()); err != nil || rows != want {
			t.Errorf("applied %v: %d rows, %v; want %d", applied, rows, err, want)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}
