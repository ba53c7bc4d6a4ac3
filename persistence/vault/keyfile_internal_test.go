package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A key file is created on a file system without hard links, and does not replace another one.
func TestKeyFileIsPlacedWithoutHardLinks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	noLinks := func(string, string) error { return syscall.EPERM }
	for n, want := range []error{nil, fs.ErrExist} {
		scratch := filepath.Join(dir, "scratch")
		if err := os.WriteFile(scratch, []byte{byte('a' + n)}, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := place(scratch, path, noLinks); !errors.Is(err, want) {
			t.Errorf("place of file %d = %v, want %v", n, err, want)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "a" {
			t.Errorf("key file = %q, %v; want a", got, err)
		}
	}
}
