package wsclient

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"
)

// Defaults and bounds of a link.
const (
	backoffMinDefault     = time.Second
	backoffMaxDefault     = 30 * time.Second
	handshakeTimeout      = 10 * time.Second
	writeTimeout          = 5 * time.Second
	pingIntervalDefault   = 20 * time.Second
	silenceMaxDefault     = 60 * time.Second
	renewOverlapDefault   = 3 * time.Second
	renewRetryInterval    = time.Minute
	tickIntervalDefault   = time.Second
	readBytesMaxDefault   = 4 << 20
	sendsPerSecondDefault = 4
	sendQueueMax          = 512
	readBufferBytes       = 16 << 10
	writeBufferBytes      = 4 << 10
)

// Handler takes what a link has to tell; see the package comment for who calls.
type Handler interface {
	// Opened says that c is up and authenticated; c.Send subscribes. For a
	// successor it comes while the predecessor is still read.
	Opened(c *Conn)
	// Message passes one message; data is valid only during the call.
	Message(c *Conn, data []byte)
	// Lost says that the only connection ended. The link dials again by itself.
	Lost(cause error)
	// Tick comes about once a second, connected or not.
	Tick(now time.Time)
}

// Options of a Link.
type Options struct {
	// URL is asked before each dial, so that it can hold a fresh key. Its context
	// ends when the link closes.
	URL func(ctx context.Context) (string, error)
	// Authenticate runs before Opened, if set. An error closes the connection.
	Authenticate func(*Session) error
	Handler      Handler
	// Dial makes the network connection; the usual way if nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Dials bounds how often all links that share it dial, where a venue bounds
	// that for an address or a host; unbounded if nil.
	Dials *rate.Limiter
	// Silence is for how long the venue wants to hear nothing from this address now; not
	// at all if nil. Nothing is dialled meanwhile.
	Silence func() time.Duration
	// Refused is told of a handshake that the venue refused, before the link goes on:
	// the venue may want silence. The body is the beginning of its answer.
	Refused func(status int, header http.Header, body []byte)

	// Ping is a text message to send every PingInterval; a WebSocket ping if
	// nil. PingInterval is 20 s if zero, no pings if negative.
	Ping         []byte
	PingInterval time.Duration
	// SilenceMax is how long a connection may bring nothing at all, pings and
	// pongs included, before it counts as dead; 60 s if zero.
	SilenceMax time.Duration
	// Lifetime of a connection before it is renewed; never if zero.
	Lifetime time.Duration
	// RenewOverlap is how long both connections are up; 3 s if zero.
	RenewOverlap time.Duration
	// BackoffMin and BackoffMax bound the wait before a dial; 1 s and 30 s if zero.
	BackoffMin time.Duration
	BackoffMax time.Duration
	// SendsPerSecond paces what we send; 4 if zero.
	SendsPerSecond int
	// ReadBytesMax bounds a message; 4 MiB if zero.
	ReadBytesMax int64
	// TickInterval of Handler.Tick; 1 s if zero.
	TickInterval time.Duration

	// Log gets connects, losses and renewals; nothing if nil.
	Log *zap.Logger
}

func (o Options) withDefaults() Options {
	o.PingInterval = cmp.Or(o.PingInterval, pingIntervalDefault)
	o.SilenceMax = cmp.Or(o.SilenceMax, silenceMaxDefault)
	o.RenewOverlap = cmp.Or(o.RenewOverlap, renewOverlapDefault)
	o.BackoffMin = cmp.Or(o.BackoffMin, backoffMinDefault)
	o.BackoffMax = cmp.Or(o.BackoffMax, backoffMaxDefault)
	o.SendsPerSecond = cmp.Or(o.SendsPerSecond, sendsPerSecondDefault)
	o.ReadBytesMax = cmp.Or(o.ReadBytesMax, readBytesMaxDefault)
	o.TickInterval = cmp.Or(o.TickInterval, tickIntervalDefault)
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
	if o.Dials == nil {
		o.Dials = rate.NewLimiter(rate.Inf, 0)
	}
	if o.Silence == nil {
		o.Silence = func() time.Duration { return 0 }
	}
	if o.Refused == nil {
		o.Refused = func(int, http.Header, []byte) {}
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}
