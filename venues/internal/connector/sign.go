package connector

import (
	"crypto/hmac"
	"crypto/sha256"

	"venuegate/venues"
)

// Sign returns the HMAC-SHA256 of the joined parts, by which every venue signs.
func Sign(secret venues.Secret, parts ...string) []byte {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	for _, part := range parts {
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)
}
