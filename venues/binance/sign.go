package binance

import (
	"encoding/hex"
	"slices"
	"strings"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/restclient"
)

// sortedText returns parameters as the WebSocket API signs them: sorted by name and not
// encoded.
func sortedText(p restclient.Params) string {
	pairs := make([]string, len(p))
	for i, one := range slices.SortedFunc(slices.Values(p), func(a, b [2]string) int { return strings.Compare(a[0], b[0]) }) {
		pairs[i] = one[0] + "=" + one[1]
	}
	return strings.Join(pairs, "&")
}

// sign returns the signature of a request: the signed text is the query string followed
// directly by the body (document "General Info", section on signed endpoints).
func sign(secret venues.Secret, query, body string) string {
	return hex.EncodeToString(connector.Sign(secret, query, body))
}
