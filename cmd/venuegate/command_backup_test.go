package main

import (
	"slices"
	"testing"

	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/venues"
)

// A restore reports the accounts that it halts, to be resumed after it: not those that were
// halted before.
func TestRestoreReportsTheAccountsThatItHalts(t *testing.T) {
	store, err := badgerstore.Open(t.TempDir(), badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	log := journal.NewClient(store)
	fence, err := log.Own(t.Context(), "cus_1")
	if err != nil {
		t.Fatal(err)
	}
	trading := persistence.VenueAccount{Customer: "cus_1", Exchange: venues.Binance}
	stopped := persistence.VenueAccount{Customer: "cus_1", Exchange: venues.OKX, Halted: true, Flatten: true}
	if err := log.Commit(t.Context(), persistence.Batch{Fence: fence, Puts: []persistence.Record{trading, stopped}}); err != nil {
		t.Fatal(err)
	}
	halted, err := haltCustomer(t.Context(), store, log, "cus_1")
	if want := []string{"cus_1:binance"}; err != nil || !slices.Equal(halted, want) {
		t.Errorf("haltCustomer = %v, %v; want %v", halted, err, want)
	}
	accounts, err := store.VenueAccounts(t.Context(), "cus_1")
	if err != nil || len(accounts) != 2 || !accounts[0].Hold || accounts[1].Hold || !accounts[1].Flatten {
		t.Errorf("accounts %+v, %v; want the first on hold, the second as it was", accounts, err)
	}
	rows, err := store.Journal(t.Context(), persistence.JournalQuery{Customer: "cus_1", Kind: "account.halted"})
	if err != nil || len(rows.Items) != 1 {
		t.Errorf("%d rows in the journal, %v; want 1", len(rows.Items), err)
	}
}
