package hooks

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	signedKind = persistence.ChannelWebhook
	chartKind  = persistence.ChannelChart
)

// impliedPrefix begins a request id that the sender has not set.
const impliedPrefix = "implied-"

// impliedHashBytes of SHA-256 are unique enough and fit into a request id.
const impliedHashBytes = 24

// impliedRequestID returns the request id of a signed request. It does not depend on
// the case of the digits: one signature cannot be used for two requests.
func impliedRequestID(channelID, timestamp, signature string) string {
	sum := sha256.Sum256([]byte(channelID + "\n" + timestamp + "\n" + strings.ToLower(signature)))
	return impliedPrefix + hex.EncodeToString(sum[:impliedHashBytes])
}

// address is the path element of a chart channel: its id without the prefix, then
// the secret part.
type address struct {
	channelID string
	hash      [sha256.Size]byte
}

// Lengths of the parts of an address. The secret part alone has the 43 characters of
// 256 random bits that the interface requires.
const (
	addressIDChars     = 26
	addressSecretChars = 43
)

func parseAddress(text string) (address, bool) {
	if len(text) != addressIDChars+addressSecretChars {
		return address{}, false
	}
	return address{
		channelID: persistence.PrefixChannel + "_" + text[:addressIDChars],
		hash:      sha256.Sum256([]byte(text[addressIDChars:])),
	}, true
}

// Address returns the path element of a chart channel with the secret part.
func Address(channelID string, secret venues.Secret) string {
	return strings.TrimPrefix(channelID, persistence.PrefixChannel+"_") + secret.Reveal()
}

func (a *address) matches(c *Channel) bool {
	return subtle.ConstantTimeCompare(a.hash[:], c.AddressHash) == 1
}

func tokenMatches(token venues.Secret, c *Channel) bool {
	hash := sha256.Sum256([]byte(token.Reveal()))
	return subtle.ConstantTimeCompare(hash[:], c.TokenHash) == 1
}
