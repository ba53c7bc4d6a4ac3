package console_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/console"
	"venuegate/transport/registry"
	"venuegate/venues"
)

func TestInvitationIsGoodOnce(t *testing.T) {
	h := open(t)
	token, b := h.invite(h.customer, "ann", persistence.RoleOwner), h.browser()
	for _, weak := range []string{"elevenchars", "1Q2W3E4R5T6Y", strings.Repeat("x", 257)} {
		b.post(http.StatusBadRequest, "/session/enter", map[string]any{"token": token, "password": weak})
	}
	b.post(http.StatusUnauthorized, "/session/enter", map[string]any{"token": "vgi_x", "password": password})
	a := b.post(http.StatusOK, "/session/enter", map[string]any{"token": token, "password": password})
	if a.field("session", "user") != "ann" || a.field("session", "role") != "owner" || a.field("session", "customerName") != "Desk" || a.field("ticket") != "" {
		t.Errorf("answer = %s, want the session of ann, owner of Desk", a.text)
	}
	h.browser().post(http.StatusUnauthorized, "/session/enter", map[string]any{"token": token, "password": password})
	h.browser().signIn(http.StatusOK, "ann", password)
	if got := b.get(http.StatusOK, "/session").field("environments", "binance"); got != "sim" {
		t.Errorf("environment of binance = %q, want sim", got)
	}
}

// Another invitation removes the second step and ends all sessions.
func TestInvitationReplacesALostDevice(t *testing.T) {
	h := open(t)
	lost := h.user("ann", persistence.RoleOwner)
	lost.setUp()
	invited, err := h.registry.Users.Invite(t.Context(), "ann", registry.NewInvite{})
	if err != nil {
		t.Fatal(err)
	}
	lost.get(http.StatusOK, "/session")
	_, token, _ := strings.Cut(invited.Link, "#")
	a := h.browser().post(http.StatusOK, "/session/enter", map[string]any{"token": token, "password": "another battery staple"})
	if a.field("session", "secondStep") != "false" {
		t.Errorf("answer = %s, want no second step", a.text)
	}
	lost.get(http.StatusUnauthorized, "/session")
	h.browser().signIn(http.StatusUnauthorized, "ann", password)
}

// Whatever is wrong, the answer is the same, and as much work is done.
func TestFailedSignInsAreAlike(t *testing.T) {
	h := open(t)
	h.user("ann", persistence.RoleOwner)
	h.user("off", persistence.RoleOwner)
	h.invite(h.customer, "new", persistence.RoleOwner)
	h.invite("", "olga", persistence.RoleOperator)
	if _, err := h.registry.Users.Disable(t.Context(), "off"); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, login := range []string{"ann", "nobody", "off", "new", "olga", ""} {
		hashed, with := h.passwords.Hashed(), password
		if login == "ann" {
			with = "wrong horse battery"
		}
		a := h.browser().signIn(http.StatusUnauthorized, login, with)
		if n := h.passwords.Hashed() - hashed; n != 1 {
			t.Errorf("sign-in of %q hashed %d passwords, want 1", login, n)
		}
		texts = append(texts, strings.ReplaceAll(a.text, a.header.Get("X-Request-Id"), ""))
	}
	for i, text := range texts {
		if text != texts[0] {
			t.Errorf("answer %d = %s, want that of the others %s", i, text, texts[0])
		}
	}
}

func TestCodeIsGoodOnce(t *testing.T) {
	h := open(t)
	secret, recovery := h.user("ann", persistence.RoleOwner).setUp()
	b := h.browser()
	ticket := func() string { return b.signIn(http.StatusOK, "ann", password).field("ticket") }
	try := func(status int, ticket, code string) {
		t.Helper()
		b.post(status, "/session/totp", map[string]any{"ticket": ticket, "code": code})
	}
	first := ticket()
	if b.cookie != nil {
		t.Errorf("cookie before the code = %v, want none", b.cookie)
	}
	try(http.StatusUnauthorized, first, h.code(secret, -1)) // the one that confirmed it
	try(http.StatusUnauthorized, first, h.code(secret, 4))
	try(http.StatusUnauthorized, "x", h.code(secret, 0))
	current := h.code(secret, 0)
	try(http.StatusOK, first, current)
	b.get(http.StatusOK, "/session")
	try(http.StatusUnauthorized, first, h.code(secret, 1)) // the ticket is used
	try(http.StatusUnauthorized, ticket(), current)
	if len(recovery) != 10 {
		t.Fatalf("%d recovery codes, want 10", len(recovery))
	}
	try(http.StatusOK, ticket(), strings.ToLower(recovery[3]))
	try(http.StatusUnauthorized, ticket(), recovery[3])
	try(http.StatusOK, ticket(), recovery[4])
}

func TestStepOfACode(t *testing.T) {
	const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" // of RFC 6238: 287082 is the code of step 1
	for _, tt := range []struct {
		at   int64
		used int
		ok   bool
	}{
		{30, 0, true}, {59, 0, true}, {60, 0, true}, {89, 0, true}, {90, 0, false}, {0, 0, true}, {59, 1, false}, {59, 5, false},
	} {
		step, ok := console.MatchStep(secret, "287082", tt.used, time.Unix(tt.at, 0))
		if ok != tt.ok || ok && step != 1 {
			t.Errorf("matchStep at %d after step %d = %d, %v, want 1, %v", tt.at, tt.used, step, ok, tt.ok)
		}
	}
}

// Ten failures a minute and address are answered; the user still gets in elsewhere.
func TestFailuresOfASourceAreLimited(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	b.source = "198.51.100.1"
	for range 10 {
		b.signIn(http.StatusUnauthorized, "ann", "wrong horse battery")
	}
	hashed := h.passwords.Hashed()
	a := b.signIn(http.StatusTooManyRequests, "ann", password)
	if a.header.Get("Retry-After") == "" || h.passwords.Hashed() != hashed {
		t.Errorf("Retry-After = %q and %d passwords hashed, want seconds and none", a.header.Get("Retry-After"), h.passwords.Hashed()-hashed)
	}
	h.browser().signIn(http.StatusOK, "ann", password)
}

// Twenty failures an hour and login from unknown addresses are answered. They lock nobody out
// who has signed in from an address before.
func TestFailuresOfALoginAreLimited(t *testing.T) {
	h := open(t)
	owner := h.user("ann", persistence.RoleOwner)
	b := h.browser()
	source := netip.MustParseAddr("198.51.100.1")
	for n := range 21 {
		source = source.Next()
		b.source = source.String()
		want := http.StatusUnauthorized
		if n == 20 {
			want = http.StatusTooManyRequests
		}
		b.signIn(want, "ann", "wrong horse battery")
	}
	b.signIn(http.StatusUnauthorized, "ben", password) // another login
	owner.signIn(http.StatusOK, "ann", password)
	for range 12 {
		owner.signIn(http.StatusOK, "ann", password) // successes do not count
	}
}

func TestSessionEnds(t *testing.T) {
	for name, end := range map[string]func(h *house, b *browser){
		"signed out": func(_ *house, b *browser) { b.call(http.StatusOK, http.MethodDelete, "/session", nil) },
		"another role": func(h *house, _ *browser) {
			must(h.registry.Users.Change(h.t.Context(), "ann", registry.UserChange{Role: "viewer"}))
		},
		"disabled user":   func(h *house, _ *browser) { must(h.registry.Users.Disable(h.t.Context(), "ann")) },
		"disabled tenant": func(h *house, _ *browser) { must(h.registry.Customers.Disable(h.t.Context(), h.customer)) },
		"idle": func(h *house, _ *browser) {
			h.changeSessions(func(s *persistence.Session) { s.EndsAt = venues.At(time.Now()) })
		},
		"another password elsewhere": func(h *house, _ *browser) {
			other := h.browser()
			other.signIn(http.StatusOK, "ann", password)
			other.post(http.StatusOK, "/password", map[string]any{"password": "another battery staple"})
			other.get(http.StatusOK, "/session")
		},
		"signed out in the list": func(h *house, b *browser) {
			id := b.get(http.StatusOK, "/session").field("id")
			other := h.browser()
			other.signIn(http.StatusOK, "ann", password)
			other.call(http.StatusOK, http.MethodDelete, "/sessions/"+id, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			b := h.user("ann", persistence.RoleOwner)
			old := *b.cookie
			token := b.post(http.StatusOK, "/session/token", nil).field("token")
			source := netip.MustParseAddr("192.0.2.1")
			if p, err := h.auth.Authenticate(t.Context(), token, source); err != nil || p.Customer != h.customer || p.Source != venues.SourceConsole {
				t.Fatalf("principal = %+v, %v, want one of %s from the console", p, err, h.customer)
			}
			end(h, b)
			b.cookie = &old
			b.get(http.StatusUnauthorized, "/session")
			b.get(http.StatusUnauthorized, "/keys")
			if name == "idle" {
				return // its token ends by itself
			}
			if _, err := h.auth.Authenticate(t.Context(), token, source); venues.CodeOf(err) != venues.CodeUnauthorized {
				t.Errorf("token: error %v, want unauthorized", err)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A session lives for Idle after its last use, and for Lifetime at most.
func TestSessionIsUsedUntilItsLifetime(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	ends := func(created, seen time.Duration) time.Duration {
		now := time.Now()
		h.changeSessions(func(s *persistence.Session) {
			s.CreatedAt, s.SeenAt, s.EndsAt = venues.At(now.Add(-created)), venues.At(now.Add(-seen)), venues.At(now.Add(time.Hour))
		})
		b.get(http.StatusOK, "/session")
		return must(h.store.Sessions(t.Context()))[0].EndsAt.Sub(now).Round(time.Minute)
	}
	if got := ends(24*time.Hour, time.Hour); got != 12*time.Hour {
		t.Errorf("ends in %s after a use, want 12h", got)
	}
	if got := ends(6*24*time.Hour+20*time.Hour, time.Hour); got != 4*time.Hour {
		t.Errorf("ends in %s near its lifetime, want 4h", got)
	}
	if got := ends(time.Hour, 30*time.Second); got != time.Hour {
		t.Errorf("ends in %s after a use within a minute, want as before", got)
	}
}

// A page that nobody uses reads on, but its session ends.
func TestUnattendedCallsDoNotProlongASession(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	for _, call := range []struct{ method, path string }{{http.MethodGet, "/session"}, {http.MethodPost, "/session/token"}} {
		for header, want := range map[string]time.Duration{"X-Unattended": time.Hour, "X-Other": 12 * time.Hour} {
			now := time.Now()
			h.changeSessions(func(s *persistence.Session) {
				s.SeenAt, s.EndsAt = venues.At(now.Add(-11*time.Hour)), venues.At(now.Add(time.Hour))
			})
			request := b.request(call.method, call.path, nil)
			request.Header.Set(header, "1")
			if a := b.send(request); a.status != http.StatusOK {
				t.Fatalf("%s %s: status = %d, want 200: %s", call.method, call.path, a.status, a.text)
			}
			if got := must(h.store.Sessions(t.Context()))[0].EndsAt.Sub(now).Round(time.Minute); got != want {
				t.Errorf("ends in %s after %s %s with %s, want %s", got, call.method, call.path, header, want)
			}
		}
	}
}

func TestStepUpRenewsTheCookie(t *testing.T) {
	h := open(t)
	b := h.user("ann", persistence.RoleOwner)
	secret, _ := b.setUp()
	h.expireStepUp()
	before := *b.cookie
	for _, wrong := range []map[string]any{
		{"password": password, "code": h.code(secret, -1)}, {"password": "wrong horse battery", "code": h.code(secret, 0)}, {"password": password},
	} {
		b.post(http.StatusForbidden, "/session/step-up", wrong)
	}
	if a := b.post(http.StatusForbidden, "/recovery-codes", nil); a.field("error", "details", "required") != "step_up" {
		t.Errorf("answer = %s, want a step-up", a.text)
	}
	b.post(http.StatusOK, "/session/step-up", map[string]any{"password": password, "code": h.code(secret, 0)})
	b.post(http.StatusOK, "/recovery-codes", nil)
	old := &browser{house: h, cookie: &before}
	if old.get(http.StatusUnauthorized, "/session"); b.cookie.Value == before.Value {
		t.Error("cookie after the step-up is the same, want another")
	}
}

// A user who must set up a second step can do nothing else before.
func TestSecondStepIsRequired(t *testing.T) {
	h := open(t, func(o *console.Options) { o.RequireTOTP = true })
	b := h.user("ann", persistence.RoleOwner)
	if a := b.get(http.StatusForbidden, "/keys"); a.field("error", "details", "required") != "second_step" {
		t.Errorf("answer = %s, want a second step", a.text)
	}
	b.post(http.StatusForbidden, "/session/token", nil)
	b.post(http.StatusForbidden, "/password", map[string]any{"password": "another battery staple"})
	if a := b.get(http.StatusOK, "/session"); a.field("secondStepMissing") != "true" {
		t.Errorf("session = %s, want a missing second step", a.text)
	}
	b.post(http.StatusBadRequest, "/totp/confirm", map[string]any{"code": "123456"})
	b.setUp()
	b.get(http.StatusOK, "/keys")
}

// Neither logs nor journal nor records have what signs a user in.
func TestSecretsStaySecret(t *testing.T) {
	h := open(t)
	token := h.invite(h.customer, "ann", persistence.RoleOwner)
	b := h.browser()
	b.post(http.StatusOK, "/session/enter", map[string]any{"token": token, "password": password})
	secrets := []string{token, password, strings.Split(b.cookie.Value, ".")[1], b.post(http.StatusOK, "/session/token", nil).field("token")}
	secret, recovery := b.setUp()
	b.signIn(http.StatusUnauthorized, password, "wrong horse battery") // in the wrong field
	b.post(http.StatusForbidden, "/session/step-up", map[string]any{"password": "wrong horse battery", "code": recovery[0]})
	secrets = append(append(secrets, recovery...), secret, "wrong horse battery")
	rows := fmt.Sprint(must(h.store.Journal(t.Context(), persistence.JournalQuery{})).Items)
	logs := fmt.Sprintf("%+v", h.logs.All())
	user := must(h.store.User(t.Context(), "ann"))
	user.Sealed = nil // readable in tests
	records := fmt.Sprintf("%+v %+v", user, must(h.store.Sessions(t.Context())))
	for _, secret := range secrets {
		if strings.Contains(rows+logs+records, secret) {
			t.Errorf("%q is in rows, logs or records, want it nowhere", secret)
		}
	}
	for _, want := range []string{"{action enter}", "{action second_step}", "{by ann} {via console} {from 192.0.2.1}"} {
		if !strings.Contains(rows, want) {
			t.Errorf("rows = %s, want %s", rows, want)
		}
	}
	if h.logs.FilterMessage("sign-in failed").Len() != 2 {
		t.Errorf("logs = %s, want two failed sign-ins", logs)
	}
}
