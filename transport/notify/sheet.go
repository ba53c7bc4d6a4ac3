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

// SheetsURL and GoogleTokenURL are where Google's APIs are.
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

// quotaSec is after how many seconds Google's quotas, which are by the minute,
// begin anew.
const quotaSec = 60

// SheetOptions of a Sheet.
type SheetOptions struct {
	// URL and TokenURL are where the Sheets API is and where the tokens for it
	// are fetched; empty are SheetsURL and GoogleTokenURL.
	URL      string
	TokenURL string
	// Unseal opens the JSON keys of service accounts.
	Unseal Unseal
	// UserAgent names the service and its version.
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

// NewSheet makes a Sheet; an error says that a URL is none. Close it when
// nothing is sent any more.
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
	// The library's own log, which an environment variable turns on, would hold
	// tokens.
	service, err := sheets.NewService(context.Background(),
		option.WithHTTPClient(client), option.WithEndpoint(o.URL+"/"), option.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, fmt.Errorf("make a client of the Sheets API: %w", err)
	}
	return &Sheet{options: o, client: client, api: service.Spreadsheets.Values, tokens: newTokens(o.TokenURL, client)}, nil
}

// Close closes the connections that no attempt uses.
func (s *Sheet) Close() { s.client.CloseIdleConnections() }

// Send adds the row of a closed trade to the endpoint's spreadsheet, unless it
// is there, and the headings if the sheet is empty. at is now.
func (s *Sheet) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, _ int, at time.Time) persistence.Attempt {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	row, err := tradeRow(e)
	if err != nil {
		return persistence.Attempt{Err: err}
	}
	v, err := s.visit(ctx, to, at)
	if err != nil {
		return refusedKey(err)
	}
	ctx, seen := withExchange(ctx)
	err = v.add(ctx, row, e.ID)
	return v.outcome(ctx, seen, err)
}

// refusedKey is an attempt that ended before the spreadsheet was asked.
func refusedKey(err error) persistence.Attempt {
	out := persistence.Attempt{Err: err}
	if errors.Is(err, errKeyRefused) {
		out.Gone = err.Error()
	}
	return out
}

// visit is an attempt at one spreadsheet with the token of its account.
type visit struct {
	*Sheet
	spreadsheet string
	account     account
	token       string
}

func (s *Sheet) visit(ctx context.Context, to persistence.Endpoint, at time.Time) (visit, error) {
	if err := CheckTarget(persistence.EndpointSheet, to.Target); err != nil {
		return visit{}, err
	}
	key, err := s.options.Unseal.of(to, at)
	if err != nil {
		return visit{}, err
	}
	account, err := parseAccount(key)
	if err != nil {
		return visit{}, err
	}
	token, err := s.tokens.of(ctx, account)
	if err != nil {
		return visit{}, err
	}
	return visit{Sheet: s, spreadsheet: to.Target, account: account, token: token}, nil
}

func (v visit) authorization() string { return "Bearer " + v.token }

// read gives the headings, in columns as the API tells them, and the event ids.
func (v visit) read(ctx context.Context) (heads, ids []string, err error) {
	call := v.api.BatchGet(v.spreadsheet).Ranges(rangeHeading, rangeIDs).MajorDimension("COLUMNS").Context(ctx)
	call.Header().Set("Authorization", v.authorization())
	answer, err := call.Do()
	if err != nil {
		return nil, nil, err
	}
	if len(answer.ValueRanges) != 2 || answer.ValueRanges[0] == nil || answer.ValueRanges[1] == nil {
		return nil, nil, errors.New("the answer is about other ranges")
	}
	return texts(answer.ValueRanges[0]), texts(answer.ValueRanges[1]), nil
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

func (v visit) add(ctx context.Context, row []cell, eventID string) error {
	heads, ids, err := v.read(ctx)
	if err != nil || slices.Contains(ids, eventID) {
		return err
	}
	rows := &sheets.ValueRange{Values: [][]any{values(row)}}
	if len(heads) == 0 && len(ids) == 0 {
		rows.Values = [][]any{headingValues(), values(row)}
	}
	call := v.api.Append(v.spreadsheet, rangeAll, rows).ValueInputOption("RAW").InsertDataOption("INSERT_ROWS").Context(ctx)
	call.Header().Set("Authorization", v.authorization())
	_, err = call.Do()
	return err
}

func values(row []cell) []any {
	out := make([]any, len(row))
	for i, c := range row {
		if c.number {
			out[i] = json.Number(c.text)
		} else {
			out[i] = c.text
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

func (v visit) outcome(ctx context.Context, seen *exchange, err error) persistence.Attempt {
	out := seen.attempt(v.token)
	if err == nil {
		return out
	}
	refused, told := errors.AsType[*googleapi.Error](err)
	if !told || refused.Message == "" {
		out.Err = seen.failure(ctx, err)
		return out
	}
	out.Err = v.refusal(refused)
	out.RetryAfterSec = retryAfter(refused.Header)
	switch refused.Code {
	case http.StatusUnauthorized:
		v.tokens.drop(v.account) // the next attempt shows whether the key is still good
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

// refusal says in the customer's words what the API refused.
func (v visit) refusal(e *googleapi.Error) error {
	said := short(without(e.Message, v.token))
	switch e.Code {
	case http.StatusForbidden:
		return fmt.Errorf("the spreadsheet is not shared with %s as an editor: %s", v.account.email, said)
	case http.StatusNotFound:
		return fmt.Errorf("there is no such spreadsheet: %s", said)
	default:
		return fmt.Errorf("the Sheets API answered %d: %s", e.Code, said)
	}
}

// retryAfter reads the header in seconds; what it cannot read is no wish.
func retryAfter(h http.Header) int {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return min(max(n, 0), retryAfterSecMax)
}
