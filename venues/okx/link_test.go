package okx

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/internal/connectortest"
)

// A refused handshake keeps connections away for as long as the venue asks. Requests
// go on: their limits are others.
func TestRefusedHandshakes(t *testing.T) {
	const handshake = "GET /ws/v5/public"
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		silence    time.Duration
	}{
		"too many":                 {429, "", rateWindow},
		"too many, with a time":    {429, "90", 90 * time.Second},
		"too many, for a lifetime": {429, "99999999999", retryAfterMax},
		"firewall":                 {403, "90", 90 * time.Second},
		"firewall without a time":  {403, "", 0},
		"broken server":            {502, "90", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t)
				s.connector.options.tickInterval = time.Second
				s.Add(handshake, connectortest.Answer{Status: c.status, Header: http.Header{"Retry-After": {c.retryAfter}}})
				feed := s.connector.OpenFeed(&connectortest.Heard{})
				defer feed.Close()
				feed.Subscribe(bookOf("BTCUSDT"))
				time.Sleep(time.Second)
				if _, err := s.connector.SyncClock(background); err != nil {
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
