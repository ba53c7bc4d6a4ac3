package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/venues"
)

// reported returns the item of a list whose members are as wanted.
func reported(t *testing.T, items []record, want map[string]any) record {
	t.Helper()
	for _, item := range items {
		matches := true
		for name, value := range want {
			matches = matches && item[name] == value
		}
		if matches {
			return item
		}
	}
	t.Fatalf("items = %v, want one with %v", items, want)
	return nil
}

// Operators read the state of every running part.
func TestOperationsReportTheRunningService(t *testing.T) {
	s := startService(t, t.TempDir())
	s.subscribe("book:okx:BTCUSDT:20").until("a snapshot", func(m record) bool { return m.text("type") == "snapshot" })
	s.trade(http.StatusCreated, http.MethodPost, "/v1/orders", `{"exchange":"okx","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.01"}`)
	read := func(path string) record { return s.administer(http.StatusOK, http.MethodGet, path, "") }

	actors := read("actors")
	parent := reported(t, actors.items(), map[string]any{"path": "venue/okx", "parent": "", "kind": "venue", "running": true})
	reported(t, actors.items(), map[string]any{"path": "venue/okx/book/BTCUSDT", "parent": parent.text("path"), "kind": "book", "waitingMax": parent["waitingMax"]})
	if total, _ := actors["total"].(float64); int(total) != len(actors.items()) || parent.text("startedAt") == "" {
		t.Errorf("%v actors in all, %d listed, venue/okx started at %q; want all listed, with their start", actors["total"], len(actors.items()), parent.text("startedAt"))
	}
	for _, exchange := range venues.All() {
		venue := reported(t, read("venues").items(), map[string]any{"exchange": string(exchange), "environment": environmentSim, "frozenUntil": nil})
		limits, _ := venue["limits"].([]any)
		if venue.text("status") == "down" || len(limits) == 0 {
			t.Errorf("%s = %v, want it connected, with its limits", exchange, venue)
		}
	}
	reported(t, read("books").items(), map[string]any{"exchange": "okx", "symbol": "BTCUSDT", "phase": "live", "gaps": 0.0})
	streams := read("streams")
	key := reported(t, streams.items(), map[string]any{"connections": 1.0, "subscriptions": 1.0})
	if !strings.HasPrefix(key.text("customer"), "cus_") || streams["keys"] != 1.0 {
		t.Errorf("streams = %v, want one key of a customer", streams)
	}
	incidents := read("incidents")
	if failures, _ := incidents["failures"].([]any); len(failures) > 0 {
		t.Errorf("failures = %v, want none", failures)
	}

	config := read("config")
	data := reported(t, config.items(), map[string]any{"key": "data", "default": "data"})
	if data.text("value") != s.dir || config.text("startedAt") == "" {
		t.Errorf("data = %v of %v, want %s", data, config, s.dir)
	}
	store := read("store")
	if commits, _ := store["commits"].(map[string]any); store["ready"] != true || commits["groups"] == 0.0 || store["lastBackupAt"] != nil || store.text("keyFingerprint") == "" {
		t.Errorf("store = %v, want it ready, with commits, a key and no backup", store)
	}
	if status, out, complaint := run(t.Context(), "backup", filepath.Join(t.TempDir(), "backup"), "--data", s.dir); status != exitOK {
		t.Fatalf("backup: status %d: %s %s", status, out, complaint)
	}
	eventually(t, "the backup to be noted", func() bool { return read("store")["lastBackupAt"] != nil })
	if verified := read("journal/verify"); verified["intact"] != true {
		t.Errorf("chain = %v, want intact", verified)
	}
}

// Passwords in addresses are not part of the configuration that is shown.
func TestShownConfigurationHasNoSecrets(t *testing.T) {
	for given, want := range map[string]string{
		"https://ann:secret@otlp.example.com/v1": "https://ann:xxxxx@otlp.example.com/v1", "127.0.0.1:8080": "127.0.0.1:8080", "": "",
	} {
		if got := settingText(given); got != want {
			t.Errorf("settingText(%q) = %q, want %q", given, got, want)
		}
	}
	if got := settingText([]any{"a", 1, true}); got != "a, 1, true" {
		t.Errorf("text of a list = %q, want a, 1, true", got)
	}
}
