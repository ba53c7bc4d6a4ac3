package okx

import (
	"encoding/base64"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
)

// timestampFormat is the format of the header OK-ACCESS-TIMESTAMP, in UTC.
const timestampFormat = "2006-01-02T15:04:05.000Z"

// sign returns the signature of a request: the signed text is timestamp, method, path
// with query, and body (document "REST Authentication").
func sign(secret venues.Secret, timestamp, method, target, body string) string {
	return base64.StdEncoding.EncodeToString(connector.Sign(secret, timestamp, method, target, body))
}
