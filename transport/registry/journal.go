package registry

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

const (
	// PageDefault is the page size of a request without a limit.
	PageDefault = 100
	// PageMax is the largest page size of a list.
	PageMax = persistence.PageSizeMax
	// pageReadsMax bounds the reads of a store for one page of a list. Each scans at most
	// persistence.ScanRowsMax rows, matching or not.
	pageReadsMax = 8
	// cursorCharsMax bounds the length of a cursor.
	cursorCharsMax = 256
)

// JournalStore reads journals.
type JournalStore interface {
	Journal(ctx context.Context, q persistence.JournalQuery) (persistence.Page[persistence.JournalEntry], error)
}

// Journal reads the journals of customers and, outside of a customer's view, that of
// the installation.
type Journal struct {
	scope
	store JournalStore
}

// Row is a row of a journal.
type Row struct {
	ID      string                     `json:"id"`
	Seq     uint64                     `json:"seq"`
	At      venues.Time                `json:"at"`
	Kind    string                     `json:"kind"`
	Subject string                     `json:"subject"`
	Channel string                     `json:"channel,omitzero"`
	Symbol  string                     `json:"symbol,omitzero"`
	Result  string                     `json:"result,omitzero"`
	Fields  []persistence.JournalField `json:"fields"`
}

// Page is one page of a list. NextCursor is null on the last one: a page may have fewer items
// than requested, or none, and still be followed by another.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

// JournalFilter selects rows of a customer's journal, newest first. An empty
// Customer is the installation, or the customer of the view. Other zero members do
// not filter; From is inclusive, To exclusive.
type JournalFilter struct {
	Customer, Channel, Symbol, Kind, Result, Subject string
	// Text is a part of any member or field of a row, without regard to case.
	Text string

	From, To time.Time
	Limit    int
	Cursor   string
}

// Verified is the result of checking the chain of the installation's journal.
type Verified struct {
	Rows   int          `json:"rows"`
	Intact bool         `json:"intact"`
	Break  *BrokenChain `json:"break"`
}

// BrokenChain is the first row that does not match; see ChainBreak.
type BrokenChain struct {
	Seq    uint64 `json:"seq"`
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// query returns the query of a filter. It returns an error unless the customer
// exists.
func (j *Journal) query(ctx context.Context, f JournalFilter) (persistence.JournalQuery, error) {
	customer, err := j.resolve(f.Customer)
	if err == nil && customer != "" {
		err = j.check(ctx, customer)
	}
	return persistence.JournalQuery{
		Customer: customer, Kind: f.Kind, Subject: f.Subject, Channel: f.Channel, Symbol: f.Symbol, Result: f.Result,
		From: f.From, To: f.To,
	}, err
}

// List returns a page of a journal.
func (j *Journal) List(ctx context.Context, f JournalFilter) (Page[Row], error) {
	q, err := j.query(ctx, f)
	if err != nil {
		return Page[Row]{}, err
	}
	rows, next, err := readPage(f.Limit, f.Cursor, func(limit int, after *persistence.PagePosition) (persistence.Page[persistence.JournalEntry], error) {
		q.After = after
		return j.search(ctx, q, f.Text, limit)
	})
	if err != nil {
		return Page[Row]{}, fmt.Errorf("read the journal: %w", err)
	}
	sortRows(rows)
	page := Page[Row]{Items: make([]Row, len(rows)), NextCursor: next}
	for i := range rows {
		page.Items[i] = rowOf(&rows[i])
	}
	return page, nil
}

// search returns at most limit rows that a query selects and that have a text. It reads one page
// of the store: with a text, one of the largest size.
func (j *Journal) search(ctx context.Context, q persistence.JournalQuery, text string, limit int) (persistence.Page[persistence.JournalEntry], error) {
	if q.Limit = limit; text != "" {
		q.Limit = persistence.PageSizeMax
	}
	page, err := j.store.Journal(ctx, q)
	if err != nil || text == "" {
		return page, err
	}
	read := len(page.Items)
	for i := range page.Items {
		if !hasText(&page.Items[i], text) {
			continue
		}
		if limit--; limit == 0 && i+1 < read {
			last := &page.Items[i]
			page.Items, page.Next = page.Items[:i+1], &persistence.PagePosition{At: last.At, ID: last.ID}
			break
		}
	}
	page.Items = slices.DeleteFunc(page.Items, func(e persistence.JournalEntry) bool { return !hasText(&e, text) })
	return page, nil
}

// hasText reports whether a member or field of a row has a part.
func hasText(e *persistence.JournalEntry, part string) bool {
	return containsFold(part, e.ID, e.Kind, e.Subject, e.Channel, e.Symbol, e.Result) ||
		slices.ContainsFunc(e.Fields, func(f persistence.JournalField) bool { return containsFold(part, f.Value) })
}

// eachRow calls do with every row that the query selects and that has the text, until it returns
// an error.
func (j *Journal) eachRow(ctx context.Context, q persistence.JournalQuery, text string, do func(Row) error) error {
	for {
		page, err := j.store.Journal(ctx, q)
		if err != nil {
			return fmt.Errorf("read the journal: %w", err)
		}
		sortRows(page.Items)
		for i := range page.Items {
			if text != "" && !hasText(&page.Items[i], text) {
				continue
			}
			if err := do(rowOf(&page.Items[i])); err != nil {
				return err
			}
		}
		if page.Next == nil {
			return nil
		}
		q.After = page.Next
	}
}

// sortRows sorts rows of equal time by their sequence: a store sorts by time and
// id.
func sortRows(rows []persistence.JournalEntry) {
	slices.SortStableFunc(rows, func(a, b persistence.JournalEntry) int {
		if !a.At.Equal(b.At.Time) {
			return b.At.Compare(a.At.Time)
		}
		return cmp.Compare(b.Seq, a.Seq)
	})
}

func rowOf(e *persistence.JournalEntry) Row {
	return Row{
		ID: e.ID, Seq: e.Seq, At: e.At, Kind: e.Kind, Subject: e.Subject,
		Channel: e.Channel, Symbol: e.Symbol, Result: e.Result, Fields: e.Fields,
	}
}

// pageBounds returns the limit and the beginning of a requested page.
func pageBounds(limit int, cursor string) (int, *persistence.PagePosition, error) {
	if limit < 0 || limit > PageMax {
		return 0, nil, api.FieldError("limit", api.RuleOutOfRange, strconv.Itoa(limit), "1 to "+strconv.Itoa(PageMax))
	}
	if limit == 0 {
		limit = PageDefault
	}
	after, err := parseCursor(cursor)
	return limit, after, err
}

// readPage reads pages, which a store may cut short, until it has as many records
// as requested, at most pageReadsMax times. A limit of zero is PageDefault.
func readPage[T any](limit int, cursor string, read func(limit int, after *persistence.PagePosition) (persistence.Page[T], error)) ([]T, *string, error) {
	limit, after, err := pageBounds(limit, cursor)
	if err != nil {
		return nil, nil, err
	}
	var records []T
	for reads := 0; reads < pageReadsMax && len(records) < limit; reads++ {
		page, err := read(limit-len(records), after)
		if err != nil {
			return nil, nil, err
		}
		records = append(records, page.Items...)
		if after = page.Next; after == nil {
			return records, nil, nil
		}
	}
	next, err := formatCursor(after)
	return records, &next, err
}

func formatCursor(p *persistence.PagePosition) (string, error) {
	text, err := json.Marshal(p)
	return base64.RawURLEncoding.EncodeToString(text), err
}

func parseCursor(cursor string) (*persistence.PagePosition, error) {
	if cursor == "" {
		return nil, nil //nolint:nilnil // from the beginning
	}
	var p persistence.PagePosition
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(cursor) <= cursorCharsMax {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || p.ID == "" {
		return nil, api.FieldError("cursor", api.RuleMalformed, "", "nextCursor of the page before")
	}
	return &p, nil
}
