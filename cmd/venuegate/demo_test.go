package main

import (
	"os"
	"path/filepath"
	"testing"

	"venuegate/venues"
)

// TestDemoFileIsWithdrawn: a description is there only while what it describes
// serves, and its keys survive a start that never got so far.
func TestDemoFileIsWithdrawn(t *testing.T) {
	dir := t.TempDir()
	if d, err := withdrawDemoFile(dir); err != nil || d.APIKey != "" {
		t.Fatalf("a first start found %+v: %v", d, err)
	}
	written := DemoFile{
		BaseURL: "http://127.0.0.1:1", APIKey: "all", ReadKey: "read",
		Sim: map[venues.Venue]SimVenue{venues.OKX: {RESTURL: "http://127.0.0.1:2", APIKey: "k", APISecret: "s", Passphrase: "p"}},
	}
	if err := writeDemoFile(dir, written); err != nil {
		t.Fatal(err)
	}
	if d, err := readDemoFile(dir); err != nil || d.ReadKey != "read" || d.Sim[venues.OKX] != written.Sim[venues.OKX] {
		t.Errorf("read %+v: %v", d, err)
	}
	for range 2 { // the second time nothing was written in between
		d, err := withdrawDemoFile(dir)
		if err != nil || d.APIKey != "all" {
			t.Errorf("withdrew %+v: %v", d, err)
		}
		if _, err := readDemoFile(dir); err == nil {
			t.Error("the description is still there")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, demoName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := withdrawDemoFile(dir); err == nil {
		t.Error("a broken description was taken")
	}
}
