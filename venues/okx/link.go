package okx

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wsclient"
)

const (
	// silenceOfConnMax is how long a connection may bring nothing at all, with
	// pings every Options.PingInterval.
	silenceOfConnMax = 45 * time.Second
	// retryAfterMax bounds what is believed of a refused handshake.
	retryAfterMax = time.Hour
)

// linkOptions are those of every connection to the venue. It wants to hear the
// text "ping" and cuts a connection only for maintenance, of which it warns. Its
// limits of requests are of accounts and endpoints: none concerns connections.
func (c *Connector) linkOptions(path string) wsclient.Options {
	o := c.options
	return wsclient.Options{
		URL:          func(context.Context) (string, error) { return o.StreamURL + path, nil },
		Ping:         []byte("ping"),
		PingInterval: o.PingInterval, SilenceMax: silenceOfConnMax, RenewOverlap: o.RenewOverlap,
		Dial: o.dial, Dials: c.dials, Silence: c.doors.FrozenFor, Refused: c.refusedDial,
		BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
		Log: o.Log.With(zap.String("path", path)),
	}
}

// refusedDial keeps the silence that the answer to a handshake asks for: connections
// are limited by address.
func (c *Connector) refusedDial(status int, header http.Header, _ []byte) {
	wait := restclient.RetryAfter(header, retryAfterMax)
	switch status {
	case http.StatusTooManyRequests:
		c.doors.Freeze(max(wait, rateWindow))
	case http.StatusForbidden:
		c.doors.Freeze(wait)
	}
}
