package binance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"venuegate/venues"
)

// params are request parameters in the order in which they are sent and signed.
type params []param

type param struct{ name, value string }

func (p params) with(name, value string) params { return append(p, param{name, value}) }

// withOptional leaves an unknown decimal out.
func (p params) withOptional(name string, value venues.Optional) params {
	if !value.Valid {
		return p
	}
	return p.with(name, venues.FormatDecimal(value.Decimal))
}

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

// sortedText are the parameters as the WebSocket API signs them: sorted by name and
// not encoded.
func (p params) sortedText() string {
	pairs := make([]string, len(p))
	for i, one := range slices.SortedFunc(slices.Values(p), func(a, b param) int { return strings.Compare(a.name, b.name) }) {
		pairs[i] = one.name + "=" + one.value
	}
	return strings.Join(pairs, "&")
}

// sign is the signature of a request: the query string followed directly by the
// body (document "General Info", section on signed endpoints).
func sign(secret venues.Secret, query, body string) string {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(query))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}
