//go:build interop

package docs_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The files of the bundle are those of the package that package-lock.json pins.
func TestBundle(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		if err := os.WriteFile(filepath.Join(dir, name), read(t, filepath.Join("swaggerui", name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "npm", "ci", "--prefer-offline")
	command.Dir = dir
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v, want success\n%s", err, output)
	}
	for _, name := range []string{"swagger-ui-bundle.js.gz", "swagger-ui.css.gz", "swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"} {
		got := read(t, filepath.Join("swaggerui", name))
		if strings.HasSuffix(name, ".gz") {
			unpacked, err := gzip.NewReader(bytes.NewReader(got))
			if err != nil {
				t.Fatal(err)
			}
			if got, err = io.ReadAll(unpacked); err != nil {
				t.Fatal(err)
			}
		}
		want := read(t, filepath.Join(dir, "node_modules", "swagger-ui-dist", strings.TrimSuffix(name, ".gz")))
		if !bytes.Equal(got, want) {
			t.Errorf("%s has %d bytes, want the %d of the package", name, len(got), len(want))
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
