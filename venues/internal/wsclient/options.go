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
	backoffMaxDefault     = 3 * time.Second
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

// Handler receives the events of a link. The package comment says from which goroutines
// it is called.
type Handler interface {
	// Opened reports that c is connected and authenticated. The handler subscribes with
	// c.Send. For a successor it is called while the predecessor is still read.
	Opened(c *Conn)
	// Message receives one message. data is valid only during the call.
	Message(c *Conn, data []byte)
	// Lost reports that the only connection ended. The link dials again automatically.
	Lost(cause error)
	// Tick is called about once a second, connected or not.
	Tick(now time.Time)
}

// Options of a Link.
type Options struct {
	// URL is called before each dial, so that the result can contain a fresh key. Its
	// context ends when the link closes.
	URL func(ctx context.Context) (string, error)
	// Authenticate, if set, runs before Opened. An error closes the connection.
	Authenticate func(*Handshake) error
	Handler      Handler
	// Dial makes the network connection; nil uses the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Dials limits the dial rate of all links that share it, for venues that limit it per
	// address or host; nil means no limit.
	Dials *rate.Limiter
	// DialPause returns for how long the venue accepts no connections from this address;
	// nil means never. The link does not dial meanwhile.
	DialPause func() time.Duration
	// HandshakeRejected is called with the venue's answer to a rejected handshake before
	// the link continues. The body may be truncated.
	HandshakeRejected func(status int, header http.Header, body []byte)

	// Ping is a text message to send every PingInterval; nil means a WebSocket ping.
	// PingInterval is 20 s if zero; negative means no pings.
	Ping         []byte
	PingInterval time.Duration
	// SilenceMax is how long a connection may be without any message, ping or pong before
	// it is replaced; 60 s if zero.
	SilenceMax time.Duration
	// Lifetime is the age at which a connection is renewed; zero means never.
	Lifetime time.Duration
	// RenewOverlap is how long both connections are up; 3 s if zero.
	RenewOverlap time.Duration
	// BackoffMin and BackoffMax bound the wait before a dial; 1 s and 3 s if zero. The
	// rate of the dials of many links is bounded by Dials.
	BackoffMin time.Duration
	BackoffMax time.Duration
	// SendsPerSecond limits the rate of messages queued by Conn.Send; 4 if zero.
	SendsPerSecond int
	// ReadBytesMax bounds a message; 4 MiB if zero.
	ReadBytesMax int64
	// TickInterval of Handler.Tick; 1 s if zero.
	TickInterval time.Duration

	// Log receives losses, failed dials and renewals; nil discards them.
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
	if o.DialPause == nil {
		o.DialPause = func() time.Duration { return 0 }
	}
	if o.HandshakeRejected == nil {
		o.HandshakeRejected = func(int, http.Header, []byte) {}
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}
