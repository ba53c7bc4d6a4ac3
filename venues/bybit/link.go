package bybit

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wsclient"
)

const (
	// dialsAtOnce and dialInterval stay below the venue's limit of 500 connections to one
	// of its hosts in five minutes.
	dialsAtOnce  = 200
	dialInterval = time.Second
)

// heartbeat is the ping that the venue expects on every connection.
const heartbeat = `{"op":"ping"}`

// linkOptions returns the options of every connection to the venue. name is its name in
// the log. It is never renewed: the venue does not limit the age of connections.
func (c *Connector) linkOptions(url func(context.Context) (string, error), name string) wsclient.Options {
	link := c.Link(url)
	link.Ping, link.PingInterval = []byte(heartbeat), c.options.PingInterval
	link.Log = c.options.Log.With(zap.String("stream", name))
	return link
}

// handshakeRejected pauses dialling as the answer to a handshake requires. A rate limit
// of the address concerns requests too.
func (c *Connector) handshakeRejected(status int, header http.Header, body []byte) {
	wait := restclient.RetryAfter(header, blockedFor)
	switch {
	case status == http.StatusForbidden && isAddressLimit(body):
		c.Gate.Freeze(blockedFor)
	case status == http.StatusForbidden:
		c.DialGate.Freeze(blockedFor)
	case status == http.StatusTooManyRequests:
		c.DialGate.Freeze(max(wait, overloadedFor))
	}
}
