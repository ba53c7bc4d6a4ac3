package main

import (
	"bytes"
	"errors"
	"testing"

	"venuegate/actors/account"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// TestInstallationSetting checks that a setting is created once and never changes.
func TestInstallationSetting(t *testing.T) {
	store := storetest.NewMemory()
	first, err := installationSetting(t.Context(), store, settingClientIDPrefix, newClientIDPrefix)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != account.ClientIDPrefixLength || bytes.ContainsFunc(first, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		t.Errorf("prefix %q", first)
	}
	second, err := installationSetting(t.Context(), store, settingClientIDPrefix, func() ([]byte, error) { return nil, errors.New("made anew") })
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("then %q: %v", second, err)
	}
	secret, err := installationSetting(t.Context(), store, settingCursorSecret, newCursorSecret)
	if err != nil || bytes.Equal(secret, first) {
		t.Errorf("another setting is the same: %v", err)
	}
	store.FailNext(persistence.ErrUnavailable)
	if _, err := installationSetting(t.Context(), store, "third", newCursorSecret); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("a setting that was not kept is used: %v", err)
	}
}
