package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/venues"
)

// A restore reports the accounts that it halts, to be resumed after it: not those that were
// halted before.
func TestRestoreReportsTheAccountsThatItHalts(t *testing.T) {
	store, err := badgerstore.Open(t.TempDir(), badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	log := journal.NewClient(store)
	fence, err := log.Own(t.Context(), "cus_1")
	if err != nil {
		t.Fatal(err)
	}
	trading := persistence.VenueAccount{Customer: "cus_1", Exchange: venues.Binance}
	stopped := persistence.VenueAccount{Customer: "cus_1", Exchange: venues.OKX, Halted: true, Flatten: true}
	if err := log.Commit(t.Context(), persistence.Batch{Fence: fence, Puts: []persistence.Record{trading, stopped}}); err != nil {
		t.Fatal(err)
	}
	halted, err := haltCustomer(t.Context(), store, log, "cus_1", "restore")
	if want := []string{"cus_1:binance"}; err != nil || !slices.Equal(halted, want) {
		t.Errorf("haltCustomer = %v, %v; want %v", halted, err, want)
	}
	accounts, err := store.VenueAccounts(t.Context(), "cus_1")
	if err != nil || len(accounts) != 2 || !accounts[0].Hold || accounts[1].Hold || !accounts[1].Flatten {
		t.Errorf("accounts %+v, %v; want the first on hold, the second as it was", accounts, err)
	}
	rows, err := store.Journal(t.Context(), persistence.JournalQuery{Customer: "cus_1", Kind: "account.halted"})
	if err != nil || len(rows.Items) != 1 {
		t.Errorf("%d rows in the journal, %v; want 1", len(rows.Items), err)
	}
}

// A session that has ended after the backup must not be open again.
func TestRestoreEndsSessions(t *testing.T) {
	work := t.TempDir()
	store, err := badgerstore.Open(filepath.Join(work, "store"), badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	user, hour := persistence.User{Login: "ann", Password: "hash"}, venues.At(time.Now().Add(time.Hour))
	session := persistence.Session{ID: "ses_1", User: "ann", Hash: []byte{1}, EndsAt: hour}
	file, err := os.Create(filepath.Join(work, "backup"))
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		store.Commit(t.Context(), persistence.Batch{Puts: []persistence.Record{user, session}}),
		writeBackup(t.Context(), store, filepath.Join(work, sheetsName), file), file.Close(), store.Close())
	if err != nil {
		t.Fatal(err)
	}
	config := Config{Data: filepath.Join(work, "data")}
	if _, err := restore(t.Context(), config, file.Name(), &progress{}); err != nil {
		t.Fatal(err)
	}
	if store, err = badgerstore.Open(filepath.Join(config.Data, storeName), badgerstore.Options{}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if s, err := store.Session(t.Context(), "ses_1"); err != nil || s.EndsAt.After(time.Now()) {
		t.Errorf("session = %+v, %v, want one that has ended", s, err)
	}
	if u, err := store.User(t.Context(), "ann"); err != nil || u.Password != "hash" {
		t.Errorf("user = %+v, %v, want ann with the password", u, err)
	}
}

// The store gets its name last. A backup that ends too early, like a kill, leaves nothing with
// which a service would start, and can be restored again.
func TestRestoreIsCompleteOrAbsent(t *testing.T) {
	work := t.TempDir()
	store, err := badgerstore.Open(filepath.Join(work, "store"), badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sheets := filepath.Join(work, sheetsName)
	if err := os.MkdirAll(filepath.Join(sheets, "cus_1"), 0o700); err != nil {
		t.Fatal(err)
	}
	sheet := filepath.Join("cus_1", "trades.xlsx")
	if err := os.WriteFile(filepath.Join(sheets, sheet), []byte("rows"), 0o600); err != nil {
		t.Fatal(err)
	}
	var backup bytes.Buffer
	if err := writeBackup(t.Context(), store, sheets, &backup); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	config, name := Config{Data: filepath.Join(work, "data")}, filepath.Join(work, "backup")
	for _, c := range []struct {
		bytes int
		want  []string
	}{
		{backup.Len() - 1, []string{lockName}},
		{backup.Len(), []string{sheetsName, storeName, lockName}},
	} {
		if err := os.WriteFile(name, backup.Bytes()[:c.bytes], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := restore(t.Context(), config, name, &progress{}); (err == nil) != (c.bytes == backup.Len()) {
			t.Errorf("restore of %d of %d bytes = %v, want an error only if some are missing", c.bytes, backup.Len(), err)
		}
		if got := namesIn(t, config.Data); !slices.Equal(got, c.want) {
			t.Errorf("files after a restore of %d of %d bytes = %q, want %q", c.bytes, backup.Len(), got, c.want)
		}
	}
	// A kill between the two renames has left the store where it was restored.
	scratch := filepath.Join(config.Data, restoringName)
	if err := errors.Join(os.Mkdir(scratch, 0o700), os.Rename(filepath.Join(config.Data, storeName), filepath.Join(scratch, storeName))); err != nil {
		t.Fatal(err)
	}
	if _, err := restore(t.Context(), config, name, &progress{}); err != nil {
		t.Errorf("restore after a kill between the renames = %v, want nil", err)
	}
	if content, err := os.ReadFile(filepath.Join(config.Data, sheetsName, sheet)); err != nil || string(content) != "rows" {
		t.Errorf("restored file = %q, %v; want rows", content, err)
	}
	if _, err := restore(t.Context(), config, name, &progress{}); err == nil {
		t.Error("restore over a store = nil, want an error")
	}
}

// namesIn returns the names in a directory, sorted.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
