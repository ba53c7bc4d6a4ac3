package bybit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"

	"venuegate/venues"
)

// params are query parameters in the order in which they are sent and signed.
type params []param

type param struct{ name, value string }

func (p params) with(name, value string) params { return append(p[:len(p):len(p)], param{name, value}) }

// encode percent-encodes the parameters: what is signed is what is sent.
func (p params) encode() string {
	var b strings.Builder
	for i, one := range p {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(one.name)
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(one.value))
	}
	return b.String()
}

// sign is the signature of a REST request: time, key, receive window and the
// query string or body exactly as sent (document "Integration Guidance").
func sign(secret venues.Secret, timestamp string, key venues.Secret, recvWindow, payload string) string {
	return hmacHex(secret, timestamp, key.Reveal(), recvWindow, payload)
}

// signStream is the signature that opens a private stream until expires, in
// milliseconds (document "WebSocket Connect", section on authentication).
func signStream(secret venues.Secret, expiresMs int64) string {
	return hmacHex(secret, "GET/realtime", strconv.FormatInt(expiresMs, 10))
}

func hmacHex(secret venues.Secret, parts ...string) string {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	for _, part := range parts {
		mac.Write([]byte(part))
	}
	return hex.EncodeToString(mac.Sum(nil))
}
