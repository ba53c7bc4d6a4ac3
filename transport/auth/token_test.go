package auth_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/venues"
)

// sessionLife is longer than a token is valid.
const sessionLife = time.Hour

var scopes = []persistence.Scope{persistence.ScopeRead, persistence.ScopeTrade}

func issue(t *testing.T, a *auth.Authenticator, from netip.Addr) string {
	t.Helper()
	token, err := a.Issue(auth.Session{ID: "ses_1", Customer: "cus_1", Scopes: scopes, Source: from, EndsAt: time.Now().Add(sessionLife)})
	if err != nil {
		t.Fatal(err)
	}
	return token.Reveal()
}

// checkToken checks whether a token is accepted; it is unauthorized otherwise.
func checkToken(t *testing.T, a *auth.Authenticator, token string, from netip.Addr, want bool) {
	t.Helper()
	_, err := a.Authenticate(t.Context(), token, from)
	if got := err == nil; got != want || !got && venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("Authenticate from %s: error %v, want accepted %v", from, err, want)
	}
}

func TestTokenHasThePermissionsOfItsSession(t *testing.T) {
	a := auth.NewAuthenticator(panicking{})
	token := issue(t, a, source)
	if !strings.HasPrefix(token, "vgs_") || len(token) != 47 {
		t.Errorf("token of %d characters, want vgs_ and 43 more", len(token))
	}
	p, err := a.Authenticate(t.Context(), token, source)
	if err != nil || p.Customer != "cus_1" || p.KeyID != "ses_1" || !slices.Equal(p.Scopes, scopes) || p.Source != venues.SourceConsole || !p.ExpiresAt.IsZero() {
		t.Errorf("principal = %+v, %v, want ses_1 of cus_1 with read and trade, source console", p, err)
	}
	checkToken(t, a, token, netip.MustParseAddr("192.0.2.2"), false)
	checkToken(t, a, token[:len(token)-1], source, false)
	checkToken(t, a, "vgs_", source, false)
}

func TestTokenIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := auth.NewAuthenticator(newRecords())
		token := issue(t, a, source)
		time.Sleep(auth.TokenLife - 1)
		if again := issue(t, a, source); again != token {
			t.Error("renewed token is another, want the same")
		}
		time.Sleep(auth.TokenLife - 1)
		checkToken(t, a, token, source, true)
		time.Sleep(time.Nanosecond)
		checkToken(t, a, token, source, false)
		if again := issue(t, a, source); again == token {
			t.Error("token after its end is the same, want another")
		}
	})
}

// A renewal from another address moves the token there.
func TestTokenMovesWithItsSession(t *testing.T) {
	a, other := auth.NewAuthenticator(newRecords()), netip.MustParseAddr("198.51.100.9")
	token := issue(t, a, source)
	issue(t, a, other)
	checkToken(t, a, token, source, false)
	checkToken(t, a, token, other, true)
}

func TestTokenEndsWithItsSession(t *testing.T) {
	a := auth.NewAuthenticator(newRecords())
	var revoked []string
	defer a.Watch(func(id string) { revoked = append(revoked, id) })()
	token := issue(t, a, source)
	a.Revoke("ses_2")
	checkToken(t, a, token, source, true)
	a.Revoke("ses_1")
	checkToken(t, a, token, source, false)
	if !slices.Equal(revoked, []string{"ses_2", "ses_1"}) {
		t.Errorf("watched = %q, want both sessions", revoked)
	}
}

func TestTokenIsNotValidAfterItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := auth.NewAuthenticator(newRecords())
		token, err := a.Issue(auth.Session{ID: "ses_1", Scopes: scopes, Source: source, EndsAt: time.Now().Add(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - 1)
		checkToken(t, a, token.Reveal(), source, true)
		time.Sleep(time.Nanosecond)
		checkToken(t, a, token.Reveal(), source, false)
	})
}
