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
	// loginLifetime is how long the signature of a login is valid.
	loginLifetime = 10 * time.Second
	// loginMessagesMax bounds the messages of a connection before it is authenticated.
	loginMessagesMax = 8
)

var errLogin = errors.New("the venue rejects the key")

// login logs in an account's connections. It belongs to the goroutine that dials.
type login struct {
	account *Account
	// rejectedAt is when a rejected signature was made; zero if the last one was
	// accepted.
	rejectedAt time.Time
}

// prepare measures the clock if it was never measured, and again after a rejection, because
// the signature is valid for seconds only.
func (l *login) prepare(ctx context.Context) {
	c := l.account.c
	// A failure is ignored, because the venue rejects a wrong time anyway.
	_ = c.Clock.Resync(ctx, l.rejectedAt, c.serverTime)
}

// authAnswer is the answer to a login: success on the private stream, a code on the
// connection for orders.
type authAnswer struct {
	Op          string   `json:"op"`
	Success     bool     `json:"success"`
	StreamText  string   `json:"ret_msg"`
	RetCode     *integer `json:"retCode"`
	RetCodeText string   `json:"retMsg"`
}

func (a *authAnswer) accepted() bool { return a.Success || a.RetCode != nil && *a.RetCode == 0 }

// authenticate logs in on a new connection.
func (l *login) authenticate(s *wsclient.Handshake) error {
	credentials := l.account.credentials
	signedAt := time.Now()
	expires := l.account.c.Clock.Now().Add(loginLifetime).UnixMilli()
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
			l.rejectedAt = signedAt
			return fmt.Errorf("%w: %s", errLogin, payload.Bounded(redact(answer.StreamText+answer.RetCodeText)))
		}
		l.rejectedAt = time.Time{}
		return nil
	}
	return fmt.Errorf("%w: no answer", errLogin)
}
