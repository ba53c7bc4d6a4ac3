package okxsim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
)

// security is what an endpoint asks of a request.
type security uint8

const (
	// public asks for nothing.
	public security = iota
	// reading asks for a signed request.
	reading
	// trading asks for a signed request of a key that may trade.
	trading
)

// timestampLayout is the one form that the venue accepts.
const timestampLayout = "2006-01-02T15:04:05.000Z"

// authenticate checks headers, time, key, environment, passphrase, signature
// and permission, in this order, and leaves the account in the call.
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

// signature is the base64 HMAC-SHA256 of the payload.
func signature(secret, payload string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(payload))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
