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

// A refused handshake keeps connections away for as long as the venue asks, and
// requests too where it is the address that the venue refuses.
func TestRefusedHandshakes(t *testing.T) {
	const handshake = "GET /public/stream"
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		body       string // of the time in an hour
		silence    time.Duration
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
				s.connector.options.tickInterval = time.Second
				s.On("GET /fapi/v1/openOrders", 200, `[]`)
				s.On("GET /fapi/v1/openAlgoOrders", 200, `[]`)
				refusal := connectortest.Answer{Status: c.status, Header: http.Header{"Retry-After": {c.retryAfter}}}
				if c.body != "" {
					refusal.Body = fmt.Sprintf(c.body, time.Now().Add(time.Hour).UnixMilli())
				}
				s.Add(handshake, refusal)
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
