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
	// connSilenceMax is how long a connection may be without any message, with pings
	// every Options.PingInterval.
	connSilenceMax = 45 * time.Second
	// retryAfterMax bounds the header Retry-After of a rejected handshake.
	retryAfterMax = time.Hour
)

// linkOptions returns the options of every connection to the venue. The venue expects the
// text "ping" and closes connections only for maintenance, which it announces. Its
// rate limits of requests do not concern connections.
func (c *Connector) linkOptions(path string) wsclient.Options {
	link := c.Link(func(context.Context) (string, error) { return c.options.StreamURL + path, nil })
	link.Ping, link.PingInterval = []byte("ping"), c.options.PingInterval
	link.SilenceMax, link.RenewOverlap = connSilenceMax, c.options.RenewOverlap
	link.Log = c.options.Log.With(zap.String("stream", path))
	return link
}

// handshakeRejected pauses dialling after a rejected handshake, for the time in the answer.
// The venue limits connections per address.
func (c *Connector) handshakeRejected(status int, header http.Header, _ []byte) {
	wait := restclient.RetryAfter(header, retryAfterMax)
	switch status {
	case http.StatusTooManyRequests:
		c.DialGate.Freeze(max(wait, rateWindow))
	case http.StatusForbidden:
		c.DialGate.Freeze(wait)
	}
}
