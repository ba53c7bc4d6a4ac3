package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSheetsAreRestoredFromBackup checks that the files of endpoints are restored
// unchanged, and that temporary and foreign files are not part of a backup.
func TestSheetsAreRestoredFromBackup(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "sheets")
	changed := time.Unix(1_700_000_000, 0)
	files := map[string]string{"cus_1/trades.xlsx": "one", "cus_1/trades (2).xlsx": "two", "cus_2/a.b-c.xlsx": strings.Repeat("x", 1<<20)}
	for name, content := range files {
		name = filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"cus_1/.trades.draft", "notes.txt", "cus_1/notes.txt"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte("no"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var backup bytes.Buffer
	if err := writeSheets(t.Context(), &backup, from); err != nil {
		t.Fatal(err)
	}
	whole := backup.Bytes()
	if err := readSheets(bufio.NewReader(bytes.NewReader(whole)), to); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		got, err := os.ReadFile(filepath.Join(to, name))
		if err != nil || string(got) != content {
			t.Errorf("%s: %d bytes, error %v, want %d equal ones", name, len(got), err, len(content))
		}
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || !info.ModTime().Equal(changed) || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: info = %v, error %v, want mode 0600 and time %s", name, info, err, changed)
		}
	}
	if _, err := os.Stat(filepath.Join(to, "cus_1/notes.txt")); err == nil {
		t.Error("foreign file exists after the restore, want it absent")
	}
	if err := readSheets(bufio.NewReader(bytes.NewReader(whole[:len(whole)-4])), filepath.Join(t.TempDir(), "cut")); err == nil {
		t.Error("truncated archive: no error, want one")
	}
}

// TestBackupWithoutSheets checks that a backup may have no files.
func TestBackupWithoutSheets(t *testing.T) {
	var backup bytes.Buffer
	dir := filepath.Join(t.TempDir(), "absent")
	if err := writeSheets(t.Context(), &backup, dir); err != nil || backup.Len() > 0 {
		t.Errorf("backup of %d bytes, error %v, want 0 and none", backup.Len(), err)
	}
	if err := readSheets(bufio.NewReader(&backup), dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("directory exists, want it absent")
	}
}

// TestHostileSheetsAreRejected checks that only paths of the form that the service
// writes are extracted.
func TestHostileSheetsAreRejected(t *testing.T) {
	for _, head := range []tar.Header{
		{Typeflag: tar.TypeReg, Name: "../cus_1/a.xlsx"},
		{Typeflag: tar.TypeReg, Name: "/etc/a.xlsx"},
		{Typeflag: tar.TypeReg, Name: "cus_1/../../a.xlsx"},
		{Typeflag: tar.TypeReg, Name: "cus_1/a.sh"},
		{Typeflag: tar.TypeReg, Name: "a.xlsx"},
		{Typeflag: tar.TypeSymlink, Name: "cus_1/a.xlsx", Linkname: "/etc/passwd"},
		{Typeflag: tar.TypeReg, Name: "cus_1/a.xlsx", Size: sheetBytesMax + 1},
	} {
		var backup bytes.Buffer
		zipped := gzip.NewWriter(&backup)
		archive := tar.NewWriter(zipped)
		if err := archive.WriteHeader(&head); err != nil {
			t.Fatal(err)
		}
		if err := zipped.Close(); err != nil { // the size may promise more
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "sheets")
		if err := readSheets(bufio.NewReader(&backup), dir); err == nil || !strings.Contains(err.Error(), "not a valid file of a backup") {
			t.Errorf("%s: error %v, want an invalid file", head.Name, err)
		}
	}
}
