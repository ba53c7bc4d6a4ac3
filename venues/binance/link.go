package binance

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"venuegate/venues/internal/wsclient"
)

const (
	// dialsAtOnce and dialInterval keep below the venue's 300 connections of one
	// address in five minutes.
	dialsAtOnce  = 100
	dialInterval = 1500 * time.Millisecond
)

// linkOptions are those of every connection to the venue, under its name in the log.
// It is renewed before the venue cuts it.
func (c *Connector) linkOptions(url func(context.Context) (string, error), name string) wsclient.Options {
	o := c.options
	return wsclient.Options{
		URL: url, Lifetime: o.ConnLifetime, RenewOverlap: o.RenewOverlap,
		Dial: o.dial, Dials: c.dials, Silence: c.silence, Refused: c.refusedDial,
		BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
		Log: o.Log.With(zap.String("category", name)),
	}
}

// silence is for how long nothing may be dialled: a ban is of the address, and what is
// sent during a ban prolongs it.
func (c *Connector) silence() time.Duration { return max(c.gate.FrozenFor(), c.doors.FrozenFor()) }

// refusedDial keeps the silence that the answer to a handshake asks for. A firewall
// stands before one host.
func (c *Connector) refusedDial(status int, header http.Header, body []byte) {
	switch status {
	case http.StatusTooManyRequests, http.StatusTeapot:
		_, message, _ := parseFault(body)
		c.gate.Freeze(retryAfter(header, message, c.clock.Now()))
	case http.StatusForbidden:
		c.doors.Freeze(blockedFor)
	}
}
