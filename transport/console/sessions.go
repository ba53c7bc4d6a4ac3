package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/transport/registry"
	"venuegate/venues"
)

const (
	// secretBytes is the size of the secret of a session.
	secretBytes = 32
	// seenInterval is how often the last use of a session is stored at most.
	seenInterval = time.Minute
	// stepUpLife is how long a step-up lasts; signing in is one.
	stepUpLife = 5 * time.Minute
	// headerUnattended marks the reads of a page that nobody uses, which do not prolong its
	// session.
	headerUnattended = "X-Unattended"
)

// caller is a signed-in user.
type caller struct {
	session persistence.Session
	user    persistence.User
}

// steppedUp reports whether password and code were checked lately.
func (in *caller) steppedUp(now time.Time) bool {
	return now.Sub(in.session.SteppedUpAt.Time) <= stepUpLife
}

// newSession returns a session that begins now, and the value of its cookie.
func (s *Console) newSession(c *fiber.Ctx, login string) (persistence.Session, string) {
	now := venues.At(time.Now())
	session := persistence.Session{
		ID: persistence.NewID(persistence.PrefixSession, now.Time, rand.Reader), User: login, Listener: s.listener(),
		Source: s.Source(c).String(), Browser: browserOf(c.Get(fiber.HeaderUserAgent)), CreatedAt: now,
	}
	cookie := renew(&session)
	s.see(&session, now)
	return session, cookie
}

// renew gives a session another secret and steps it up. It returns the value of the cookie.
func renew(session *persistence.Session) string {
	var secret [secretBytes]byte
	_, _ = rand.Read(secret[:]) // it never fails
	sum := sha256.Sum256(secret[:])
	session.Hash, session.SteppedUpAt = sum[:], venues.At(time.Now())
	return session.ID + "." + base64.RawURLEncoding.EncodeToString(secret[:])
}

// see notes the use of a session, which moves its end.
func (s *Console) see(session *persistence.Session, now venues.Time) {
	session.SeenAt = now
	session.EndsAt = venues.At(now.Add(s.Idle))
	if last := session.CreatedAt.Add(s.Lifetime); session.EndsAt.After(last) {
		session.EndsAt = venues.At(last)
	}
}

// isAttended reports whether somebody uses the page that sent a request.
func isAttended(c *fiber.Ctx) bool { return c.Get(headerUnattended) == "" }

// identify returns the user whose session the cookie has.
func (s *Console) identify(ctx context.Context, c *fiber.Ctx) (*caller, error) {
	id, text, _ := strings.Cut(c.Cookies(s.cookieName()), ".")
	secret, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(secret) != secretBytes {
		return nil, registry.ErrSessionEnded
	}
	signIns := s.Registry.SignIns(registry.Author{})
	session, err := signIns.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(secret)
	if subtle.ConstantTimeCompare(sum[:], session.Hash) != 1 || session.Listener != s.listener() {
		return nil, registry.ErrSessionEnded
	}
	user, err := signIns.User(ctx, session.User)
	if err != nil {
		return nil, err
	}
	if admitted, err := s.admits(ctx, &user); err != nil || !admitted {
		return nil, errOr(err, registry.ErrSessionEnded)
	}
	if now := venues.At(time.Now()); isAttended(c) && now.Sub(session.SeenAt.Time) >= seenInterval {
		err = signIns.UpdateSession(ctx, id, func(stored *persistence.Session) error {
			s.see(stored, now)
			session = *stored
			return nil
		})
	}
	return &caller{session, user}, err
}

func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// cookieName returns the name of the cookie. Cookies do not differ by port, so that each
// listener has its own.
func (s *Console) cookieName() string {
	switch {
	case s.Operators:
		return "vg-operator"
	case s.secure():
		return "__Host-vg"
	}
	return "vg"
}

// secure reports whether the cookie is sent over TLS only. Without TLS the console is
// reachable from the own machine only.
func (s *Console) secure() bool { return strings.HasPrefix(s.URL, "https://") }

// setCookie sets the cookie of a session; an empty value removes it.
func (s *Console) setCookie(c *fiber.Ctx, value string) {
	cookie := fiber.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", HTTPOnly: true, Secure: s.secure(), SameSite: fiber.CookieSameSiteStrictMode,
		MaxAge: int(s.Lifetime.Seconds()),
	}
	if value == "" {
		cookie.MaxAge, cookie.Expires = 0, time.Unix(0, 0)
	}
	c.Cookie(&cookie)
}

// token issues the token with which the pages of a session trade.
func (s *Console) token(ctx context.Context, c *fiber.Ctx, in *caller) (text venues.Secret, err error) {
	scopes := []persistence.Scope{persistence.ScopeRead, persistence.ScopeAccount}
	if in.user.Role != persistence.RoleViewer {
		scopes = append(scopes, persistence.ScopeTrade)
	}
	// Issued while the session cannot end, so that its end removes the token.
	err = s.Registry.SignIns(registry.Author{}).UpdateSession(ctx, in.session.ID, func(session *persistence.Session) error {
		if isAttended(c) {
			s.see(session, venues.At(time.Now()))
		}
		text, err = s.Tokens.Issue(auth.Session{ID: session.ID, Customer: in.user.Customer, Scopes: scopes, Source: s.Source(c), EndsAt: session.EndsAt.Time})
		return err
	})
	return text, err
}

// browserOf returns the name of a browser, empty for an unknown one.
func browserOf(agent string) string {
	for _, b := range []struct{ mark, name string }{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	} {
		if strings.Contains(agent, b.mark) {
			return b.name
		}
	}
	return ""
}
