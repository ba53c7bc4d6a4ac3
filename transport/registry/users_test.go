package registry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/registry"
	"venuegate/venues"
)

var author = registry.Author{By: "olga", Via: "console", From: "192.0.2.1"}

// begin stores a session of a user.
func (in *installation) begin(t *testing.T, user, id string) persistence.Session {
	t.Helper()
	s := persistence.Session{ID: id, User: user, Hash: []byte{1}, EndsAt: venues.At(time.Now().Add(time.Hour))}
	edit := registry.Edit{Action: "sign_in", Session: &s, Change: func(*persistence.User) error { return nil }}
	if _, err := in.SignIns(author).Edit(t.Context(), user, edit); err != nil {
		t.Fatal(err)
	}
	return s
}

// openSessions returns the ids of the open sessions of a user.
func (in *installation) openSessions(t *testing.T, user string) (ids []string) {
	t.Helper()
	for _, s := range made(in.SignIns(author).SessionsOf(t.Context(), user)) {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestInvitationIsOfItsUserUntilItsEnd(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	first := made(in.Users.Create(ctx, registry.NewUser{Customer: in.bob, Login: "bob@example.com", Role: persistence.RoleOwner}))
	token, found := strings.CutPrefix(first.Link, "https://owner/console/enter#")
	if !found || !strings.HasPrefix(token, "vgi_") {
		t.Fatalf("link = %s, want the address of the console and a token after #", first.Link)
	}
	signIns := in.SignIns(author)
	if user := made(signIns.Invited(ctx, token)); user.Login != "bob@example.com" || strings.Contains(fmt.Sprint(user), token) {
		t.Errorf("invited = %+v, want bob without the token", user)
	}
	if again := made(in.Users.Invite(ctx, "bob@example.com", registry.NewInvite{ValidSec: 600})); again.InvitedUntil.After(time.Now().Add(10 * time.Minute)) {
		t.Errorf("invited until %s, want 10 minutes from now at most", again.InvitedUntil)
	}
	for name, token := range map[string]string{"the replaced one": token, "none": "", "another": "vgi_x"} {
		if user, err := signIns.Invited(ctx, token); venues.CodeOf(err) != venues.CodeNotFound {
			t.Errorf("invitation with %s = %+v, %v, want not_found", name, user, err)
		}
	}
}

func TestUsersAreChecked(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	owner, operator := in.For(in.alice, registry.Author{By: "ann"}), in.As(author)
	for name, call := range map[string]func() error{
		"login in capitals":    func() error { return done(owner.Users.Create(ctx, registry.NewUser{Login: "Ann", Role: "owner"})) },
		"login that exists":    func() error { return done(owner.Users.Create(ctx, registry.NewUser{Login: "ann", Role: "owner"})) },
		"unknown role":         func() error { return done(owner.Users.Create(ctx, registry.NewUser{Login: "new", Role: "root"})) },
		"operator by an owner": func() error { return done(owner.Users.Create(ctx, registry.NewUser{Login: "new", Role: "operator"})) },
		"operator of a customer": func() error {
			return done(operator.Users.Create(ctx, registry.NewUser{Customer: in.bob, Login: "new", Role: "operator"}))
		},
		"operator later":           func() error { return done(operator.Users.Change(ctx, "ann", registry.UserChange{Role: "operator"})) },
		"own role":                 func() error { return done(owner.Users.Change(ctx, "ann", registry.UserChange{Role: "viewer"})) },
		"disabling itself":         func() error { return done(owner.Users.Disable(ctx, "ann")) },
		"an invitation for longer": func() error { return done(owner.Users.Invite(ctx, "ann", registry.NewInvite{ValidSec: 86401})) },
	} {
		if err := call(); venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("%s: error %v, want invalid_request", name, err)
		}
	}
	if err := done(operator.Users.Create(ctx, registry.NewUser{Login: "olga", Role: "operator"})); err != nil {
		t.Errorf("operator: error %v, want none", err)
	}
	if users := made(owner.Users.List(ctx, "")); len(users) != 1 || users[0].ID != "ann" {
		t.Errorf("users of the customer = %+v, want ann alone", users)
	}
}

func TestSessionsEnd(t *testing.T) {
	disabled, enabled := true, false
	for name, tt := range map[string]struct {
		do   func(in *installation) error
		want []string // sessions of ann that stay open
	}{
		"sign-out": {func(in *installation) error { return in.SignIns(author).EndSession(t.Context(), "ann", "ses_1") }, []string{"ses_2"}},
		"another role": {func(in *installation) error {
			return done(in.Users.Change(t.Context(), "ann", registry.UserChange{Role: "viewer"}))
		}, nil},
		"disabled": {func(in *installation) error { return done(in.Users.Disable(t.Context(), "ann")) }, nil},
		"disabled customer": {func(in *installation) error {
			return done(in.Customers.Change(t.Context(), in.alice, registry.CustomerChange{Disabled: &disabled}))
		}, nil},
		"another customer": {func(in *installation) error { return done(in.Customers.Disable(t.Context(), in.bob)) }, []string{"ses_1", "ses_2"}},
		"enabled customer": {func(in *installation) error {
			return done(in.Customers.Change(t.Context(), in.alice, registry.CustomerChange{Disabled: &enabled}))
		}, []string{"ses_1", "ses_2"}},
		"a change that keeps one": {func(in *installation) error {
			s := made(in.SignIns(author).Session(t.Context(), "ses_2"))
			return done(in.SignIns(author).Edit(t.Context(), "ann", registry.Edit{Session: &s, EndOthers: true, Change: func(*persistence.User) error { return nil }}))
		}, []string{"ses_2"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := newInstallation(t)
			in.begin(t, "ann", "ses_1")
			in.begin(t, "ann", "ses_2")
			if err := tt.do(in); err != nil {
				t.Fatal(err)
			}
			if got := in.openSessions(t, "ann"); !slices.Equal(got, tt.want) {
				t.Errorf("open sessions = %q, want %q", got, tt.want)
			}
			for _, id := range []string{"ses_1", "ses_2"} {
				if got, want := slices.Contains(in.service.Revoked, id), !slices.Contains(tt.want, id); got != want {
					t.Errorf("%s revoked: %v, want %v", id, got, want)
				}
			}
		})
	}
}

// A session that has ended stays so, and is no one else's to end.
func TestEndedSessionsStayEnded(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	session, signIns := in.begin(t, "ann", "ses_1"), in.SignIns(author)
	if err := signIns.EndSession(ctx, "olga", "ses_1"); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("end by another user: error %v, want unauthorized", err)
	}
	if err := signIns.EndSession(ctx, "ann", "ses_1"); err != nil {
		t.Fatal(err)
	}
	keep := func(*persistence.User) error { return nil }
	for name, err := range map[string]error{
		"end":    signIns.EndSession(ctx, "ann", "ses_1"),
		"update": signIns.UpdateSession(ctx, "ses_1", func(*persistence.Session) error { return nil }),
		"edit":   done(signIns.Edit(ctx, "ann", registry.Edit{Session: &session, Change: keep})),
		"read":   done(signIns.Session(ctx, "ses_1")),
	} {
		if venues.CodeOf(err) != venues.CodeUnauthorized {
			t.Errorf("%s: error %v, want unauthorized", name, err)
		}
	}
}

func TestOldestSessionMakesRoom(t *testing.T) {
	in := newInstallation(t)
	for n := range 22 {
		in.begin(t, "ann", fmt.Sprintf("ses_%02d", n))
	}
	if ids := in.openSessions(t, "ann"); len(ids) != 20 || ids[0] != "ses_02" || ids[19] != "ses_21" {
		t.Errorf("open sessions = %q, want the newest 20", ids)
	}
	made(in.SignIns(author).Edit(t.Context(), "ann", registry.Edit{Change: func(*persistence.User) error { return nil }}))
	in.begin(t, "ann", "ses_21") // again
	if ids := in.openSessions(t, "ann"); len(ids) != 20 {
		t.Errorf("%d open sessions after changes without a new one, want 20", len(ids))
	}
}

// Rows have who made the change, and neither tokens nor passwords.
func TestRowsHaveTheirAuthor(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	invited := made(in.As(author).Users.Create(ctx, registry.NewUser{Customer: in.bob, Login: "bob", Role: "viewer"}))
	made(in.As(author).Hooks.Change(ctx, in.hook, registry.HookChange{Name: &newName}))
	for _, customer := range []string{"", in.alice} {
		rows := fmt.Sprint(made(in.store.Journal(ctx, persistence.JournalQuery{Customer: customer})).Items)
		if !strings.Contains(rows, "{by olga} {via console} {from 192.0.2.1}") {
			t.Errorf("rows of %q = %s, want one with by, via and from", customer, rows)
		}
	}
	_, token, _ := strings.Cut(invited.Link, "#")
	for _, row := range made(in.store.Journal(ctx, persistence.JournalQuery{})).Items {
		if strings.Contains(fmt.Sprint(row), token) {
			t.Errorf("row = %+v, want no token", row)
		}
	}
}

func TestSecondStepIsSealedAgain(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	user := persistence.User{Login: "ann"}
	edit := registry.Edit{Change: func(u *persistence.User) error { u.Sealed = []byte("0|" + user.Key().String() + "|SECRET"); return nil }}
	made(in.SignIns(author).Edit(ctx, "ann", edit))
	if rotated := made(in.RotateKey(ctx)); rotated.Users != 1 {
		t.Errorf("rotated = %+v, want one user", rotated)
	}
	if got, want := string(made(in.store.User(ctx, "ann")).Sealed), "1|"+user.Key().String()+"|SECRET"; got != want {
		t.Errorf("sealed = %s, want %s", got, want)
	}
}
