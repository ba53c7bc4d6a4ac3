package binance

import (
	"fmt"
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
	const handshake = "GET /public/stream"
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		body       string // of the time in an hour
		pause      time.Duration
		ofRequests bool
	}{
		"limit":                       {429, "90", "", 90 * time.Second, true},
		"limit without a time":        {429, "", "", retryAfterDefault, true},
		"ban":                         {418, "600", "", 10 * time.Minute, true},
		"ban with a time in the text": {418, "600", `{"code":-1003,"msg":"Way too many requests; IP(203.0.113.7) banned until %d."}`, time.Hour, true},
		"firewall":                    {403, "", "<html>%d</html>", blockedFor, false},
		"broken server":               {502, "90", "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t)
				s.connector.options.TickInterval = time.Second
				s.On("GET /fapi/v1/openOrders", 200, `[]`)
				s.On("GET /fapi/v1/openAlgoOrders", 200, `[]`)
				rejection := connectortest.Answer{Status: c.status, Header: http.Header{"Retry-After": {c.retryAfter}}}
				if c.body != "" {
					rejection.Body = fmt.Sprintf(c.body, time.Now().Add(time.Hour).UnixMilli())
				}
				s.Add(handshake, rejection)
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
