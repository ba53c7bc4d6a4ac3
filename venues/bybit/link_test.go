package bybit

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

// A refused handshake keeps connections away for as long as the venue asks, and
// requests too where it is the address that the venue refuses.
func TestRefusedHandshakes(t *testing.T) {
	const handshake = "GET /v5/public/linear"
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		body       string
		silence    time.Duration
		ofRequests bool
	}{
		"limit of the address":     {403, "", "403, access too frequent", blockedFor, true},
		"something else":           {403, "", "<html>Request blocked</html>", blockedFor, false},
		"too many":                 {429, "", "", overloadedFor, false},
		"too many, with a time":    {429, "90", "", 90 * time.Second, false},
		"too many, for a lifetime": {429, "99999999999", "", blockedFor, false},
		"broken server":            {502, "90", "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t)
				s.connector.options.tickInterval = time.Second
				s.ok(readRealtime, nothing)
				s.Add(handshake, connectortest.Answer{Status: c.status, Header: http.Header{"Retry-After": {c.retryAfter}}, Body: c.body})
				feed := s.connector.OpenFeed(&connectortest.Heard{})
				defer feed.Close()
				feed.Subscribe(bookOf("BTCUSDT"))
				time.Sleep(time.Second)
				_, err := s.account.OpenOrders(background)
				if limited := venues.CodeOf(err) == venues.CodeRateLimited; limited != c.ofRequests || err != nil && !limited {
					t.Errorf("a request: %v", err)
				}
				time.Sleep(c.silence)
				if pause := s.Pause(handshake); pause < c.silence || pause > c.silence+time.Second {
					t.Errorf("dialled again after %s, want %s", pause, c.silence)
				}
			})
		})
	}
}
