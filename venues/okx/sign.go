package okx

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"venuegate/venues"
)

// timestampFormat is the format of the header OK-ACCESS-TIMESTAMP, in UTC.
const timestampFormat = "2006-01-02T15:04:05.000Z"

// sign returns the signature of a request: the signed text is timestamp, method, path
// with query, and body (document "REST Authentication").
func sign(secret venues.Secret, timestamp, method, target, body string) string {
	mac := hmac.New(sha256.New, []byte(secret.Reveal()))
	mac.Write([]byte(timestamp + method + target + body))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
