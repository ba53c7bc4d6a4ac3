package binance

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"venuegate/venues/internal/wsclient"
)

const (
	// dialsAtOnce and dialInterval stay below the venue's limit of 300 connections per
	// address in five minutes.
	dialsAtOnce  = 100
	dialInterval = 1500 * time.Millisecond
)

// linkOptions returns the options of every connection to the venue. name is its name in
// the log. It is renewed before the venue closes it.
func (c *Connector) linkOptions(url func(context.Context) (string, error), name string) wsclient.Options {
	link := c.Link(url)
	link.Lifetime, link.RenewOverlap = c.options.ConnLifetime, c.options.RenewOverlap
	link.Log = c.options.Log.With(zap.String("stream", name))
	return link
}

// handshakeRejected pauses dialling as the answer to a handshake requires. A firewall
// concerns one host only, a rate limit also requests.
func (c *Connector) handshakeRejected(status int, header http.Header, body []byte) {
	switch status {
	case http.StatusTooManyRequests, http.StatusTeapot:
		_, message, _ := parseError(body)
		c.Gate.Freeze(retryAfter(header, message, c.Clock.Now()))
	case http.StatusForbidden:
		c.DialGate.Freeze(blockedFor)
	}
}
