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

// errLogin is why a private connection does not come up.
var errLogin = errors.New("the venue refused the login")

// loginTarget is what a stream login signs in the place of a request.
const loginTarget = "/users/self/verify"

// login is the message that authenticates a stream connection (document
// "WebSocket Login"); its time is in whole seconds.
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

// login authenticates a connection. A refusal for its time has the clock measured
// again for the next one.
func (a *Account) login(ctx context.Context, s *wsclient.Session) error {
	asked := time.Now()
	text, err := json.Marshal(newLogin(a.credentials, a.c.clock.Now()))
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
			if m.Code == "60004" || m.Code == "60006" {
				err = a.c.clock.Resync(ctx, asked, a.c.serverTime)
			}
			return errors.Join(fmt.Errorf("%w: %s %s", errLogin, payload.Bounded(m.Code), payload.Bounded(m.Msg)), err)
		}
	}
}
