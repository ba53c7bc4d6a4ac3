package okx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/wsclient"
)

// errLogin is returned when a private connection cannot log in.
var errLogin = errors.New("the venue rejected the login")

// loginTarget is the path that is signed for a login (document "WebSocket Login").
const loginTarget = "/users/self/verify"

// login is the message that authenticates a stream connection (document "WebSocket
// Login"). Its timestamp is in whole seconds.
type login struct {
	Op   string     `json:"op"`
	Args []loginArg `json:"args"`
}

type loginArg struct {
	APIKey     string `json:"apiKey"`
	Passphrase string `json:"passphrase"`
	Timestamp  string `json:"timestamp"`
	Sign       string `json:"sign"`
}

func newLogin(k venues.Credentials, now time.Time) login {
	stamp := strconv.FormatInt(now.Unix(), 10)
	return login{Op: "login", Args: []loginArg{{
		APIKey: k.APIKey.Reveal(), Passphrase: k.Passphrase.Reveal(), Timestamp: stamp,
		Sign: sign(k.APISecret, stamp, "GET", loginTarget, ""),
	}}}
}

// login authenticates a connection. After a rejected timestamp the clock is measured
// again for the next attempt.
func (a *Account) login(ctx context.Context, s *wsclient.Handshake) error {
	began := time.Now()
	text, err := json.Marshal(newLogin(a.credentials, a.c.Clock.Now()))
	if err != nil {
		return err
	}
	if err := s.Write(text); err != nil {
		return err
	}
	for {
		answer, err := s.Read()
		if err != nil {
			return err
		}
		var m privateMessage
		if err := json.Unmarshal(answer, &m); err != nil {
			return fmt.Errorf("answer to the login: %w", err)
		}
		switch {
		case m.Event == "login" && m.Code == "0":
			return nil
		case m.Event == "error", m.Event == "login":
			if code, _ := strconv.Atoi(m.Code); code == codeLoginTimeInvalid || code == codeLoginTimeExpired {
				err = a.c.Clock.Resync(ctx, began, a.c.serverTime)
			}
			return errors.Join(fmt.Errorf("%w: %s %s", errLogin, payload.Bounded(m.Code), payload.Bounded(m.Msg)), err)
		}
	}
}
