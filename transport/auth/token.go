package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"time"

	"venuegate/persistence"
	"venuegate/transport/listen"
	"venuegate/venues"
)

const (
	// tokenPrefix begins the token of a console session; 43 random characters of base62
	// follow.
	tokenPrefix = "vgs_"
	// TokenLife is how long a token is valid after it was last issued.
	TokenLife = 10 * time.Minute
	// tokensMax bounds the tokens in memory.
	tokensMax = 4096
)

// Session is what the token of a console session permits.
type Session struct {
	// ID identifies the session in Revoke, and limits are counted by it.
	ID       string
	Customer string
	Scopes   []persistence.Scope
	// Source is the only address that the token is accepted from.
	Source netip.Addr
	// EndsAt is the end of the session, after which the token is not valid.
	EndsAt time.Time
}

// sessionToken is the token of a session; it is immutable.
type sessionToken struct {
	Session
	text    venues.Secret
	validTo time.Time
}

// sessionTokens has the tokens that were issued, which are in memory only.
type sessionTokens struct {
	byHash    map[[sha256.Size]byte]sessionToken
	bySession map[string][sha256.Size]byte
}

func newSessionTokens() sessionTokens {
	return sessionTokens{map[[sha256.Size]byte]sessionToken{}, map[string][sha256.Size]byte{}}
}

// end removes the token of a session, if it has one.
func (t *sessionTokens) end(session string) {
	if hash, known := t.bySession[session]; known {
		delete(t.byHash, hash)
		delete(t.bySession, session)
	}
}

// endExpired removes the tokens that are no longer valid.
func (t *sessionTokens) endExpired(now time.Time) {
	for _, token := range t.byHash {
		if !now.Before(token.validTo) {
			t.end(token.ID)
		}
	}
}

// Issue returns the token of a session, which is valid for TokenLife from now on, or until the
// end of the session. A session
// has one token: while it is valid, Issue returns it again with the given permissions.
// Issue must not be called for a session that has been passed to Revoke.
func (a *Authenticator) Issue(s Session) (venues.Secret, error) {
	random, err := randomText(rand.Reader, secretChars)
	if err != nil {
		return "", fmt.Errorf("make a session token: %w", err)
	}
	now := time.Now()
	s.Source = listen.ClientAddr(s.Source)
	a.mu.Lock()
	defer a.mu.Unlock()
	token := sessionToken{s, venues.Secret(tokenPrefix + random), now.Add(TokenLife)}
	if s.EndsAt.Before(token.validTo) {
		token.validTo = s.EndsAt
	}
	if hash, known := a.tokens.bySession[s.ID]; known && now.Before(a.tokens.byHash[hash].validTo) {
		token.text = a.tokens.byHash[hash].text
	}
	a.tokens.end(s.ID)
	if len(a.tokens.byHash) >= tokensMax {
		if a.tokens.endExpired(now); len(a.tokens.byHash) >= tokensMax {
			return "", ErrLimiterFull
		}
	}
	hash := hashSecret(token.text.Reveal())
	a.tokens.byHash[hash], a.tokens.bySession[s.ID] = token, hash
	return token.text, nil
}

// checkToken returns the principal of a token. Its principal does not expire: a connection
// may stay open for as long as the token is renewed.
func (a *Authenticator) checkToken(text string, source netip.Addr, now time.Time) (Principal, bool) {
	a.mu.Lock()
	token, known := a.tokens.byHash[hashSecret(text)]
	a.mu.Unlock()
	if !known || !now.Before(token.validTo) || token.Source != listen.ClientAddr(source) {
		return Principal{}, false
	}
	return Principal{Customer: token.Customer, KeyID: token.ID, Scopes: token.Scopes, Source: venues.SourceConsole}, true
}
