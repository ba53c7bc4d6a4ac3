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
	// dialsAtOnce and dialInterval keep below the venue's 500 connections in five
	// minutes to one of its hosts.
	dialsAtOnce  = 200
	dialInterval = time.Second
)

// heartbeat is what the venue wants to hear on every connection.
const heartbeat = `{"op":"ping"}`

// linkOptions are those of every connection to the venue, under its name in the log.
// It is never renewed: the venue sets connections no term.
func (c *Connector) linkOptions(url func(context.Context) (string, error), name string) wsclient.Options {
	o := c.options
	return wsclient.Options{
		URL: url, Ping: []byte(heartbeat), PingInterval: o.PingInterval,
		Dial: o.dial, Dials: c.dials, Silence: c.silence, Refused: c.refusedDial,
		BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
		Log: o.Log.With(zap.String("stream", name)),
	}
}

// silence is for how long nothing may be dialled: an address that the venue has shut
// out is let in again after minutes of silence.
func (c *Connector) silence() time.Duration { return max(c.gate.FrozenFor(), c.doors.FrozenFor()) }

// refusedDial keeps the silence that the answer to a handshake asks for. One that
// names the limit of the address concerns requests as well.
func (c *Connector) refusedDial(status int, header http.Header, body []byte) {
	wait := restclient.RetryAfter(header, blockedFor)
	switch {
	case status == http.StatusForbidden && isAddressLimit(body):
		c.gate.Freeze(blockedFor)
	case status == http.StatusForbidden:
		c.doors.Freeze(blockedFor)
	case status == http.StatusTooManyRequests:
		c.doors.Freeze(max(wait, overloadedFor))
	}
}
