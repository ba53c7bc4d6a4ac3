package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"venuegate/persistence"
)

// Limits of one attempt.
const (
	// TimeoutDefault bounds an attempt with all its requests.
	TimeoutDefault = 10 * time.Second
	// responseBytesMax bounds a decompressed response. The longest is the column of
	// event ids of a spreadsheet: about 100,000 rows.
	responseBytesMax = 4 << 20
	// recordedBytesMax bounds the recorded part of a response. After secrets are
	// removed it is cut to persistence.AttemptAnswerBytesMax.
	recordedBytesMax = 2 * persistence.AttemptAnswerBytesMax

	responseHeaderBytesMax = 64 << 10
	connIdleMax            = 30 * time.Second
	connsIdleMax           = 16
	dialMax                = 5 * time.Second
	tlsHandshakeMax        = 5 * time.Second
	retryAfterSecMax       = 7 * 24 * 60 * 60
	errorTextRunesMax      = 300
)

// ErrUnreachable is returned when there is no response or none that fits the API: the
// result of the request is not known.
var ErrUnreachable = errors.New("no usable response")

var errResponseTooLarge = errors.New("the response is too large")

// newClient returns the client for all APIs. HTTP/2 is off: all endpoints would share
// one connection, and a broken one would block them all.
func newClient(userAgent string) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &transport{userAgent: userAgent, base: &http.Transport{
			DialContext:            (&net.Dialer{Timeout: dialMax}).DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    tlsHandshakeMax,
			MaxResponseHeaderBytes: responseHeaderBytesMax,
			MaxIdleConns:           connsIdleMax,
			MaxIdleConnsPerHost:    connsIdleMax,
			IdleConnTimeout:        connIdleMax,
		}},
	}
}

// transport bounds responses and records them in the recorder of the request's
// context.
type transport struct {
	base      *http.Transport
	userAgent string
}

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	recorded := recorderOf(request.Context())
	*recorded = recorder{}
	request = request.Clone(request.Context())
	request.Header.Set("User-Agent", t.userAgent)
	response, err := t.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	recorded.code = response.StatusCode
	// After 101 the body is the connection itself, which has no deadline.
	if response.StatusCode == http.StatusSwitchingProtocols {
		response.Body.Close()
		return nil, errors.New("status 101")
	}
	response.Body = &boundedBody{ReadCloser: response.Body, left: responseBytesMax, recorded: recorded}
	return response, nil
}

// CloseIdleConnections is called by http.Client.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// recorder has the status and the beginning of the newest response.
type recorder struct {
	code int
	body []byte
}

type recorderKey struct{}

// withRecorder returns a context whose requests are recorded.
func withRecorder(ctx context.Context) (context.Context, *recorder) {
	recorded := &recorder{}
	return context.WithValue(ctx, recorderKey{}, recorded), recorded
}

func recorderOf(ctx context.Context) *recorder {
	if recorded, ok := ctx.Value(recorderKey{}).(*recorder); ok {
		return recorded
	}
	return &recorder{}
}

// attempt returns the recorded response without the secrets.
func (r *recorder) attempt(secrets ...string) persistence.Attempt {
	body := r.body
	for _, secret := range secrets {
		body = bytes.ReplaceAll(body, []byte(secret), []byte(redacted))
	}
	return persistence.Attempt{Code: r.code, Answer: body[:min(len(body), persistence.AttemptAnswerBytesMax)]}
}

type boundedBody struct {
	io.ReadCloser
	left     int
	recorded *recorder
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errResponseTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	if left := recordedBytesMax - len(b.recorded.body); left > 0 {
		b.recorded.body = append(b.recorded.body, p[:min(n, left)]...)
	}
	return n, err
}

const redacted = "[redacted]"

// failure returns the error of a request without a usable response. It does not have
// the URL, which may contain a secret.
func (r *recorder) failure(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w: timeout", ErrUnreachable)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrUnreachable, ctx.Err())
	case errors.Is(err, errResponseTooLarge):
		return fmt.Errorf("%w: status %d: %w", ErrUnreachable, r.code, errResponseTooLarge)
	case r.code != 0:
		return fmt.Errorf("%w: status %d", ErrUnreachable, r.code)
	}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return fmt.Errorf("%w: %s", ErrUnreachable, short(err.Error()))
}

// short returns a text of a server as a short line for the journal.
func short(text string) string { return cut(clean(text), errorTextRunesMax) }

// without returns a text with its secrets redacted.
func without(text string, secrets ...string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	return text
}
