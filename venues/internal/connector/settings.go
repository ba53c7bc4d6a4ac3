package connector

import (
	"cmp"
	"context"
	"errors"
	"net"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

const (
	// RecvWindowMax is the longest receive window that a venue accepts.
	RecvWindowMax = 60 * time.Second
	// RecvWindowDefault is the receive window of requests without a deadline.
	RecvWindowDefault = 5 * time.Second

	eventSilenceMaxDefault = 10 * time.Second
)

// Settings are the options that all connectors have. The zero value of a duration means
// its default.
type Settings struct {
	// RESTURL is scheme and host of the REST interface, without a trailing slash; a path
	// prefix is allowed.
	RESTURL string
	// StreamURL is scheme and host of the public streams. The connector appends the path.
	StreamURL string

	// OrderEntry selects how orders are placed, amended and cancelled; REST if empty.
	OrderEntry venues.OrderEntry
	// Timeout of one REST request, 10 s.
	Timeout time.Duration
	// BookSilenceMax and MarkSilenceMax are how long a topic of a trading instrument may
	// stay without messages before it is subscribed again. The defaults depend on the
	// venue. A shorter time finds a broken topic sooner and resubscribes quiet ones more
	// often.
	BookSilenceMax time.Duration
	MarkSilenceMax time.Duration
	// EventSilenceMax is how long after an acknowledged order the private stream may
	// stay without an event, 10 s.
	EventSilenceMax time.Duration
	// BackoffMin and BackoffMax bound the wait before a reconnect: 1 s and 3 s.
	BackoffMin time.Duration
	BackoffMax time.Duration

	// Log receives the log of the streams; nil discards it.
	Log *zap.Logger

	// TickInterval is how often the state of the streams is checked, 1 s; tests set a
	// shorter one.
	TickInterval time.Duration
	// Dial makes the network connections; nil uses the network. Tests use pipes.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Hosts returns settings that have the addresses only.
func Hosts(restURL, streamURL string) Settings {
	return Settings{RESTURL: restURL, StreamURL: streamURL}
}

// Validate returns an error that names the first invalid setting.
func (s *Settings) Validate(venue venues.Venue) error {
	switch {
	case s.RESTURL == "":
		return errors.New(string(venue) + ": RESTURL is empty")
	case s.StreamURL == "":
		return errors.New(string(venue) + ": StreamURL is empty")
	case !s.OrderEntry.Valid():
		return errors.New(string(venue) + ": OrderEntry is neither rest nor websocket")
	}
	return nil
}

// SetDefaults sets the defaults of what is not set. bookSilenceMax and markSilenceMax are
// those of the venue.
func (s *Settings) SetDefaults(bookSilenceMax, markSilenceMax time.Duration) {
	s.BookSilenceMax = cmp.Or(s.BookSilenceMax, bookSilenceMax)
	s.MarkSilenceMax = cmp.Or(s.MarkSilenceMax, markSilenceMax)
	s.EventSilenceMax = cmp.Or(s.EventSilenceMax, eventSilenceMaxDefault)
	s.Log = cmp.Or(s.Log, zap.NewNop())
}

// ValidateRecvWindow returns an error for a receive window that the venue would reject.
func ValidateRecvWindow(venue venues.Venue, window time.Duration) error {
	if window < 0 || window > RecvWindowMax {
		return errors.New(string(venue) + ": RecvWindow is outside 0 to 60 s")
	}
	return nil
}

// RecvWindow returns how long after its timestamp the venue may still execute a request
// that is signed now, with a timestamp that lies lag in the past. deadline is by the local
// clock; zero selects the standard window.
func RecvWindow(standard time.Duration, now, deadline time.Time, lag time.Duration) (time.Duration, error) {
	if deadline.IsZero() {
		return standard, nil
	}
	left := deadline.Sub(now)
	if left < time.Millisecond {
		return 0, restclient.DeadlinePassed()
	}
	return min(left+lag, RecvWindowMax), nil
}

// CheckCredentials returns an error for credentials without a key or a secret.
func CheckCredentials(c venues.Credentials) error {
	if c.APIKey.Reveal() == "" || c.APISecret.Reveal() == "" {
		return venues.Errorf(venues.CodeUnauthorized, "API key and secret are required")
	}
	return nil
}
