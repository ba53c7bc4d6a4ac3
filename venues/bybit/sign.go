package bybit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"venuegate/venues"
)

// sign returns the signature of a REST request: the signed text is time, key, receive
// window and the query string or body exactly as sent (document "Integration Guidance").
func sign(secret venues.Secret, timestamp string, key venues.Secret, recvWindow, payload string) string {
	return hmacHex(secret, timestamp, key.Reveal(), recvWindow, payload)
}

// signStream returns the signature of a login that is valid until expires, in
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
