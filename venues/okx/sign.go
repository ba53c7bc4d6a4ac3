package okx

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"

	"venuegate/venues"
)

// params are query parameters in the order in which they are sent and signed.
type params []param

type param struct{ name, value string }

func (p params) with(name, value string) params { return append(p, param{name, value}) }

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

// timestampFormat is that of the header OK-ACCESS-TIMESTAMP, in UTC.
const timestampFormat = "2006-01-02T15:04:05.000Z"

// sign is the signature of a request: the text is timestamp, method, path with
// its query, and body (document "REST Authentication").
func sign(secret venues.Secret, timestamp, method, target, body string) string {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(timestamp + method + target + body))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
