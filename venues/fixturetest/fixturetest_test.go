package fixturetest_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

// recorded writes a recording into a new folder of recordings.
func recorded(t *testing.T, name string, data []byte) {
	t.Helper()
	root := t.TempDir()
	t.Setenv("VENUEGATE_FIXTURES", root)
	if err := os.Mkdir(filepath.Join(root, "okx"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "okx", name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestObjects(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("{\"a\":1}\r\n\n{\"a\":2}")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	recorded(t, "two.jsonl.gz", packed.Bytes())
	type object struct{ A int }
	if got := fixturetest.Objects[object](t, venues.OKX, "two.jsonl.gz"); !slices.Equal(got, []object{{1}, {2}}) {
		t.Errorf("objects = %v, want {1} and {2}", got)
	}
}

// A recording counts as read once a test has read it, and not before.
func TestUnread(t *testing.T) {
	recorded(t, "some.jsonl", []byte("{}"))
	if err := os.WriteFile(filepath.Join(os.Getenv("VENUEGATE_FIXTURES"), "okx", "PROVENANCE.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if unread, err := fixturetest.Unread(venues.OKX); err != nil || !slices.Equal(unread, []string{"some.jsonl"}) {
		t.Errorf("unread = %v, %v, want some.jsonl", unread, err)
	}
	fixturetest.Read(t, venues.OKX, "some.jsonl")
	for _, venue := range []venues.Venue{venues.OKX, venues.Bybit} {
		if unread, err := fixturetest.Unread(venue); err != nil || len(unread) != 0 {
			t.Errorf("%s: unread = %v, %v, want none", venue, unread, err)
		}
	}
}

func TestLinesMayBeModified(t *testing.T) {
	lines := fixturetest.Lines([]byte("one\ntwo\n"))
	_ = append(lines[0], '!')
	if len(lines) != 2 || string(lines[1]) != "two" {
		t.Errorf("lines = %q, want the second unchanged", lines)
	}
}

func TestAbsentRecordingSkips(t *testing.T) {
	t.Setenv("VENUEGATE_FIXTURES", "")
	skipped := t.Run("absent", func(t *testing.T) {
		t.Cleanup(func() {
			if !t.Skipped() {
				t.Error("the test is not skipped")
			}
		})
		fixturetest.Read(t, venues.OKX, "absent")
	})
	if !skipped {
		t.Error("an absent recording fails the test")
	}
}
