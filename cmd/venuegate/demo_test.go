package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"venuegate/venues"
)

// TestDemoFileIsRetired checks that the description exists only while the demo runs,
// and that its keys survive a start that never became ready.
func TestDemoFileIsRetired(t *testing.T) {
	dir := t.TempDir()
	if d, err := retireDemoFile(dir); err != nil || d.APIKey != "" {
		t.Fatalf("previous demo of a first start = %+v, error %v, want none", d, err)
	}
	written := DemoFile{
		BaseURL: "http://127.0.0.1:1", APIKey: "all", ReadKey: "read",
		Sim: map[venues.Venue]SimVenue{venues.OKX: {RESTURL: "http://127.0.0.1:2", APIKey: "k", APISecret: "s", Passphrase: "p"}},
	}
	if err := writeDemoFile(dir, written); err != nil {
		t.Fatal(err)
	}
	if d, err := readDemoFile(dir); err != nil || d.ReadKey != "read" || d.Sim[venues.OKX] != written.Sim[venues.OKX] {
		t.Errorf("demo = %+v, error %v, want %+v", d, err, written)
	}
	for range 2 { // the second time nothing was written in between
		d, err := retireDemoFile(dir)
		if err != nil || d.APIKey != "all" {
			t.Errorf("retired demo = %+v, error %v, want that with key all", d, err)
		}
		if _, err := readDemoFile(dir); err == nil {
			t.Error("read of the retired description: no error, want one")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, demoName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := retireDemoFile(dir); err == nil {
		t.Error("malformed description: no error, want one")
	}
}

// TestConfiguredListenerHasPrecedenceOverDemo checks that commands call a configured
// listener and not the one of a demo on the same directory, and not one of a demo that has ended.
func TestConfiguredListenerHasPrecedenceOverDemo(t *testing.T) {
	dir := t.TempDir()
	if err := writeDemoFile(dir, DemoFile{BaseURL: "http://demo", WSURL: "ws://demo/v1/stream", AdminURL: "http://demo", APIKey: "k"}); err != nil {
		t.Fatal(err)
	}
	if err := writeSecretFile(filepath.Join(dir, adminTokenName), bytes.Repeat([]byte("t"), 64)); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]error{"": errNoDemo, "127.0.0.1:0": errNoDemo, "127.0.0.1:7": nil} {
		config := DefaultConfig()
		config.Data = dir
		if address != "" {
			config.Listen, config.AdminListen = address, address
		}
		var o watchOptions
		client, err := newAdminClient(config)
		if watchErr := o.complete(config, nil); !errors.Is(err, want) || !errors.Is(watchErr, want) {
			t.Fatalf("%q: errors %v and %v, want %v", address, err, watchErr, want)
		}
		if want == nil && (client.url != "http://"+address || o.URL != "ws://"+address+streamPath) {
			t.Errorf("%q: calls %s and %s, want %[1]s", address, client.url, o.URL)
		}
	}
}
