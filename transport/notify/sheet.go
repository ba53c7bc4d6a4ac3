package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/sheets/v4"

	"venuegate/persistence"
)

// SheetsURL and GoogleTokenURL are the URLs of Google's APIs.
const (
	SheetsURL      = "https://sheets.googleapis.com"
	GoogleTokenURL = "https://oauth2.googleapis.com/token" //nolint:gosec // an address, no token
)

// Ranges of the first sheet of a spreadsheet.
const (
	rangeAll      = "A:" + lastColumn
	rangeHeading  = "A1:" + lastColumn + "1"
	rangeLastHead = lastColumn + "1"
	rangeIDs      = lastColumn + "2:" + lastColumn
)

// quotaSec is the period of Google's quotas, which are per minute.
const quotaSec = 60

// SheetOptions configure a Sheet.
type SheetOptions struct {
	// URL and TokenURL are those of the Sheets API and of its token server; empty are
	// SheetsURL and GoogleTokenURL.
	URL      string
	TokenURL string
	// Unseal opens the JSON keys of service accounts.
	Unseal Unseal
	// UserAgent is the name and version of the service.
	UserAgent string
	// Timeout bounds one attempt; zero is TimeoutDefault.
	Timeout time.Duration
}

// Sheet adds rows to spreadsheets. It is safe for concurrent use.
type Sheet struct {
	options SheetOptions
	client  *http.Client
	api     *sheets.SpreadsheetsValuesService
	tokens  *tokens
}

// NewSheet returns a Sheet, which must be closed after the last Send, or the error of
// an invalid URL.
func NewSheet(o SheetOptions) (*Sheet, error) {
	var err error
	if o.URL, err = baseURL(o.URL, SheetsURL); err != nil {
		return nil, err
	}
	if o.TokenURL, err = baseURL(o.TokenURL, GoogleTokenURL); err != nil {
		return nil, err
	}
	if o.Timeout <= 0 {
		o.Timeout = TimeoutDefault
	}
	client := newClient(o.UserAgent)
	// The log of the library, which an environment variable enables, would contain
	// tokens.
	service, err := sheets.NewService(context.Background(),
		option.WithHTTPClient(client), option.WithEndpoint(o.URL+"/"), option.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, fmt.Errorf("make a client of the Sheets API: %w", err)
	}
	return &Sheet{options: o, client: client, api: service.Spreadsheets.Values, tokens: newTokens(o.TokenURL, client)}, nil
}

// Close closes idle connections.
func (s *Sheet) Close() { s.client.CloseIdleConnections() }

// Send adds the row of a closed trade to the endpoint's spreadsheet unless it is there
// already, and the headings if the sheet is empty. at is the current time.
func (s *Sheet) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, _ int, at time.Time) persistence.Attempt {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	row, err := tradeRow(e)
	if err != nil {
		return persistence.Attempt{Err: err}
	}
	c, err := s.open(ctx, to, at)
	if err != nil {
		return failedOpen(err)
	}
	ctx, recorded := withRecorder(ctx)
	err = c.add(ctx, row, e.ID)
	return c.result(ctx, recorded, err)
}

// failedOpen returns the attempt that ended before a request to the spreadsheet.
func failedOpen(err error) persistence.Attempt {
	out := persistence.Attempt{Err: err}
	if errors.Is(err, errKeyRejected) {
		out.Gone = err.Error()
	}
	return out
}

// sheetCall is an attempt at one spreadsheet with a token of its account.
type sheetCall struct {
	*Sheet
	spreadsheet string
	account     account
	token       string
}

// open returns a call on the spreadsheet of an endpoint.
func (s *Sheet) open(ctx context.Context, to persistence.Endpoint, at time.Time) (sheetCall, error) {
	if err := CheckTarget(persistence.EndpointSheet, to.Target); err != nil {
		return sheetCall{}, err
	}
	key, err := s.options.Unseal.of(to, at)
	if err != nil {
		return sheetCall{}, err
	}
	account, err := parseAccount(key)
	if err != nil {
		return sheetCall{}, err
	}
	token, err := s.tokens.of(ctx, account)
	if err != nil {
		return sheetCall{}, err
	}
	return sheetCall{Sheet: s, spreadsheet: to.Target, account: account, token: token}, nil
}

func (c sheetCall) authorization() string { return "Bearer " + c.token }

// read returns the headings, one a column, and the event ids.
func (c sheetCall) read(ctx context.Context) (heads, ids []string, err error) {
	call := c.api.BatchGet(c.spreadsheet).Ranges(rangeHeading, rangeIDs).MajorDimension("COLUMNS").Context(ctx)
	call.Header().Set("Authorization", c.authorization())
	response, err := call.Do()
	if err != nil {
		return nil, nil, err
	}
	if len(response.ValueRanges) != 2 || response.ValueRanges[0] == nil || response.ValueRanges[1] == nil {
		return nil, nil, errors.New("the response has other ranges")
	}
	return texts(response.ValueRanges[0]), texts(response.ValueRanges[1]), nil
}

func texts(r *sheets.ValueRange) []string {
	var all []string
	for _, column := range r.Values {
		for _, value := range column {
			text, _ := value.(string)
			all = append(all, text)
		}
	}
	return all
}

// add appends a row unless its event is there already.
func (c sheetCall) add(ctx context.Context, row []cell, eventID string) error {
	heads, ids, err := c.read(ctx)
	if err != nil || slices.Contains(ids, eventID) {
		return err
	}
	rows := &sheets.ValueRange{Values: [][]any{values(row)}}
	if len(heads) == 0 && len(ids) == 0 {
		rows.Values = [][]any{headingValues(), values(row)}
	}
	call := c.api.Append(c.spreadsheet, rangeAll, rows).ValueInputOption("RAW").InsertDataOption("INSERT_ROWS").Context(ctx)
	call.Header().Set("Authorization", c.authorization())
	_, err = call.Do()
	return err
}

func values(row []cell) []any {
	out := make([]any, len(row))
	for i, cell := range row {
		if cell.number {
			out[i] = json.Number(cell.text)
		} else {
			out[i] = cell.text
		}
	}
	return out
}

func headingValues() []any {
	out := make([]any, len(headings))
	for i, text := range headings {
		out[i] = text
	}
	return out
}

// result returns the attempt that a request completes.
func (c sheetCall) result(ctx context.Context, recorded *recorder, err error) persistence.Attempt {
	out := recorded.attempt(c.token)
	if err == nil {
		return out
	}
	rejected, ok := errors.AsType[*googleapi.Error](err)
	if !ok || rejected.Message == "" {
		out.Err = recorded.failure(ctx, err)
		return out
	}
	out.Err = c.rejection(rejected)
	out.RetryAfterSec = retryAfter(rejected.Header)
	switch rejected.Code {
	case http.StatusUnauthorized:
		c.tokens.drop(c.account) // the next attempt shows whether the key is still valid
	case http.StatusForbidden, http.StatusNotFound:
		out.Gone = out.Err.Error()
	case http.StatusTooManyRequests:
		out.Throttled = true
		if out.RetryAfterSec == 0 {
			out.RetryAfterSec = quotaSec
		}
	default:
	}
	return out
}

// rejection returns an error of the API for the customer.
func (c sheetCall) rejection(e *googleapi.Error) error {
	message := short(without(e.Message, c.token))
	switch e.Code {
	case http.StatusForbidden:
		return fmt.Errorf("the spreadsheet is not shared with %s as an editor: %s", c.account.email, message)
	case http.StatusNotFound:
		return fmt.Errorf("there is no such spreadsheet: %s", message)
	default:
		return fmt.Errorf("the Sheets API returned status %d: %s", e.Code, message)
	}
}

// retryAfter parses the Retry-After header in seconds; zero if it is absent or
// malformed.
func retryAfter(h http.Header) int {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return min(max(n, 0), retryAfterSecMax)
}
