package webhook

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/signing"
	"venuegate/venues"
)

// Limits of one attempt.
const (
	// TimeoutDefault is from the interface: "no answer within 10 seconds leads to a
	// retry".
	TimeoutDefault = 10 * time.Second
	// responseHeaderBytesMax bounds the headers of a response.
	responseHeaderBytesMax = 16 << 10
	// responseBytesMax is how much of a response is read so that its connection can
	// be used again; the connection of a longer one is closed.
	responseBytesMax = 64 << 10
	// retryAfterSecMax bounds the value of a Retry-After header.
	retryAfterSecMax = 7 * 24 * 60 * 60
)

// Options configure a Sender.
type Options struct {
	Policy  DialPolicy
	Secrets Secrets
	// HeaderPrefix is the prefix of the signature headers; empty is
	// signing.PrefixDefault.
	HeaderPrefix string
	// UserAgent is the name and version of the service.
	UserAgent string
	// Timeout bounds an attempt from name resolution to the end of the response; zero
	// is TimeoutDefault.
	Timeout time.Duration
	// Resolver resolves names; nil is the system's.
	Resolver *net.Resolver
	// RootCAs sign the certificates of receivers; nil is the system's set.
	RootCAs *x509.CertPool
}

// Sender delivers events. It is safe for concurrent use.
type Sender struct {
	options    Options
	headers    signing.Headers
	transports *transports
}

// NewSender returns a Sender, which must be closed after the last Send.
func NewSender(o Options) *Sender {
	if o.Timeout <= 0 {
		o.Timeout = TimeoutDefault
	}
	return &Sender{options: o, headers: signing.NewHeaders(o.HeaderPrefix), transports: newTransports(o)}
}

// Close closes idle connections.
func (s *Sender) Close() { s.transports.close() }

// Send posts an event to an endpoint once. attempt counts from 1; at is the current
// time, which is signed. Err of the result is nil if and only if the status is 2xx. The
// traceparent of the venues.Origin in ctx is sent with it.
func (s *Sender) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, attempt int, at time.Time) persistence.Attempt {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	request, err := s.request(ctx, to, e, attempt, at)
	if err != nil {
		return persistence.Attempt{Err: err}
	}
	response, err := s.transports.of(to.ID, at).RoundTrip(request)
	if err != nil {
		return persistence.Attempt{Err: s.publicError(ctx, err)}
	}
	defer response.Body.Close()
	return result(response, at)
}

func (s *Sender) request(ctx context.Context, to persistence.Endpoint, e persistence.Event, attempt int, at time.Time) (*http.Request, error) {
	secret, err := s.options.Secrets.Of(ctx, to, at)
	if err != nil {
		return nil, err
	}
	body := api.AppendEvent(nil, e.ID, string(e.Type), e.CreatedAt, e.Data)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Target, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the url of the endpoint is not valid")
	}
	signature, timestamp := signing.NewKey(secret.Reveal()).Sign(at.Unix(), body)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", s.options.UserAgent)
	request.Header.Set(s.headers.Signature, signature)
	request.Header.Set(s.headers.Timestamp, timestamp)
	request.Header.Set(s.headers.EventID, e.ID)
	request.Header.Set(s.headers.Attempt, strconv.Itoa(attempt))
	if trace := venues.OriginOf(ctx).Traceparent; trace != "" {
		request.Header.Set(api.HeaderTraceparent, trace)
	}
	return request, nil
}

// publicError returns the error of an attempt for the customer.
func (s *Sender) publicError(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no response within %v", s.options.Timeout)
	}
	return printable{err}
}

// printable is an error whose text is safe for a terminal: it may quote the receiver,
// such as the names in its certificate.
type printable struct{ error }

func (p printable) Error() string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, p.error.Error())
}

func (p printable) Unwrap() error { return p.error }

// result returns the attempt that a response completes.
func result(response *http.Response, at time.Time) persistence.Attempt {
	out := persistence.Attempt{Code: response.StatusCode}
	// After 101 the body is the connection itself, which has no deadline.
	if response.StatusCode != http.StatusSwitchingProtocols {
		out.Answer = readBody(response.Body)
	}
	if response.StatusCode/100 == 2 {
		return out
	}
	out.Err = fmt.Errorf("answered %d", response.StatusCode)
	out.RetryAfterSec = retryAfter(response.Header.Get("Retry-After"), at)
	if response.StatusCode == http.StatusGone {
		out.Gone = "answered 410 Gone"
	}
	return out
}

// readBody returns the beginning of a body. Errors are ignored: the status decides the
// result.
func readBody(body io.Reader) []byte {
	kept, _ := io.ReadAll(io.LimitReader(body, persistence.AttemptAnswerBytesMax))
	_, _ = io.Copy(io.Discard, io.LimitReader(body, responseBytesMax-persistence.AttemptAnswerBytesMax))
	return kept
}

// retryAfter parses both forms of the Retry-After header into seconds; zero if it is
// absent or malformed.
func retryAfter(text string, at time.Time) int {
	n, err := strconv.ParseUint(text, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return int(min(n, retryAfterSecMax))
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	// The difference is taken in seconds because a time.Duration may overflow, and is
	// rounded up because the named time itself is not too early.
	return int(min(max(until.Unix()-at.Unix(), 0), retryAfterSecMax))
}
