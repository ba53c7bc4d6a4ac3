package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/persistence/vault"
	"venuegate/venues"
)

func TestCredentialVault(t *testing.T) {
	store := storetest.NewMemory()
	keyFile := filepath.Join(t.TempDir(), "key")
	v, err := openVault(t.Context(), keyFile, store)
	if err != nil {
		t.Fatal(err)
	}
	credentials := venues.Credentials{APIKey: "k", APISecret: "s", Passphrase: "p"}
	sealed, err := v.Seal("cus_1", venues.OKX, credentials)
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := v.Open("cus_1", venues.OKX, sealed); err != nil || opened != credentials {
		t.Errorf("opened credentials: equal %v, error %v, want true and none", opened == credentials, err)
	}
	if _, err := v.Open("cus_2", venues.OKX, sealed); err == nil {
		t.Error("credentials of another customer: no error, want one")
	}
	if _, err := v.Open("cus_1", venues.Bybit, sealed); err == nil {
		t.Error("credentials of another exchange: no error, want one")
	}
}

// TestLostKeyFile checks that no new key file is created if the store has sealed
// credentials.
func TestLostKeyFile(t *testing.T) {
	store := storetest.NewMemory()
	fence, err := store.TakeOwnership(t.Context(), "cus_1")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []persistence.Batch{
		{Puts: []persistence.Record{persistence.Customer{ID: "cus_1", Name: "one"}}},
		{Fence: fence, Puts: []persistence.Record{persistence.VenueAccount{Customer: "cus_1", Exchange: venues.Binance, Sealed: []byte("x")}}},
	} {
		if err := store.Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	keyFile := filepath.Join(t.TempDir(), "key")
	if _, err := openVault(t.Context(), keyFile, store); err == nil || !strings.Contains(err.Error(), "is missing and 1 sealed secrets") {
		t.Errorf("error %v, want one that names the missing key file", err)
	}
	if _, err := os.Stat(keyFile); err == nil {
		t.Error("key file exists, want none")
	}
}

// sealedStore returns a store with a secret that the vault of a new key file has sealed, as
// versions without a check of the key have left it.
func sealedStore(t *testing.T, keyFile string) *storetest.Memory {
	t.Helper()
	v, err := vault.Open(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := credentialVault{v}.Seal("cus_1", venues.Binance, venues.Credentials{APIKey: "k", APISecret: "s"})
	if err != nil {
		t.Fatal(err)
	}
	store := storetest.NewMemory()
	fence, err := store.TakeOwnership(t.Context(), "cus_1")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []persistence.Batch{
		{Puts: []persistence.Record{persistence.Customer{ID: "cus_1", Name: "one"}}},
		{Fence: fence, Puts: []persistence.Record{persistence.VenueAccount{Customer: "cus_1", Exchange: venues.Binance, Sealed: sealed}}},
	} {
		if err := store.Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// fingerprintOf returns the fingerprint of a key file, which it creates if necessary.
func fingerprintOf(t *testing.T, keyFile string) string {
	t.Helper()
	v, err := vault.Open(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	fingerprint, err := v.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return fingerprint
}

// openError opens the vault of a store and returns the text of the error.
func openError(t *testing.T, keyFile string, store vaultStore) string {
	t.Helper()
	if _, err := openVault(t.Context(), keyFile, store); err != nil {
		return err.Error()
	}
	return ""
}

// TestWrongKeyFileIsRejected checks that the error names the key that is there and the one
// that belongs there, and that a store of an earlier version gets its check.
func TestWrongKeyFileIsRejected(t *testing.T) {
	dir := t.TempDir()
	right, wrong := filepath.Join(dir, "right"), filepath.Join(dir, "wrong")
	store := sealedStore(t, right)
	other := fingerprintOf(t, wrong)
	if got := openError(t, wrong, store); !strings.Contains(got, "fingerprint "+other) || !strings.Contains(got, "opens none of the 1 sealed secrets") {
		t.Errorf("wrong key of a store without a check: error %q, want one that names the key %s", got, other)
	}
	if _, err := readKeyCheck(t.Context(), store); !errors.Is(err, persistence.ErrNotFound) {
		t.Errorf("check after a wrong key: error %v, want ErrNotFound", err)
	}
	if got := openError(t, right, store); got != "" {
		t.Fatalf("right key of a store without a check: error %q, want none", got)
	}
	want := fingerprintOf(t, right)
	if got := openError(t, wrong, store); !strings.Contains(got, "fingerprint "+other) || !strings.Contains(got, "fingerprint "+want) || !strings.Contains(got, wrong) {
		t.Errorf("wrong key: error %q, want one with the keys %s and %s", got, other, want)
	}
	if got := openError(t, right, store); got != "" {
		t.Errorf("right key: error %q, want none", got)
	}
	if err := os.Remove(right); err != nil {
		t.Fatal(err)
	}
	if got := openError(t, right, store); !strings.Contains(got, "fingerprint "+want) {
		t.Errorf("missing key: error %q, want one that names %s", got, want)
	}
}

// TestUnfinishedKeyFilesAreRemoved checks that a start removes what a rotation that was killed
// has left, once the key file is known to be the right one, and no other files. The path may
// contain what has a meaning in patterns.
func TestUnfinishedKeyFilesAreRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "of [desk")
	if err := os.MkdirAll(filepath.Join(dir, "key.new-4", "of an operator"), 0o700); err != nil {
		t.Fatal(err)
	}
	keyFile, wrong := filepath.Join(dir, "key"), filepath.Join(dir, "wrong")
	store := sealedStore(t, keyFile)
	fingerprintOf(t, wrong)
	for _, name := range []string{"key.new-1", "key.new-23", "key.new-2026-11", "wrong.new-1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := openError(t, wrong, store) == ""; got {
		t.Error("wrong key file: no error, want one")
	}
	if got := openError(t, keyFile, store); got != "" {
		t.Errorf("right key file: error %q, want none", got)
	}
	if got, want := namesIn(t, dir), []string{"key", "key.new-2026-11", "key.new-4", "wrong", "wrong.new-1"}; !slices.Equal(got, want) {
		t.Errorf("files after the start = %q, want %q", got, want)
	}
}

// TestKeyCheckFollowsRotations checks that a copy of the key file from before a rotation is
// rejected, and that an interrupted rotation is completed by the next start.
func TestKeyCheckFollowsRotations(t *testing.T) {
	dir := t.TempDir()
	keyFile, old := filepath.Join(dir, "key"), filepath.Join(dir, "old")
	store := storetest.NewMemory()
	v, err := openVault(t.Context(), keyFile, store) // the first start
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, content, 0o600); err != nil {
		t.Fatal(err)
	}
	secrets := recordSecrets{v.Vault, store}
	for _, rotate := range []func() error{secrets.Rotate, func() error {
		return v.Vault.Rotate() // and is killed before it stores the check
	}} {
		if err := rotate(); err != nil {
			t.Fatal(err)
		}
		if got := openError(t, keyFile, store); got != "" {
			t.Errorf("rotated key file: error %q, want none", got)
		}
		check, err := readKeyCheck(t.Context(), store)
		if want := fingerprintOf(t, keyFile); err != nil || check.Fingerprint != want {
			t.Errorf("check = %q, %v; want that of the newest key %s", check.Fingerprint, err, want)
		}
		if got := openError(t, old, store); !strings.Contains(got, check.Fingerprint) {
			t.Errorf("key file from before the rotation: error %q, want one that names %s", got, check.Fingerprint)
		}
	}
}
