package okx

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/internal/connectortest"
)

// A rejected handshake pauses dialling for the time that the venue states. Requests
// continue: they have other limits.
func TestRejectedHandshakePausesDialling(t *testing.T) {
	const handshake = "GET /ws/v5/public"
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		pause      time.Duration
	}{
		"too many":                       {429, "", rateWindow},
		"too many, with a time":          {429, "90", 90 * time.Second},
		"too many, for a very long time": {429, "99999999999", retryAfterMax},
		"firewall":                       {403, "90", 90 * time.Second},
		"firewall without a time":        {403, "", 0},
		"broken server":                  {502, "90", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t)
				s.connector.options.TickInterval = time.Second
				s.Add(handshake, connectortest.Answer{Status: c.status, Header: http.Header{"Retry-After": {c.retryAfter}}})
				s.CheckDialPause(handshake, s.connector.OpenFeed(&connectortest.Recorder{}), c.pause, func() {
					if _, err := s.connector.SyncClock(background); err != nil {
						t.Errorf("request: error %v, want none", err)
					}
				})
			})
		})
	}
}
