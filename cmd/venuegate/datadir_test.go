package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDataDirHasOneOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "here")
	first, err := openDataDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openDataDir(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("second owner: error %v, want one that names %s", err, path)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := openDataDir(path)
	if err != nil {
		t.Fatalf("after the first owner closed it: error %v, want none", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestDataDirOfOthersIsRefused checks that no command uses a directory in which other
// users can replace files, and that the error names the remedy.
func TestDataDirOfOthersIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o777, 0o770, 0o702, 0o720, 0o777 | os.ModeSticky} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		p := start(t, "serve", "--data", path, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
		if status := p.exit(); status != exitFailed || !strings.Contains(p.out.String(), "chmod go-w "+path) {
			t.Errorf("%v: status %d, output %s, want %d and the remedy", mode, status, p.out.String(), exitFailed)
		}
		if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
			t.Errorf("%v: files = %v, error %v, want none", mode, entries, err)
		}
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := openDataDir(path)
	if err != nil {
		t.Fatalf("directory that others can read: error %v, want none", err)
	}
	if err := dir.Close(); err != nil {
		t.Error(err)
	}
}

// TestTemporaryFilesAreRemoved checks that a start removes what a killed process has left
// of files with secrets and of a restore, and nothing else.
func TestTemporaryFilesAreRemoved(t *testing.T) {
	path := t.TempDir()
	kept := []string{".demo.json", ".demo.jsonx.1", "demo.json.1", "other", "sub"}
	for _, name := range append([]string{".demo.json.123", ".admin.token.9", ".demo.json.4"}, kept[:4]...) {
		if err := os.WriteFile(filepath.Join(path, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"sub", filepath.Join(restoringName, "store.restoring-1", "db")} {
		if err := os.MkdirAll(filepath.Join(path, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := openDataDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Error(err)
	}
	if names, want := namesIn(t, path), append(kept, lockName); !slices.Equal(names, want) {
		t.Errorf("files after a start = %q, want %q", names, want)
	}
}

func TestAdminTokenIsCreatedOnce(t *testing.T) {
	dir, err := openDataDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
	first, err := dir.adminToken()
	if err != nil {
		t.Fatal(err)
	}
	second, err := dir.adminToken()
	if err != nil || second != first || len(first) != 43 {
		t.Errorf("tokens of %d characters, equal %v, error %v, want 43 and true", len(first), second == first, err)
	}
	info, err := os.Stat(dir.file(adminTokenName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, error %v, want 0600", info.Mode(), err)
	}
	if err := os.WriteFile(dir.file(adminTokenName), []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.adminToken(); err == nil {
		t.Error("empty token: no error, want one")
	}
}

// TestWriteSecretFile checks that an existing file is replaced, whatever its mode,
// and that no temporary file remains.
func TestWriteSecretFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "secret")
	if err := os.WriteFile(name, []byte("older and longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeSecretFile(name, []byte("new")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	info, statErr := os.Stat(name)
	if err != nil || statErr != nil || string(content) != "new" || info.Mode().Perm() != 0o600 {
		t.Errorf("content = %q, mode = %v, errors %v, %v, want new with mode 0600", content, info.Mode(), err, statErr)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("files = %v, error %v, want one", entries, err)
	}
	if err := writeSecretFile(filepath.Join(dir, "absent", "secret"), nil); err == nil {
		t.Error("file in an absent directory: no error, want one")
	}
}
