package vault_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/persistence/vault"
)

func fingerprint(t *testing.T, v *vault.Vault) string {
	t.Helper()
	f, err := v.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A fingerprint identifies the newest key, and is not part of the key file.
func TestFingerprintIdentifiesTheKey(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "keys")
	v := open(t, path)
	first := fingerprint(t, v)
	if again := fingerprint(t, open(t, path)); again != first || len(first) != 16 {
		t.Errorf("fingerprint = %s, then %s; want the same 16 digits", first, again)
	}
	if got, err := vault.Fingerprint(path); err != nil || got != first {
		t.Errorf("fingerprint of the file = %s, %v; want %s", got, err, first)
	}
	if other := fingerprint(t, open(t, filepath.Join(dir, "other"))); other == first {
		t.Errorf("fingerprint of another key = %s, want another one", other)
	}
	content, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(content), first) {
		t.Errorf("key file contains its fingerprint: %t, error %v; want false", strings.Contains(string(content), first), err)
	}
	if err := v.Rotate(); err != nil {
		t.Fatal(err)
	}
	if got := fingerprint(t, v); got == first {
		t.Errorf("fingerprint after a rotation = %s, want another one", got)
	}
	if _, err := vault.Fingerprint(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("fingerprint of an absent file: error %v, want ErrNotExist", err)
	}
}
