package bybitsim

import (
	"crypto/hmac"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

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

const (
	recvWindowDefault = "5000"
	// clockLeadMax is how far ahead of the venue a request may be, whatever its
	// window.
	clockLeadMax = time.Second
)

// credentialsSent are the headers of a signed request.
type credentialsSent struct{ key, timestamp, window, signature string }

func (c credentialsSent) windowOrDefault() string {
	if c.window == "" {
		return recvWindowDefault
	}
	return c.window
}

// authenticate checks headers, key, timestamp, signature and permission, in this
// order, and sets the account of the call.
func (s *Sim) authenticate(c *call, need security) *apiError {
	if need == public {
		return nil
	}
	sent := c.sent
	if sent.key == "" || sent.timestamp == "" || sent.signature == "" {
		return &apiError{code: 10001, null: true, message: "empty value: apiTimestamp[" + sent.timestamp + "] apiKey[" + sent.key +
			"] apiSignature[" + sent.signature + "]: openapi sign params error!"}
	}
	account, known := s.Exchange().AccountByKey(sent.key)
	if !known {
		return errKey
	}
	c.account = account
	if failed := checkTime(sent.timestamp, sent.windowOrDefault(), c.now); failed != nil {
		return failed
	}
	signed := sent.timestamp + sent.key + sent.window + c.payload()
	if !signatureFits(account.Credentials.APISecret, signed, sent.signature) {
		return bad(10004, "error sign! origin_string[%s]", signed)
	}
	if !account.Permissions.Read || need == trading && !account.Permissions.Trade {
		return errPermission
	}
	return nil
}

// payload returns what the signature covers apart from the headers.
func (c *call) payload() string {
	if c.method == "GET" {
		return c.rawQuery
	}
	return string(c.body)
}

// checkTime applies the rule server - window <= timestamp < server + 1 s.
func checkTime(timestamp, window string, now time.Time) *apiError {
	sent, badTime := strconv.ParseInt(timestamp, 10, 64)
	span, badSpan := strconv.ParseInt(window, 10, 64)
	server := now.UnixMilli()
	if badTime == nil && badSpan == nil && sent >= server-span && sent < server+clockLeadMax.Milliseconds() {
		return nil
	}
	return bad(10002, "invalid request, please check your server timestamp or recv_window param. "+
		"req_timestamp[%s],server_timestamp[%d],recv_window[%s]", timestamp, server, window)
}

// signatureFits reports whether a signature is the hexadecimal HMAC-SHA256 of a
// payload.
func signatureFits(secret, payload, signature string) bool {
	want := hex.EncodeToString(simnet.Sign(secret, payload))
	return hmac.Equal([]byte(want), []byte(strings.ToLower(signature)))
}
