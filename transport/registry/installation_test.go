package registry_test

import (
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/registry"
)

// A backup counts once it was written to its end, and its rows are in the chain.
func TestLastBackup(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	of := in.As(registry.Author{By: "olga", Via: "console as operator", From: "127.0.0.1"}).Installation()
	if at, err := of.LastBackup(ctx); err != nil || !at.IsZero() {
		t.Errorf("last backup before one = %v, %v, want none", at, err)
	}
	if err := of.BeginBackup(ctx); err != nil {
		t.Fatal(err)
	}
	if at, err := of.LastBackup(ctx); err != nil || !at.IsZero() {
		t.Errorf("last backup after one has begun = %v, %v, want none", at, err)
	}
	began := time.Now().Truncate(time.Millisecond)
	if err := of.FinishBackup(ctx); err != nil {
		t.Fatal(err)
	}
	if at, err := of.LastBackup(ctx); err != nil || at.Before(began) {
		t.Errorf("last backup = %v, %v, want at or after %v", at, err, began)
	}
	rows := made(in.store.Journal(ctx, persistence.JournalQuery{Kind: "admin.backup"})).Items
	if len(rows) != 2 || rows[0].Fields[1] != (persistence.JournalField{Name: "by", Value: "olga"}) {
		t.Errorf("rows = %+v, want two by olga", rows)
	}
	if verified := made(of.VerifyJournal(ctx)); !verified.Intact {
		t.Errorf("chain = %+v, want intact", verified)
	}
}
