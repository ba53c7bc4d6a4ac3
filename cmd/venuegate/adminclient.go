package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"venuegate/transport/api"
	"venuegate/transport/recordapi"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// Limits of an administration call from the command line.
const (
	adminCallTimeout = 30 * time.Second
	adminResponseMax = 16 << 20
)

// adminClient calls the administration API of the service that owns a data
// directory.
type adminClient struct {
	url   string
	token venues.Secret
	http  *http.Client
}

func newAdminClient(config Config) (*adminClient, error) {
	token, err := readAdminToken(config.Data)
	if err != nil {
		return nil, fmt.Errorf("no service has run on %s: %w", config.Data, err)
	}
	address := "http://" + config.AdminListen
	if !namesListener(config.AdminListen, DefaultConfig().AdminListen) {
		demo, err := calledDemo(config.Data)
		if err != nil {
			return nil, err
		}
		if demo != nil {
			address = demo.AdminURL
		}
	}
	return &adminClient{url: address, token: token, http: &http.Client{
		Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true, ResponseHeaderTimeout: adminCallTimeout},
	}}, nil
}

// call sends a request with in as its body, if in is not nil, and decodes the
// response into out, if out is not nil.
func (c *adminClient) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader = http.NoBody
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(ctx, adminCallTimeout)
	defer cancel()
	response, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return decodeResponse(response, out)
}

// readPages returns the first records of a list, at most limit. A page may have fewer records
// than requested and still be followed by another.
func readPages[T any](ctx context.Context, c *adminClient, path string, query url.Values, limit int) ([]T, error) {
	var records []T
	for {
		query.Set("limit", strconv.Itoa(limit-len(records)))
		var page registry.Page[T]
		if err := c.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		records = append(records, page.Items...)
		if page.NextCursor == nil || len(records) >= limit {
			return records, nil
		}
		query.Set("cursor", *page.NextCursor)
	}
}

func (c *adminClient) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	if body != http.NoBody {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("no response from the service at %s (is it running?): %w", c.url, err)
	}
	return response, nil
}

// backup copies a backup into w.
func (c *adminClient) backup(ctx context.Context, w io.Writer) error {
	return c.copy(ctx, "/admin/v1/backup", "backup", w)
}

// copy copies a long response into w. what names it in errors.
func (c *adminClient) copy(ctx context.Context, path, what string, w io.Writer) error {
	body, err := c.open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // only read
	if _, err := io.Copy(w, body); err != nil {
		return fmt.Errorf("the %s is incomplete: %w", what, err)
	}
	return nil
}

// open returns the body of a long response.
func (c *adminClient) open(ctx context.Context, path string) (io.ReadCloser, error) {
	response, err := c.send(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		return nil, decodeResponse(response, nil)
	}
	return response.Body, nil
}

func decodeResponse(response *http.Response, out any) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, adminResponseMax))
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return statusError{responseError(response.Status, text), response.StatusCode}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("decode the response: %w", err)
	}
	return nil
}

// statusError is the error of a response with its status.
type statusError struct {
	error
	status int
}

// mayBeDone reports whether a request that failed may have been carried out.
func mayBeDone(err error) bool {
	if response, is := errors.AsType[statusError](err); is {
		return response.status == http.StatusInternalServerError
	}
	return !errors.Is(err, syscall.ECONNREFUSED)
}

// responseError returns the error of a response, with the allowed values of each
// invalid field.
func responseError(status string, text []byte) error {
	var envelope struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Details struct {
				Fields []venues.FieldError `json:"fields"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(text, &envelope) != nil || envelope.Error.Code == "" {
		return fmt.Errorf("the service responds with %s", status)
	}
	err := fmt.Errorf("%s: %s", envelope.Error.Code, envelope.Error.Message)
	for _, f := range envelope.Error.Details.Fields {
		if f.Allowed != "" {
			err = fmt.Errorf("%w\n  %s may be: %s%s", err, f.Field, f.Allowed, nearestAllowed(f))
		}
	}
	return err
}

// nearestAllowed returns a clause with the allowed value that a misspelled one is likely to
// mean, or "".
func nearestAllowed(f venues.FieldError) string {
	if f.Rule != api.RuleUnknownValue {
		return ""
	}
	return didYouMean(f.Given, strings.FieldsFunc(f.Allowed, func(r rune) bool { return r == ' ' || r == ',' }))
}

// create, list, change and end call the administration API for one kind of record.
func create[Out any](ctx context.Context, c *adminClient, kind string, in any) (out Out, err error) {
	err = c.call(ctx, http.MethodPost, "/admin/v1/"+kind, in, &out)
	return out, err
}

func list[Out any](ctx context.Context, c *adminClient, kind, customer string) ([]Out, error) {
	path := "/admin/v1/" + kind
	if customer != "" {
		path += "?customer=" + url.QueryEscape(customer)
	}
	var page recordapi.Items[Out]
	err := c.call(ctx, http.MethodGet, path, nil, &page)
	return page.Items, err
}

func change[Out any](ctx context.Context, c *adminClient, kind, id string, in any) (out Out, err error) {
	err = c.call(ctx, http.MethodPatch, "/admin/v1/"+kind+"/"+url.PathEscape(id), in, &out)
	return out, err
}

func end[Out any](ctx context.Context, c *adminClient, kind, id string) (out Out, err error) {
	err = c.call(ctx, http.MethodDelete, "/admin/v1/"+kind+"/"+url.PathEscape(id), nil, &out)
	return out, err
}

func check(ctx context.Context, c *adminClient, id string) ([]registry.CheckResult, error) {
	var page recordapi.Items[registry.CheckResult]
	err := c.call(ctx, http.MethodPost, "/admin/v1/accounts/"+url.PathEscape(id)+"/check", nil, &page)
	return page.Items, err
}
