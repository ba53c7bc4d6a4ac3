package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/transport/listen"
	"venuegate/venues"
)

// Limits of failed attempts to sign in.
var (
	failuresOfSource = auth.Class{Name: "source", Limit: 10}
	failuresOfLogin  = auth.Class{Name: "login", Limit: 20, Window: time.Hour}
)

const (
	// attemptsMax bounds the addresses and logins whose failures are counted.
	attemptsMax = 16384
	// sourcesMax bounds the addresses that are remembered of a user.
	sourcesMax = 32
)

// attempts limits the failed attempts to sign in.
type attempts struct{ limiter *auth.MemoryLimiter }

func newAttempts() attempts { return attempts{auth.NewMemoryLimiter(attemptsMax)} }

// begin counts an attempt before its password or code is checked, so that a limit cannot be
// passed by attempts at the same time. succeeded takes the attempt back. The user is the zero
// User for an unknown login. Without a login only the address is counted.
func (a attempts) begin(ctx context.Context, source netip.Addr, login string, user *persistence.User) (succeeded func(), err error) {
	address := listen.ClientAddr(source).String()
	sum := sha256.Sum256([]byte(login))
	key := hex.EncodeToString(sum[:])
	if slices.Contains(user.Sources, address) {
		// It has a count of its own: those of other addresses do not lock the user out.
		key += " " + address
	}
	if err := a.take(ctx, address, failuresOfSource); err != nil {
		return nil, err
	}
	if login != "" {
		if err := a.take(ctx, key, failuresOfLogin); err != nil {
			return nil, err
		}
	}
	return func() {
		a.limiter.Return(address, failuresOfSource)
		a.limiter.Return(key, failuresOfLogin)
	}, nil
}

func (a attempts) take(ctx context.Context, key string, class auth.Class) error {
	d, err := a.limiter.Take(ctx, key, class, time.Now())
	if err != nil || d.Allowed {
		return err
	}
	e := venues.Errorf(venues.CodeRateLimited, "too many failed attempts to sign in").With("limit", d.Limit)
	e.RetryAfter = d.Reset
	return e
}

// rememberSource adds an address to those that a user has signed in from.
func rememberSource(u *persistence.User, source netip.Addr) {
	address := listen.ClientAddr(source).String()
	if slices.Contains(u.Sources, address) {
		return
	}
	u.Sources = append(slices.Clone(u.Sources), address)
	u.Sources = u.Sources[max(0, len(u.Sources)-sourcesMax):]
}
