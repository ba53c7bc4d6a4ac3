package vault_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"venuegate/persistence/vault"
)

func open(t testing.TB, keyFile string) *vault.Vault {
	t.Helper()
	v, err := vault.Open(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func seal(t testing.TB, v *vault.Vault, secret, context string) []byte {
	t.Helper()
	sealed, err := v.Seal([]byte(secret), context)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func checkOpen(t testing.TB, v *vault.Vault, sealed []byte, context, want string) {
	t.Helper()
	if got, err := v.Open(sealed, context); err != nil || string(got) != want {
		t.Errorf("Open = %q, %v; want %q", got, err, want)
	}
}

func TestSealedSecretsAreOpened(t *testing.T) {
	v := open(t, filepath.Join(t.TempDir(), "keys"))
	context := vault.Context("cus_1", "venueaccount", "okx")
	for _, secret := range []string{"", "s", strings.Repeat("x", vault.SecretBytesMax)} {
		first, second := seal(t, v, secret, context), seal(t, v, secret, context)
		checkOpen(t, v, first, context, secret)
		if bytes.Equal(first, second) || (len(secret) > 8 && bytes.Contains(first, []byte(secret))) {
			t.Errorf("secret of %d bytes sealed twice = %x, %x; want different bytes that do not contain it", len(secret), first, second)
		}
	}
	if _, err := v.Seal(make([]byte, vault.SecretBytesMax+1), context); err == nil {
		t.Error("Seal of a secret above the limit = nil, want an error")
	}
}

func TestSecretsAreBoundToTheirContext(t *testing.T) {
	v := open(t, filepath.Join(t.TempDir(), "keys"))
	sealed := seal(t, v, "secret", vault.Context("alice", "hook", "1"))
	for _, context := range []string{
		vault.Context("bob", "hook", "1"), vault.Context("alice", "token", "1"), vault.Context("alice", "hook", "2"),
		vault.Context("alice", "hook", ""), vault.Context("", "alicehook", "1"), "", "alice",
	} {
		if _, err := v.Open(sealed, context); !errors.Is(err, vault.ErrSealed) {
			t.Errorf("Open for the context %q = %v, want ErrSealed", context, err)
		}
	}
}

func TestContextsDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringMatching(`[a1:|]{0,3}`)
		a := [3]string{part.Draw(t, "a1"), part.Draw(t, "a2"), part.Draw(t, "a3")}
		b := [3]string{part.Draw(t, "b1"), part.Draw(t, "b2"), part.Draw(t, "b3")}
		same := vault.Context(a[0], a[1], a[2]) == vault.Context(b[0], b[1], b[2])
		if same != (a == b) {
			t.Fatalf("contexts of %q and %q are equal: %t, want %t", a, b, same, a == b)
		}
	})
}

func TestEveryAlteredBitIsDetected(t *testing.T) {
	v := open(t, filepath.Join(t.TempDir(), "keys"))
	sealed := seal(t, v, "secret", "c")
	for i := range len(sealed) * 8 {
		altered := bytes.Clone(sealed)
		altered[i/8] ^= 1 << (i % 8)
		if _, err := v.Open(altered, "c"); !errors.Is(err, vault.ErrSealed) {
			t.Errorf("Open with bit %d flipped = %v, want ErrSealed", i, err)
		}
	}
	for n := range sealed {
		if _, err := v.Open(sealed[:n], "c"); !errors.Is(err, vault.ErrSealed) {
			t.Errorf("Open of the first %d bytes = %v, want ErrSealed", n, err)
		}
	}
}

func TestKeysAreReadFromTheFile(t *testing.T) {
	keyFile := filepath.Join(t.TempDir(), "keys")
	sealed := seal(t, open(t, keyFile), "secret", "c")
	checkOpen(t, open(t, keyFile), sealed, "c", "secret")
	if _, err := open(t, filepath.Join(t.TempDir(), "keys")).Open(sealed, "c"); !errors.Is(err, vault.ErrSealed) {
		t.Errorf("Open with another vault = %v, want ErrSealed", err)
	}
	info, err := os.Stat(keyFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the key file = %v, %v; want 0600", info.Mode(), err)
	}
}

func TestRotatedVaultOpensEarlierSecrets(t *testing.T) {
	dir := t.TempDir()
	keyFile := filepath.Join(dir, "keys")
	v, before := open(t, keyFile), open(t, keyFile)
	old := seal(t, v, "old", "c")
	for range 3 {
		if err := v.Rotate(); err != nil {
			t.Fatal(err)
		}
	}
	fresh := seal(t, v, "new", "c")
	for _, v := range []*vault.Vault{v, open(t, keyFile)} {
		checkOpen(t, v, old, "c", "old")
		checkOpen(t, v, fresh, "c", "new")
		if v.Keys() != 4 {
			t.Errorf("%d keys after three rotations, want 4", v.Keys())
		}
	}
	if _, err := before.Open(fresh, "c"); !errors.Is(err, vault.ErrSealed) {
		t.Errorf("Open with the keys before the rotations = %v, want ErrSealed", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("files after the rotations: %v, %v; want the key file", files, err)
	}
}

func TestFailedRotationChangesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "moved")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	v := open(t, filepath.Join(dir, "keys"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := v.Rotate(); err == nil || v.Keys() != 1 {
		t.Errorf("Rotate without a directory = %v with %d keys, want an error with 1", err, v.Keys())
	}
	checkOpen(t, v, seal(t, v, "secret", "c"), "c", "secret")
}

func TestOpenRejectsKeyFiles(t *testing.T) {
	good := filepath.Join(t.TempDir(), "keys")
	open(t, good)
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		mode    os.FileMode
	}{
		"empty":               {nil, 0o600},
		"text":                {[]byte("keys"), 0o600},
		"no keys":             {[]byte("{}"), 0o600},
		"half":                {content[:len(content)/2], 0o600},
		"too long":            {make([]byte, 1<<20), 0o600},
		"readable by a group": {content, 0o640},
		"readable by others":  {content, 0o604},
	} {
		path := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(path, c.content, c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := vault.Open(path); err == nil || strings.Contains(err.Error(), "value") {
			t.Errorf("%s: Open = %v, want an error without key material", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, c.content) {
			t.Errorf("%s: key file after Open = %.40q, %v; want %.40q", name, after, err, c.content)
		}
	}
	if _, err := vault.Open(filepath.Join(t.TempDir(), "absent", "keys")); err == nil {
		t.Error("Open in an absent directory = nil, want an error")
	}
}

// All vaults use the keys of the vault that creates the key file.
func TestConcurrentOpensUseOneKeyFile(t *testing.T) {
	keyFile := filepath.Join(t.TempDir(), "keys")
	var vaults [8]*vault.Vault
	var wg sync.WaitGroup
	for i := range vaults {
		wg.Go(func() { vaults[i] = open(t, keyFile) })
	}
	wg.Wait()
	for _, v := range vaults {
		checkOpen(t, v, seal(t, vaults[0], "secret", "c"), "c", "secret")
	}
}

func TestConcurrentUse(t *testing.T) {
	v := open(t, filepath.Join(t.TempDir(), "keys"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				checkOpen(t, v, seal(t, v, "secret", "c"), "c", "secret")
			}
		})
		wg.Go(func() {
			if err := v.Rotate(); err != nil {
				t.Errorf("Rotate = %v, want nil", err)
			}
		})
	}
	wg.Wait()
}

func FuzzOpen(f *testing.F) {
	v := open(f, filepath.Join(f.TempDir(), "keys"))
	f.Add(seal(f, v, "secret", "c"), "c")
	f.Add([]byte{1}, "")
	f.Add([]byte{1, 1, 0, 0, 0, 0}, "c")
	f.Fuzz(func(t *testing.T, sealed []byte, context string) {
		plaintext, err := v.Open(sealed, context)
		if err == nil && (string(plaintext) != "secret" || context != "c") {
			t.Fatalf("Open(%x, %q) = %q, nil; want ErrSealed", sealed, context, plaintext)
		}
		if err != nil && !errors.Is(err, vault.ErrSealed) {
			t.Fatalf("Open = %v, want ErrSealed", err)
		}
	})
}
