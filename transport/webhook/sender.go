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
)

// Limits of one attempt.
const (
	// TimeoutDefault: "no answer within 10 seconds leads to a retry".
	TimeoutDefault = 10 * time.Second
	// answerHeaderBytesMax bounds the headers of an answer.
	answerHeaderBytesMax = 16 << 10
	// answerBytesMax is how much of an answer is read, so that its connection
	// can serve again; beyond it the connection is closed.
	answerBytesMax = 64 << 10
	// retryAfterSecMax bounds what is understood of a Retry-After header.
	retryAfterSecMax = 7 * 24 * 60 * 60
)

// Options of a Sender.
type Options struct {
	Guard   Guard
	Secrets Secrets
	// HeaderPrefix begins the names of the signature headers; empty is
	// signing.PrefixDefault.
	HeaderPrefix string
	// UserAgent names the service and its version to receivers.
	UserAgent string
	// Timeout bounds one attempt from the look-up of the name to the end of the
	// answer; zero is TimeoutDefault.
	Timeout time.Duration
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
	// RootCAs sign the certificates of receivers; nil is the system's set.
	RootCAs *x509.CertPool
}

// Sender makes attempts to deliver. It is safe for concurrent use.
type Sender struct {
	options Options
	headers signing.Headers
	ways    *transports
}

// NewSender makes a Sender. Close it when nothing is sent any more.
func NewSender(o Options) *Sender {
	if o.Timeout <= 0 {
		o.Timeout = TimeoutDefault
	}
	return &Sender{options: o, headers: signing.NewHeaders(o.HeaderPrefix), ways: newTransports(o)}
}

// Close closes the connections that no attempt uses.
func (s *Sender) Close() { s.ways.close() }

// Send posts an event to an endpoint once. attempt counts from 1; at is now, and
// what is signed. The answer's Err is nil exactly if a 2xx status came.
func (s *Sender) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, attempt int, at time.Time) persistence.Attempt {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	request, err := s.request(ctx, to, e, attempt, at)
	if err != nil {
		return persistence.Attempt{Err: err}
	}
	response, err := s.ways.of(to.ID, at).RoundTrip(request)
	if err != nil {
		return persistence.Attempt{Err: s.explain(ctx, err)}
	}
	defer response.Body.Close()
	return read(response, at)
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
	return request, nil
}

// explain says in the customer's words what cut an attempt off.
func (s *Sender) explain(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v", s.options.Timeout)
	}
	return printable{err}
}

// printable is an error that can be shown at a terminal: it may quote the other
// end, such as the names in its certificate.
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

func read(response *http.Response, at time.Time) persistence.Attempt {
	out := persistence.Attempt{Code: response.StatusCode}
	// After 101 the body is the connection itself, which no deadline ends.
	if response.StatusCode != http.StatusSwitchingProtocols {
		out.Answer = readAnswer(response.Body)
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

// readAnswer keeps the beginning. What goes wrong after the status has come does
// not change what the status says.
func readAnswer(body io.Reader) []byte {
	kept, _ := io.ReadAll(io.LimitReader(body, persistence.AttemptAnswerBytesMax))
	_, _ = io.Copy(io.Discard, io.LimitReader(body, answerBytesMax-persistence.AttemptAnswerBytesMax))
	return kept
}

// retryAfter reads both forms of the header; what it cannot read is no wish.
func retryAfter(text string, at time.Time) int {
	n, err := strconv.ParseUint(text, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return int(min(n, retryAfterSecMax))
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	// In seconds, since the header can name days that no time.Duration reaches;
	// rounded up, since the moment itself is not too early.
	return int(min(max(until.Unix()-at.Unix(), 0), retryAfterSecMax))
}
