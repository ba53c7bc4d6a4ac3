package restclient

import (
	"net/url"
	"strings"

	"venuegate/venues"
)

// Params are the parameters of a request, name and value, in the order in which they are
// sent and signed.
type Params [][2]string

// With returns p with one more parameter. Like append, it may use the memory of p: of two
// results for the same p only the later one is valid.
func (p Params) With(name, value string) Params { return append(p, [2]string{name, value}) }

// WithOptional is With for a decimal, which is left out if it is unknown.
func (p Params) WithOptional(name string, value venues.Optional) Params {
	if !value.Valid {
		return p
	}
	return p.With(name, venues.FormatDecimal(value.Decimal))
}

// Encode percent-encodes the values. The result is signed and sent.
func (p Params) Encode() string {
	var b strings.Builder
	for i, one := range p {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(one[0])
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(one[1]))
	}
	return b.String()
}
