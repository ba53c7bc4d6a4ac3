package connector

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"venuegate/venues"
	"venuegate/venues/internal/feed"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wsclient"
)

// ErrUnavailable is the cause of an error for an answer of a broken or absent server, or
// of something in front of it. During a maintenance the venue answers like that.
var ErrUnavailable = errors.New("the venue is unavailable")

// Protocol is the part of a venue's protocol that a Core uses.
type Protocol struct {
	// ServerTime reads the venue's clock.
	ServerTime func(context.Context) (time.Time, error)
	// IsClockRejection reports whether an error rejects the timestamp of a request.
	IsClockRejection func(error) bool
	// IsUnavailable reports whether a request failed as it does during a maintenance.
	IsUnavailable func(error) bool
	// Notice reads the venue's maintenance notices.
	Notice func(context.Context) (restclient.Notice, error)
	// HandshakeRejected handles the answer to a WebSocket handshake that failed.
	HandshakeRejected func(status int, header http.Header, body []byte)
	// DialPause returns how long no connection may be made from now.
	DialPause func() time.Duration
}

// Core is the part of a connector that all venues have in common. It is safe for
// concurrent use after Init.
type Core struct {
	// Gate admits requests under the venue's rate limits.
	Gate *restclient.Gate
	// DialGate is frozen while the venue rejects connections but accepts requests.
	DialGate *restclient.Gate
	REST     *restclient.Client
	Clock    restclient.Clock

	settings *Settings
	protocol Protocol
	dials    *rate.Limiter // of all connections of all streams
	notices  restclient.Notices
}

// Init prepares the core. Nothing is sent.
func (c *Core) Init(s *Settings, dials *rate.Limiter, p Protocol) {
	c.settings, c.dials, c.protocol = s, dials, p
	c.Gate, c.DialGate = restclient.NewGate(), restclient.NewGate()
	c.REST = c.NewClient(s.RESTURL, c.Gate)
}

// NewClient makes a REST client for a host of the venue.
func (c *Core) NewClient(baseURL string, gate *restclient.Gate) *restclient.Client {
	return restclient.New(restclient.Options{BaseURL: baseURL, Timeout: c.settings.Timeout, Dial: c.settings.Dial}, gate)
}

// Close closes idle connections. Feeds are closed by their owners.
func (c *Core) Close() { c.REST.Close() }

// SyncClock measures the offset of the venue's clock. Call it every few minutes; after a
// rejected timestamp the connector measures it on its own. The error is maintenance while
// the venue's notices report one.
func (c *Core) SyncClock(ctx context.Context) (offset time.Duration, err error) {
	err = c.Retry(ctx, false, func() error {
		offset, err = c.Clock.Sync(ctx, c.protocol.ServerTime)
		return err
	})
	return offset, err
}

// RateLimits returns the use of the venue's rate limits.
func (c *Core) RateLimits() []venues.RateLimit { return c.Gate.Usage(time.Now()) }

// Congestion returns what holds up requests now.
func (c *Core) Congestion() venues.Congestion { return c.Gate.Congestion(time.Now()) }

// Call is one request with the function that reads its answer.
type Call struct {
	restclient.Call
	Method, Path string
	// Client sends the request; nil means Core.REST.
	Client *restclient.Client
	// Read returns the data of an answer, or the error that the answer stands for.
	Read func(*restclient.Answer) (data []byte, err error)
}

// Retry calls once, which sends a request. A rejected timestamp is a definite answer, so a
// signed request is then sent once more, signed by the corrected clock under its old
// deadline. If the venue is unavailable because of a maintenance, the code of the error
// becomes maintenance.
func (c *Core) Retry(ctx context.Context, signed bool, once func() error) error {
	var err error
	if signed {
		err = c.Clock.CallSigned(ctx, c.protocol.ServerTime, c.protocol.IsClockRejection, once)
	} else {
		err = once()
	}
	if c.protocol.IsUnavailable(err) {
		return c.notices.Explain(ctx, err, c.protocol.Notice)
	}
	return err
}

// Send executes a request once and decodes the data of its answer into out, if not nil.
func (c *Core) Send(ctx context.Context, r Call, out any) error {
	client := r.Client
	if client == nil {
		client = c.REST
	}
	answer, err := client.Do(ctx, r.Call)
	if err != nil {
		return err
	}
	data, err := r.Read(answer)
	if err != nil || out == nil {
		return err
	}
	if err := payload.Decode(data, out); err != nil {
		return Malformed(r.Mutates, r.Method, r.Path, err)
	}
	return nil
}

// Uncertain joins ErrOutcomeUnknown to the error of a request that may have changed
// something.
func Uncertain(mutates bool, err error) error {
	if mutates {
		return restclient.OutcomeUnknown(err)
	}
	return err
}

// Malformed returns the error for an answer that cannot be understood. The venue may have
// executed the request.
func Malformed(mutates bool, method, path string, cause error) error {
	return Uncertain(mutates, restclient.Unreadable(method, path, cause))
}

// LogUnlisted logs a rejection with a code that the connector's table lacks.
func (c *Core) LogUnlisted(path string, code int, message string) {
	c.settings.Log.Warn("venue rejection with an unlisted code",
		zap.String("path", path), zap.Int("code", code), zap.String("message", payload.Bounded(message)))
}

// Link returns the options that all connections to the venue share.
func (c *Core) Link(url func(context.Context) (string, error)) wsclient.Options {
	s := c.settings
	return wsclient.Options{
		URL: url, Dial: s.Dial, Dials: c.dials,
		DialPause: c.protocol.DialPause, HandshakeRejected: c.protocol.HandshakeRejected,
		BackoffMin: s.BackoffMin, BackoffMax: s.BackoffMax, TickInterval: s.TickInterval,
	}
}

// DialPause returns how long no connection may be made, for venues whose rate limit of
// requests concerns connections too.
func (c *Core) DialPause() time.Duration { return max(c.Gate.FrozenFor(), c.DialGate.FrozenFor()) }

// FeedOptions returns the options that the public feeds of all venues share.
func (c *Core) FeedOptions(p feed.Protocol, sink venues.FeedSink) feed.Options {
	return feed.Options{
		Protocol: p, Sink: sink, BookSilenceMax: c.settings.BookSilenceMax, MarkSilenceMax: c.settings.MarkSilenceMax, Log: c.settings.Log,
	}
}
