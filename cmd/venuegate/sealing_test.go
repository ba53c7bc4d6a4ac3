package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

func TestCredentialVault(t *testing.T) {
	store := storetest.NewMemory()
	keyFile := filepath.Join(t.TempDir(), "key")
	v, err := openVault(t.Context(), keyFile, store)
	if err != nil {
		t.Fatal(err)
	}
	credentials := venues.Credentials{APIKey: "k", APISecret: "s", Passphrase: "p"}
	sealed, err := v.Seal("cus_1", venues.OKX, credentials)
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := v.Open("cus_1", venues.OKX, sealed); err != nil || opened != credentials {
		t.Errorf("opened credentials: equal %v, error %v, want true and none", opened == credentials, err)
	}
	if _, err := v.Open("cus_2", venues.OKX, sealed); err == nil {
		t.Error("credentials of another customer: no error, want one")
	}
	if _, err := v.Open("cus_1", venues.Bybit, sealed); err == nil {
		t.Error("credentials of another exchange: no error, want one")
	}
}

// TestLostKeyFile checks that no new key file is created if the store has sealed
// credentials.
func TestLostKeyFile(t *testing.T) {
	store := storetest.NewMemory()
	fence, err := store.TakeOwnership(t.Context(), "cus_1")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []persistence.Batch{
		{Puts: []persistence.Record{persistence.Customer{ID: "cus_1", Name: "one"}}},
		{Fence: fence, Puts: []persistence.Record{persistence.VenueAccount{Customer: "cus_1", Exchange: venues.Binance, Sealed: []byte("x")}}},
	} {
		if err := store.Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	keyFile := filepath.Join(t.TempDir(), "key")
	if _, err := openVault(t.Context(), keyFile, store); err == nil || !strings.Contains(err.Error(), "is missing and 1 sealed secrets") {
		t.Errorf("error %v, want one that names the missing key file", err)
	}
	if _, err := os.Stat(keyFile); err == nil {
		t.Error("key file exists, want none")
	}
}
