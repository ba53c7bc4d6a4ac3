package registry_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/registry"
	"venuegate/transport/registrytest"
	"venuegate/venues"
)

// headSetting is the name of the setting with the end of the chain.
const headSetting = "admin.journal.head"

// written is the journal of an installation, oldest row first, and the end of its
// chain.
type written struct {
	rows []persistence.JournalEntry
	head *persistence.Setting
}

// write creates n customers in a store that has the given rows.
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
		// A new registry reads the end of the chain again, as after a start.
		if _, err := open(store).Customers.Create(t.Context(), registry.NewCustomer{Name: fmt.Sprint("customer ", i)}); err != nil {
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

func open(store persistence.Store) *registry.Registry {
	return registry.New(registrytest.Options(store, &registrytest.Service{Store: store}))
}

// verify verifies the journal in a new store.
func (w written) verify(t *testing.T) (registry.Verified, error) {
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
	return open(store).VerifyJournal(t.Context())
}

// unchained is a row from before there was a chain.
func unchained(n int) persistence.JournalEntry { return storetest.NewJournal(n) }

func TestJournalIsIntact(t *testing.T) {
	for name, w := range map[string]written{
		"nothing":                 write(t, 0),
		"one row":                 write(t, 1),
		"rows":                    write(t, 6),
		"unchained rows":          write(t, 0, unchained(1), unchained(3)),
		"chained after unchained": write(t, 3, unchained(1), unchained(3)),
	} {
		verified, err := w.verify(t)
		if err != nil || !verified.Intact || verified.Rows != len(w.rows) {
			t.Errorf("%s: verified %+v, %v; want %d intact rows", name, verified, err, len(w.rows))
		}
	}
}

// Every row is altered in every way, the oldest and the newest included.
func TestAlteredRowBreaksTheChain(t *testing.T) {
	const before, after = 2, 5
	sound := write(t, after, unchained(1), unchained(2))
	for at := range before + after {
		seq := sound.rows[at].Seq
		for name, alter := range alterations {
			w := written{rows: slices.Clone(sound.rows), head: sound.head}
			w.rows = alter(w.rows, at)
			verified, err := w.verify(t)
			if err != nil || verified.Intact || verified.Break == nil {
				t.Errorf("row %d %s: verified %+v, %v; want a break", seq, name, verified, err)
				continue
			}
			// The change of an unchained row is found at the first chained one, which
			// an inserted row moves by one.
			if got, first, last := verified.Break.Seq, seq, max(seq+1, before+2); got < first || got > last {
				t.Errorf("row %d %s: break at row %d, want %d to %d: %+v", seq, name, got, first, last, verified.Break)
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

func TestMissingEndBreaksTheChain(t *testing.T) {
	sound := write(t, 4)
	for name, w := range map[string]written{
		"the newest rows removed": {rows: sound.rows[:2], head: sound.head},
		"all rows removed":        {head: sound.head},
		"the end removed":         {rows: sound.rows},
		"rows after the end":      {rows: sound.rows, head: write(t, 2).head},
	} {
		if verified, err := w.verify(t); err != nil || verified.Intact || verified.Break == nil {
			t.Errorf("%s: verified %+v, %v; want a break", name, verified, err)
		}
	}
	cut := *sound.head
	cut.Value = cut.Value[:20]
	if _, err := (written{rows: sound.rows, head: &cut}).verify(t); !errors.Is(err, persistence.ErrIntegrity) {
		t.Errorf("half of the end: error %v, want ErrIntegrity", err)
	}
}

// A commit of unknown outcome is followed by one that fits in either case.
func TestChainContinuesAfterAnUnknownOutcome(t *testing.T) {
	for _, applied := range []bool{false, true} {
		store := storetest.NewMemory()
		r := open(store)
		if _, err := r.Customers.Create(t.Context(), registry.NewCustomer{Name: "first"}); err != nil {
			t.Fatal(err)
		}
		if applied {
			store.LoseNextReply()
		} else {
			store.FailNext(persistence.ErrOutcomeUnknown)
		}
		if _, err := r.Customers.Create(t.Context(), registry.NewCustomer{Name: "second"}); err == nil {
			t.Error("create with a failing commit: no error, want one")
		}
		if _, err := r.Customers.Create(t.Context(), registry.NewCustomer{Name: "third"}); err != nil {
			t.Fatal(err)
		}
		want := 2
		if applied {
			want = 3
		}
		if verified, err := r.VerifyJournal(t.Context()); err != nil || !verified.Intact || verified.Rows != want {
			t.Errorf("applied %v: verified %+v, %v; want %d intact rows", applied, verified, err, want)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}
