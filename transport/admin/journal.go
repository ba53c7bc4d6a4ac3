package admin

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
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
	pageDefault = 100
	pageMax     = persistence.PageSizeMax
	// cursorCharsMax bounds what is taken for a cursor.
	cursorCharsMax = 256
)

// Row is one line of a journal.
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

// Page of a list that may be long. NextCursor is null on the last one.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

// JournalFilter selects rows of a customer's journal, or of the installation's
// if Customer is empty; newest first. Zero members do not filter; From is
// inclusive, To exclusive.
type JournalFilter struct {
	Customer, Channel, Symbol, Kind, Result, Subject string

	From, To time.Time
	Limit    int
	Cursor   string
}

// Verified says whether the installation's journal is as it was written.
type Verified struct {
	Rows   int          `json:"rows"`
	Intact bool         `json:"intact"`
	Break  *BrokenChain `json:"break"`
}

// BrokenChain is the first row at which it is not.
type BrokenChain struct {
	Seq    uint64 `json:"seq"`
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func (f *JournalFilter) query() persistence.JournalQuery {
	return persistence.JournalQuery{
		Customer: f.Customer, Kind: f.Kind, Subject: f.Subject, Channel: f.Channel, Symbol: f.Symbol, Result: f.Result,
		From: f.From, To: f.To,
	}
}

// Journal gives one page of a journal.
func (r *Registry) Journal(ctx context.Context, f JournalFilter) (Page[Row], error) {
	if err := r.checkJournalOwner(ctx, f.Customer); err != nil {
		return Page[Row]{}, err
	}
	q := f.query()
	rows, next, err := gather(f.Limit, f.Cursor, func(limit int, after *persistence.Position) (persistence.Page[persistence.JournalEntry], error) {
		q.Limit, q.After = limit, after
		return r.Store.Journal(ctx, q)
	})
	if err != nil {
		return Page[Row]{}, fmt.Errorf("read the journal: %w", err)
	}
	inOrder(rows)
	page := Page[Row]{Items: make([]Row, len(rows)), NextCursor: next}
	for i := range rows {
		page.Items[i] = rowOf(&rows[i])
	}
	return page, nil
}

// EachRow calls do with every row that the filter selects, until it fails.
func (r *Registry) EachRow(ctx context.Context, f JournalFilter, do func(Row) error) error {
	q := f.query()
	for {
		page, err := r.Store.Journal(ctx, q)
		if err != nil {
			return fmt.Errorf("read the journal: %w", err)
		}
		inOrder(page.Items)
		for i := range page.Items {
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

// VerifyJournal walks the chain of the installation's journal.
func (r *Registry) VerifyJournal(ctx context.Context) (Verified, error) {
	rows, err := r.Verify(ctx)
	if broken, is := errors.AsType[*ChainBreak](err); is {
		return Verified{Rows: rows, Break: &BrokenChain{broken.Seq, broken.ID, broken.Reason}}, nil
	}
	return Verified{Rows: rows, Intact: err == nil}, err
}

// inOrder puts rows of one moment in the order in which they were written: a
// store gives them by their moments.
func inOrder(rows []persistence.JournalEntry) {
	slices.SortStableFunc(rows, func(a, b persistence.JournalEntry) int {
		if !a.At.Equal(b.At.Time) {
			return b.At.Compare(a.At.Time)
		}
		return cmp.Compare(b.Seq, a.Seq)
	})
}

func (r *Registry) checkJournalOwner(ctx context.Context, customer string) error {
	if customer == "" {
		return nil
	}
	return r.checkCustomer(ctx, customer)
}

func rowOf(j *persistence.JournalEntry) Row {
	return Row{
		ID: j.ID, Seq: j.Seq, At: j.At, Kind: j.Kind, Subject: j.Subject,
		Channel: j.Channel, Symbol: j.Symbol, Result: j.Result, Fields: j.Fields,
	}
}

// gather reads pages, which a store may cut short, until there are as many
// records as asked for.
func gather[T any](limit int, cursor string, read func(limit int, after *persistence.Position) (persistence.Page[T], error)) ([]T, *string, error) {
	if limit < 0 || limit > pageMax {
		return nil, nil, api.Fault("limit", api.RuleOutOfRange, strconv.Itoa(limit), "1 to "+strconv.Itoa(pageMax))
	}
	if limit == 0 {
		limit = pageDefault
	}
	after, err := positionOf(cursor)
	if err != nil {
		return nil, nil, err
	}
	var records []T
	for {
		page, err := read(limit-len(records), after)
		if err != nil {
			return nil, nil, err
		}
		records = append(records, page.Items...)
		if page.Next == nil {
			return records, nil, nil
		}
		if after = page.Next; len(records) >= limit {
			next, err := cursorOf(after)
			return records, &next, err
		}
	}
}

func cursorOf(p *persistence.Position) (string, error) {
	text, err := json.Marshal(p)
	return base64.RawURLEncoding.EncodeToString(text), err
}

func positionOf(cursor string) (*persistence.Position, error) {
	if cursor == "" {
		return nil, nil //nolint:nilnil // from the beginning
	}
	var p persistence.Position
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(cursor) <= cursorCharsMax {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || p.ID == "" {
		return nil, api.Fault("cursor", api.RuleMalformed, "", "nextCursor of the page before")
	}
	return &p, nil
}
