package okxsim

import (
	"crypto/hmac"
	"encoding/base64"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// security is the authentication that an endpoint requires.
type security uint8

const (
	// public requires none.
	public security = iota
	// reading requires a signed request.
	reading
	// trading requires a signed request of a key that may trade.
	trading
)

// timestampLayout is the only form that the venue accepts.
const timestampLayout = "2006-01-02T15:04:05.000Z"

// authenticate checks headers, time, key, environment, passphrase, signature and
// permission, in this order, and sets the account of the call.
func (s *Sim) authenticate(c *fiber.Ctx, in *call, need security) *apiError {
	if need == public {
		return nil
	}
	key, sign, sent, passphrase := c.Get("OK-ACCESS-KEY"), c.Get("OK-ACCESS-SIGN"), c.Get("OK-ACCESS-TIMESTAMP"), c.Get("OK-ACCESS-PASSPHRASE")
	switch {
	case key == "":
		return errNoKey
	case passphrase == "":
		return errNoPassphrase
	case sign == "":
		return errNoSign
	case sent == "":
		return errNoTimestamp
	}
	at, err := time.Parse(timestampLayout, sent)
	if err != nil {
		return errTimestamp
	}
	if at.Sub(in.now).Abs() > clockSkewMax {
		return errTimestampOld
	}
	account, failed := s.accountOf(key)
	if failed != nil {
		return failed
	}
	want := signature(account.Credentials.APISecret, sent+in.method+in.target+string(in.body))
	switch {
	case (c.Get("x-simulated-trading") == "1") != s.options.DemoTrading:
		return errEnvironment
	case passphrase != account.Credentials.Passphrase:
		return errPassphrase
	case !hmac.Equal([]byte(want), []byte(sign)):
		return errSignature
	case !permitted(account, need):
		return errPermission
	}
	in.account = account
	return nil
}

func permitted(account simcore.AccountInfo, need security) bool {
	return account.Permissions.Read && (need != trading || account.Permissions.Trade)
}

func (s *Sim) accountOf(key string) (simcore.AccountInfo, *apiError) {
	if len(key) != keyLen {
		return simcore.AccountInfo{}, errKey
	}
	account, known := s.Exchange().AccountByKey(key)
	if !known {
		return simcore.AccountInfo{}, errNoSuchKey
	}
	return account, nil
}

// signature returns the base64 HMAC-SHA256 of the payload.
func signature(secret, payload string) string {
	return base64.StdEncoding.EncodeToString(simnet.Sign(secret, payload))
}
