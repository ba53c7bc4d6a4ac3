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
		t.Errorf("prefix = %q, want %d lower-case letters and digits", first, account.ClientIDPrefixLength)
	}
	second, err := installationSetting(t.Context(), store, settingClientIDPrefix, func() ([]byte, error) { return nil, errors.New("created again") })
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("prefix read again = %q, error %v, want %q", second, err, first)
	}
	secret, err := installationSetting(t.Context(), store, settingCursorSecret, newCursorSecret)
	if err != nil || bytes.Equal(secret, first) {
		t.Errorf("another setting: equal %v, error %v, want false and none", bytes.Equal(secret, first), err)
	}
	store.FailNext(persistence.ErrUnavailable)
	if _, err := installationSetting(t.Context(), store, "third", newCursorSecret); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("setting that was not stored: error %v, want ErrUnavailable", err)
	}
}
