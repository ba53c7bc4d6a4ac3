package venuegate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// AttemptsMax is how often a request is sent: once, and five more times.
	AttemptsMax = 6
	// requestTimeout bounds one attempt. The service answers within 20 s.
	requestTimeout = 30 * time.Second
	// responseBytesMax bounds a response.
	responseBytesMax = 16 << 20
)

// Options configure a Client.
type Options struct {
	// URL is the address of the service, such as http://127.0.0.1:8080.
	URL string
	// Key is the API key.
	Key string
	// HTTP sends the requests; nil is a client with a timeout of 30 s.
	HTTP *http.Client
	// Attempts is how often a request is sent at most; zero is AttemptsMax.
	Attempts int
}

// Client calls the REST API. It is safe for concurrent use.
type Client struct {
	options Options
}

// NewClient returns a client. The error is that of an address that is not one.
func NewClient(o Options) (*Client, error) {
	address, err := url.Parse(o.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, fmt.Errorf("venuegate: %q is not an address such as http://127.0.0.1:8080", o.URL)
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	o.HTTP = cmp.Or(o.HTTP, &http.Client{Timeout: requestTimeout})
	o.Attempts = cmp.Or(o.Attempts, AttemptsMax)
	return &Client{o}, nil
}

// operation is a route of the service.
type operation struct{ method, path string }

// call makes a request, with repetitions, and decodes the response into out. query and in may
// be nil. The values of path replace the parameters of the route. uncertain reports whether the
// service may have carried out an attempt whose response was lost or an error of its own.
func (c *Client) call(ctx context.Context, op operation, query url.Values, in, out any, path ...string) (uncertain bool, err error) {
	var body []byte
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return false, fmt.Errorf("encode the request: %w", err)
		}
	}
	address := op.address(c.options.URL, query, path)
	for attempt := 1; ; attempt++ {
		err = c.send(ctx, op.method, address, body, out)
		uncertain = uncertain || isUncertain(err)
		if err == nil || attempt >= c.options.Attempts || ctx.Err() != nil || !isTemporary(err) {
			return uncertain, err
		}
		delay := backoff(attempt)
		if e, ok := errors.AsType[*APIError](err); ok {
			delay = max(delay, e.RetryAfter)
		}
		if wait(ctx, delay) != nil {
			return uncertain, err
		}
	}
}

// address returns the address of a request.
func (op operation) address(service string, query url.Values, values []string) string {
	path := op.path
	for _, value := range values {
		start, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		path = path[:start] + url.PathEscape(value) + path[end+1:]
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return service + path
}

// send makes one attempt.
func (c *Client) send(ctx context.Context, method, address string, body []byte, out any) error {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.options.Key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.options.HTTP.Do(request)
	if err != nil {
		return &transportError{err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, responseBytesMax+1))
	if err != nil {
		return &transportError{err}
	}
	if len(text) > responseBytesMax {
		return fmt.Errorf("the response has more than %d bytes", responseBytesMax)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return decodeError(response, text)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("decode the response to %s %s: %w", method, address, err)
	}
	return nil
}

// isTemporary reports whether a request may succeed if it is repeated.
func isTemporary(err error) bool {
	if e, ok := errors.AsType[*APIError](err); ok {
		return e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError
	}
	_, lost := errors.AsType[*transportError](err)
	return lost
}

// isUncertain reports whether a request may have been carried out in spite of its error.
func isUncertain(err error) bool {
	if e, ok := errors.AsType[*APIError](err); ok {
		return e.Status >= http.StatusInternalServerError
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return false // nothing was sent
	}
	return err != nil
}
