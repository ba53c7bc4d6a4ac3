// Package fixturetest reads recorded payloads of the venues in tests. The recordings
// are not part of the project: they are in the folder VENUEGATE_FIXTURES, by default
// shared/fixtures beside the checkout, with a folder for each venue. A test whose
// recording does not exist is skipped.
//
//	for _, message := range fixturetest.Lines(fixturetest.Read(t, venues.OKX, "ws_orders.real.jsonl")) {
//		...
//	}
//
// A file whose name ends in .gz is decompressed.
//
// The tests of a connector run under [AllRead], which fails if a recording of the venue
// was not read: an unread recording tests nothing.
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(fixturetest.AllRead(m, venues.OKX)) }
package fixturetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/venues"
)

const folderVariable = "VENUEGATE_FIXTURES"

// Path returns the path of a recording, for code that reads files itself.
func Path(t testing.TB, venue venues.Venue, name string) string {
	t.Helper()
	return existing(t, filepath.Join(root(t), string(venue), name))
}

// Read returns the content of a recording.
func Read(t testing.TB, venue venues.Venue, name string) []byte {
	t.Helper()
	path := Path(t, venue, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read.Store(path, true)
	if !strings.HasSuffix(name, ".gz") {
		return data
	}
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(packed); err != nil {
		t.Fatal(err)
	}
	return data
}

// Lines returns the messages of a recording, one for each line. The caller may modify
// them.
func Lines(data []byte) [][]byte {
	var all [][]byte
	for line := range bytes.Lines(data) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			all = append(all, line)
		}
	}
	return all
}

// Objects returns the JSON objects of a recording, one for each line.
func Objects[T any](t testing.TB, venue venues.Venue, name string) []T {
	t.Helper()
	lines := Lines(Read(t, venue, name))
	all := make([]T, len(lines))
	for n, line := range lines {
		if err := json.Unmarshal(line, &all[n]); err != nil {
			t.Fatalf("%s, line %d: %v", name, n+1, err)
		}
	}
	return all
}

// root returns the folder of all recordings.
func root(t testing.TB) string {
	t.Helper()
	folder, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func findRoot() (string, error) {
	if folder := os.Getenv(folderVariable); folder != "" {
		return folder, nil
	}
	module, err := moduleRoot()
	return filepath.Join(filepath.Dir(module), "shared", "fixtures"), err
}

// moduleRoot returns the nearest folder above that of the test with a go.mod.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", errors.New("the test does not run inside the module")
		}
		folder = above
	}
}

// existing returns a path, or skips the test where the recording does not exist.
func existing(t testing.TB, path string) string {
	t.Helper()
	_, err := os.Stat(path)
	if os.IsNotExist(err) {
		t.Skipf("recording %s does not exist; set %s to the folder of recordings", filepath.Base(path), folderVariable)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
