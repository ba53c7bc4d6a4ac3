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
	// TimeoutDefault bounds an attempt, all its requests together.
	TimeoutDefault = 10 * time.Second
	// answerBytesMax bounds an answer, unpacked. The longest is the column of
	// event ids of a spreadsheet: some 100,000 rows.
	answerBytesMax = 4 << 20
	// answerKeptBytes is what is kept until secrets are taken out of it; then it
	// is cut to persistence.AttemptAnswerBytesMax.
	answerKeptBytes = 2 * persistence.AttemptAnswerBytesMax

	answerHeaderBytesMax = 64 << 10
	connIdleMax          = 30 * time.Second
	connsIdleMax         = 16
	dialMax              = 5 * time.Second
	tlsHandshakeMax      = 5 * time.Second
	retryAfterSecMax     = 7 * 24 * 60 * 60
	errorTextRunesMax    = 300
)

// ErrUnreachable: the other end did not answer, or not as its API does; what was
// asked is not known.
var ErrUnreachable = errors.New("the other end gives no usable answer")

var errAnswerTooLarge = errors.New("the answer is too large")

// newClient is the way out, the same for every API. HTTP/2 stays off: all
// endpoints would share one connection, and one that is dead would hold them all.
func newClient(userAgent string) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &transport{userAgent: userAgent, base: &http.Transport{
			DialContext:            (&net.Dialer{Timeout: dialMax}).DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    tlsHandshakeMax,
			MaxResponseHeaderBytes: answerHeaderBytesMax,
			MaxIdleConns:           connsIdleMax,
			MaxIdleConnsPerHost:    connsIdleMax,
			IdleConnTimeout:        connIdleMax,
		}},
	}
}

// transport bounds answers and tells them to the exchange of the request's
// context.
type transport struct {
	base      *http.Transport
	userAgent string
}

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	seen := exchangeOf(request.Context())
	*seen = exchange{}
	request = request.Clone(request.Context())
	request.Header.Set("User-Agent", t.userAgent)
	response, err := t.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	seen.code = response.StatusCode
	// After 101 the body is the connection itself, which no deadline ends.
	if response.StatusCode == http.StatusSwitchingProtocols {
		response.Body.Close()
		return nil, errors.New("answered 101")
	}
	response.Body = &boundedBody{ReadCloser: response.Body, left: answerBytesMax, seen: seen}
	return response, nil
}

// CloseIdleConnections is found by http.Client.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// exchange is what the newest request was answered.
type exchange struct {
	code int
	kept []byte
}

type exchangeKey struct{}

// withExchange lets the requests of a context be heard.
func withExchange(ctx context.Context) (context.Context, *exchange) {
	seen := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, seen), seen
}

func exchangeOf(ctx context.Context) *exchange {
	if seen, heard := ctx.Value(exchangeKey{}).(*exchange); heard {
		return seen
	}
	return &exchange{}
}

// attempt is what the exchange came to, without the secrets given.
func (x *exchange) attempt(secrets ...string) persistence.Attempt {
	answer := x.kept
	for _, secret := range secrets {
		answer = bytes.ReplaceAll(answer, []byte(secret), []byte(redacted))
	}
	return persistence.Attempt{Code: x.code, Answer: answer[:min(len(answer), persistence.AttemptAnswerBytesMax)]}
}

type boundedBody struct {
	io.ReadCloser
	left int
	seen *exchange
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errAnswerTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	if room := answerKeptBytes - len(b.seen.kept); room > 0 {
		b.seen.kept = append(b.seen.kept, p[:min(n, room)]...)
	}
	return n, err
}

const redacted = "[redacted]"

// failure says why a request has no usable answer, in few words and without its
// address, which can hold a secret.
func (x *exchange) failure(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w: none in time", ErrUnreachable)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrUnreachable, ctx.Err())
	case errors.Is(err, errAnswerTooLarge):
		return fmt.Errorf("%w: answered %d: %w", ErrUnreachable, x.code, errAnswerTooLarge)
	case x.code != 0:
		return fmt.Errorf("%w: answered %d", ErrUnreachable, x.code)
	}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return fmt.Errorf("%w: %s", ErrUnreachable, short(err.Error()))
}

// short makes what the other end said fit for a line of the journal.
func short(text string) string { return cut(clean(text), errorTextRunesMax) }

// without takes secrets out of a text.
func without(text string, secrets ...string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	return text
}
