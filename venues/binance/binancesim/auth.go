package binancesim

import (
	"crypto/hmac"
	"encoding/hex"
	"strings"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// security is the authentication that an endpoint requires.
type security uint8

const (
	// public requires none.
	public security = iota
	// keyed requires a known key only.
	keyed
	// userData requires a signed request.
	userData
	// trade requires a signed request of a key that may trade.
	trade
)

const (
	recvWindowDefault = 5000
	recvWindowMax     = 60_000
	clockLeadMax      = time.Second
	apiKeyLen         = 64
)

// authenticate checks key, signature and timestamp, in this order, and sets the
// account and the deadline of the call.
func (s *Sim) authenticate(c *call, need security) *apiError {
	if need == public {
		return nil
	}
	if len(c.key) != apiKeyLen {
		return errKeyFormat
	}
	account, known := s.Exchange().AccountByKey(c.key)
	if !known {
		return errKey(c.ip)
	}
	c.account = account
	if need == keyed {
		return nil
	}
	if !account.Permissions.Read || need == trade && !account.Permissions.Trade {
		return errKey(c.ip)
	}
	sent, err := c.params.needTimestamp()
	if err != nil {
		return err
	}
	if err := checkSignature(&c.params, account.Credentials); err != nil {
		return err
	}
	return c.checkTime(sent)
}

func (p *params) needTimestamp() (time.Time, *apiError) {
	sent := p.timeOf("timestamp")
	if p.invalid != nil || !p.has("timestamp") {
		return time.Time{}, errMandatory("timestamp")
	}
	return sent, nil
}

func checkSignature(p *params, credentials simcore.Credentials) *apiError {
	if p.signatures == 0 {
		return errMandatory("signature")
	}
	want := hex.EncodeToString(simnet.Sign(credentials.APISecret, p.signed))
	if p.signatures > 1 || !hmac.Equal([]byte(want), []byte(strings.ToLower(p.signature))) {
		return errSignature
	}
	return nil
}

// checkTime applies the receive window and sets its end as the deadline, which the
// matching engine checks again.
func (c *call) checkTime(sent time.Time) *apiError {
	window := c.params.integer("recvWindow", recvWindowDefault)
	if c.params.invalid != nil {
		return c.params.invalid
	}
	if window < 0 || window > recvWindowMax {
		return bad(-1131, "recvWindow must be less than %d", recvWindowMax)
	}
	now := c.now
	if !sent.Before(now.Add(clockLeadMax)) {
		return errTimestampAhead
	}
	c.deadline = sent.Add(time.Duration(window) * time.Millisecond)
	if now.Truncate(time.Millisecond).After(c.deadline) {
		return errTimestampBehind
	}
	return nil
}
