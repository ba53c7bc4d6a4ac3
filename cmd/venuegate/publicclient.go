package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// clientOptions are the address of a service and the API key with which a command calls it.
type clientOptions struct{ URL, Key string }

// complete fills in a missing key and URL from the environment, or from the
// description of a demo that runs on the same data directory.
func (o *clientOptions) complete(config Config, environ []string) error {
	for _, variable := range environ {
		if value, found := strings.CutPrefix(variable, "VENUEGATE_KEY="); found && o.Key == "" {
			o.Key = value
		}
	}
	if o.URL == "" {
		scheme := "http://"
		if config.TLS.Cert != "" {
			scheme = "https://"
		}
		o.URL = scheme + config.Listen
		if !namesListener(config.Listen, DefaultConfig().Listen) {
			demo, err := calledDemo(config.Data)
			if err != nil {
				return err
			}
			if demo != nil {
				o.URL = demo.BaseURL
			}
		}
	}
	if demo, err := readDemoFile(config.Data); err == nil && o.Key == "" {
		o.Key = demo.APIKey
	}
	if o.Key == "" {
		return errors.New("no API key: set --key, VENUEGATE_KEY, or --data of a running demo")
	}
	return nil
}

const (
	pageTimeout  = 30 * time.Second
	pageBytesMax = 16 << 20
	// pageTriesMax bounds the requests for one page: a limit, and a service that starts, pass.
	pageTriesMax = 5
	// pageRetry is the wait after a response without Retry-After.
	pageRetry = time.Second
)

// publicClient reads lists of the public interface.
type publicClient struct {
	clientOptions
	http http.Client
}

func newPublicClient(o clientOptions) *publicClient {
	return &publicClient{o, http.Client{Timeout: pageTimeout}}
}

// each calls use with each record of a list, page by page.
func (c *publicClient) each(ctx context.Context, path string, query url.Values, use func(jsontext.Value) error) error {
	for {
		var page struct {
			Items      []jsontext.Value `json:"items"`
			NextCursor string           `json:"nextCursor"`
		}
		if err := c.get(ctx, path+"?"+query.Encode(), &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := use(item); err != nil {
				return err
			}
		}
		if page.NextCursor == "" {
			return nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

// get reads one response. It repeats requests that are answered 429 or 503.
func (c *publicClient) get(ctx context.Context, path string, out any) error {
	for try := 1; ; try++ {
		after, err := c.tryGet(ctx, path, out)
		if after == 0 || try == pageTriesMax {
			return err
		}
		select {
		case <-time.After(after):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryGet sends one request. after is the time after which it may be repeated, zero for never.
func (c *publicClient) tryGet(ctx context.Context, path string, out any) (after time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Key)
	response, err := c.http.Do(request)
	if err != nil {
		return 0, fmt.Errorf("no response from the service (is it running?): %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, pageBytesMax))
	if err != nil {
		return 0, fmt.Errorf("read the response: %w", err)
	}
	switch response.StatusCode {
	case http.StatusOK:
		return 0, json.Unmarshal(text, out)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		after = pageRetry
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
			after = time.Duration(seconds) * time.Second
		}
	}
	return after, responseError(response.Status, text)
}
