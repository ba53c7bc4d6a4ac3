package bybit

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

// A rejected handshake pauses dialling for the time that the venue states, and requests
// too if the venue rejects the address.
func TestRejectedHandshakePausesDialling(t *testing.T) {
	const handshake = "GET /v5/public/linear"
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		body       string
		pause      time.Duration
		ofRequests bool
	}{
		"limit of the address":           {403, "", "403, access too frequent", blockedFor, true},
		"something else":                 {403, "", "<html>Request blocked</html>", blockedFor, false},
		"too many":                       {429, "", "", overloadedFor, false},
		"too many, with a time":          {429, "90", "", 90 * time.Second, false},
		"too many, for a very long time": {429, "99999999999", "", blockedFor, false},
		"broken server":                  {502, "90", "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t)
				s.connector.options.TickInterval = time.Second
				s.ok(readRealtime, nothing)
				s.Add(handshake, connectortest.Answer{Status: c.status, Header: http.Header{"Retry-After": {c.retryAfter}}, Body: c.body})
				s.CheckDialPause(handshake, s.connector.OpenFeed(&connectortest.Recorder{}), c.pause, func() {
					_, err := s.account.OpenOrders(background)
					if limited := venues.CodeOf(err) == venues.CodeRateLimited; limited != c.ofRequests || err != nil && !limited {
						t.Errorf("request: error %v, want rate_limited: %v", err, c.ofRequests)
					}
				})
			})
		})
	}
}
