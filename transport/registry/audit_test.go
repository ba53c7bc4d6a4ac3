package registry_test

import (
	"slices"
	"strings"
	"testing"

	"venuegate/persistence"
	"venuegate/transport/registry"
)

// rowsOf returns the rows of a kind in the journal that a view shows, oldest first, each as its
// subject and values.
func rowsOf(t *testing.T, v *registry.View, kind string) []string {
	t.Helper()
	var rows []string
	for _, row := range made(v.Journal.List(t.Context(), registry.JournalFilter{Kind: kind})).Items {
		values := []string{row.Subject}
		for _, f := range row.Fields {
			values = append(values, f.Value)
		}
		rows = append(rows, strings.Join(values, " "))
	}
	slices.Reverse(rows)
	return rows
}

// A customer sees who has made and ended its keys, changed its users and signed in. The journal of
// the installation has the same rows.
func TestJournalOfACustomerHasKeysAndSignIns(t *testing.T) {
	in := newInstallation(t)
	ctx := t.Context()
	author := registry.Author{By: "ann", Via: "console", From: "10.0.0.1"}
	v := in.For(in.alice, author)
	made(v.Keys.Revoke(ctx, in.key))
	next := made(v.Keys.Create(ctx, registry.NewKey{Name: "bot", Scopes: []persistence.Scope{persistence.ScopeRead}}))
	made(in.SignIns(author).Edit(ctx, in.user, registry.Edit{
		Action: "sign_in", Change: func(*persistence.User) error { return nil },
		Session: &persistence.Session{ID: "ses_1", User: in.user, EndsAt: next.CreatedAt},
	}))
	made(in.SignIns(author).Edit(ctx, in.user, registry.Edit{Change: func(*persistence.User) error { return nil }})) // leaves no row

	keys, users := rowsOf(t, v, "admin.key"), rowsOf(t, v, "admin.user")
	if len(keys) != 3 || !strings.HasPrefix(keys[1], in.key+" revoke "+in.alice) || !strings.HasSuffix(keys[1], " ann console 10.0.0.1") || !strings.HasPrefix(keys[2], next.ID+" create ") {
		t.Errorf("keys = %q, want the first one made and revoked by ann, and %s made", keys, next.ID)
	}
	if len(users) != 2 || !strings.HasPrefix(users[0], in.user+" create ") || !strings.HasPrefix(users[1], in.user+" sign_in ") {
		t.Errorf("users = %q, want that %s was made and has signed in", users, in.user)
	}
	if all := rowsOf(t, &in.View, "admin.key"); !slices.Equal(all, keys) {
		t.Errorf("rows of the installation = %q, want %q", all, keys)
	}
	if others := rowsOf(t, in.For(in.bob, author), "admin.key"); len(others) != 0 {
		t.Errorf("rows of another customer = %q, want none", others)
	}
}

// An operator has no customer, in whose journal a row could be.
func TestSignInOfAnOperatorIsOnlyInTheJournalOfTheInstallation(t *testing.T) {
	in := newInstallation(t)
	made(in.Users.Create(t.Context(), registry.NewUser{Login: "operator", Role: persistence.RoleOperator}))
	made(in.SignIns(registry.Author{}).Edit(t.Context(), "operator", registry.Edit{Action: "sign_in", Change: func(*persistence.User) error { return nil }}))
	if rows := rowsOf(t, &in.View, "admin.user"); len(rows) != 3 {
		t.Errorf("rows = %q, want those of ann and two of operator", rows)
	}
	if rows := rowsOf(t, in.For(in.alice, registry.Author{}), "admin.user"); len(rows) != 1 {
		t.Errorf("rows of alice = %q, want that of ann", rows)
	}
}
