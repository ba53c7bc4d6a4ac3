package bybit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/wsclient"
)

const (
	// loginLifetime is how long the signature of a new connection holds.
	loginLifetime = 10 * time.Second
	// loginMessagesMax bounds what a connection may say before it is authenticated.
	loginMessagesMax = 8
)

var errLogin = errors.New("the venue refuses the key")

// login signs an account in on connection after connection. It belongs to the
// goroutine that dials.
type login struct {
	account *Account
	// refusedAt is when a signature was made that the venue refused; zero if the
	// last one was good.
	refusedAt time.Time
}

// prepare sees to it that the clock is measured, and again after a refusal: the
// signature that follows holds for seconds.
func (l *login) prepare(ctx context.Context) {
	c := l.account.c
	// A failure shows soon enough: the venue will refuse a wrong time.
	_ = c.clock.Resync(ctx, l.refusedAt, c.serverTime)
}

// authAnswer is the answer to a login: the private stream has success, the order
// entry socket a code.
type authAnswer struct {
	Op          string   `json:"op"`
	Success     bool     `json:"success"`
	StreamText  string   `json:"ret_msg"`
	RetCode     *integer `json:"retCode"`
	RetCodeText string   `json:"retMsg"`
}

func (a *authAnswer) accepted() bool { return a.Success || a.RetCode != nil && *a.RetCode == 0 }

// authenticate signs in on a new connection.
func (l *login) authenticate(s *wsclient.Session) error {
	credentials := l.account.credentials
	signedAt := time.Now()
	expires := l.account.c.clock.Now().Add(loginLifetime).UnixMilli()
	args := []any{credentials.APIKey.Reveal(), expires, signStream(credentials.APISecret, expires)}
	if err := s.Write(controlMessage("auth", "auth", args)); err != nil {
		return err
	}
	for range loginMessagesMax {
		message, err := s.Read()
		if err != nil {
			return err
		}
		var answer authAnswer
		if json.Unmarshal(message, &answer) != nil || answer.Op != "auth" {
			continue
		}
		if !answer.accepted() {
			l.refusedAt = signedAt
			return fmt.Errorf("%w: %s", errLogin, payload.Bounded(redact(answer.StreamText+answer.RetCodeText)))
		}
		l.refusedAt = time.Time{}
		return nil
	}
	return fmt.Errorf("%w: no answer", errLogin)
}
