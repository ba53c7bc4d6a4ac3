package venuetest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

// RecordingsAreRead fails a connector's test unless a test of the package names
// each recording of the venue: what nobody reads proves nothing.
func RecordingsAreRead(t *testing.T, venue venues.Venue) {
	t.Helper()
	entries, err := os.ReadDir(fixturetest.Folder(t, venue))
	if err != nil {
		t.Fatal(err)
	}
	tests := sources(t)
	count := 0
	for _, entry := range entries {
		if name := entry.Name(); filepath.Ext(name) != ".md" {
			count++
			if !bytes.Contains(tests, []byte(name)) {
				t.Errorf("no test reads %s", name)
			}
		}
	}
	t.Logf("%d recordings of %s", count, venue)
}

// sources is the text of the tests in the working directory.
func sources(t *testing.T) []byte {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.Bytes()
}
