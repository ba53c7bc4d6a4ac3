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

// impliedPrefix begins a request id that the sender did not give.
const impliedPrefix = "implied-"

// impliedHashBytes of SHA-256 are enough to tell signals apart, and fit a
// request id.
const impliedHashBytes = 24

// impliedRequestID is the same for the same signed request, whatever case its
// digits are in. Without the secret nobody can make two requests of one.
func impliedRequestID(channelID, timestamp, signature string) string {
	sum := sha256.Sum256([]byte(channelID + "\n" + timestamp + "\n" + strings.ToLower(signature)))
	return impliedPrefix + hex.EncodeToString(sum[:impliedHashBytes])
}

// address is the path of a chart channel: the part of its id that is not the
// prefix, then the secret part.
type address struct {
	channelID string
	hash      [sha256.Size]byte
}

// The parts of an address. Together they are more than the 43 characters of 256
// random bits that the interface asks for.
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

// Address is the path element of a chart channel whose secret part is given.
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
