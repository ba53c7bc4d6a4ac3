package bybit

import (
	"encoding/hex"
	"strconv"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
)

// sign returns the signature of a REST request: the signed text is time, key, receive
// window and the query string or body exactly as sent (document "Integration Guidance").
func sign(secret venues.Secret, timestamp string, key venues.Secret, recvWindow, payload string) string {
	return hex.EncodeToString(connector.Sign(secret, timestamp, key.Reveal(), recvWindow, payload))
}

// signStream returns the signature of a login that is valid until expiresMs
// (document "WebSocket Connect", section on authentication).
func signStream(secret venues.Secret, expiresMs int64) string {
	return hex.EncodeToString(connector.Sign(secret, "GET/realtime", strconv.FormatInt(expiresMs, 10)))
}
