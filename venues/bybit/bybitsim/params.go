package bybitsim

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// decode decodes the JSON body of a call.
func (c *call) decode(into any) *apiError {
	if json.Unmarshal(c.body, into) != nil {
		return errTypes
	}
	return nil
}

// amount is a decimal of a request: a string, where the empty one counts as absent.
type amount struct {
	decimal.Decimal
	set bool
}

// UnmarshalJSON accepts strings only, as the venue does.
func (a *amount) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil || text == "" {
		return err
	}
	parsed, err := venues.ParseDecimal(text)
	a.Decimal, a.set = parsed, err == nil
	return err
}

// category checks the category, which every call requires.
func category(text string) *apiError {
	if text != "linear" {
		return errCategory
	}
	return nil
}

// listed returns the listing of a symbol.
func (s *Sim) listed(symbol string) (*listing, *apiError) {
	if l, ok := s.listings[symbol]; ok {
		return l, nil
	}
	return nil, errSymbol
}

// queried returns the listing of the query's symbol, nil where it has none.
func (s *Sim) queried(c *call) (*listing, *apiError) {
	if failed := category(c.query.Get("category")); failed != nil {
		return nil, failed
	}
	symbol := c.query.Get("symbol")
	if symbol == "" {
		return nil, nil
	}
	return s.listed(symbol)
}

// limit returns the page size, otherwise where it was not sent, and at most most.
func (c *call) limit(otherwise, most int) (int, *apiError) {
	text := c.query.Get("limit")
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, errParam("params error: limit invalid")
	}
	return min(n, most), nil
}

// timeOf returns a time sent in milliseconds, zero where it was not sent.
func (c *call) timeOf(name string) (time.Time, *apiError) {
	text := c.query.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 {
		return time.Time{}, errParam("params error: %s invalid", name)
	}
	return time.UnixMilli(ms), nil
}

// span returns the time range of a history query: at most seven days, with one bound
// the usual length after or before it, without any the last such length.
func (c *call) span(usual time.Duration) (from, to time.Time, failed *apiError) {
	if from, failed = c.timeOf("startTime"); failed != nil {
		return from, to, failed
	}
	if to, failed = c.timeOf("endTime"); failed != nil {
		return from, to, failed
	}
	switch {
	case from.IsZero() && to.IsZero():
		from, to = c.now.Add(-usual), c.now
	case from.IsZero():
		from = to.Add(-usual)
	case to.IsZero():
		to = from.Add(usual)
	case to.Before(from) || to.Sub(from) > queryWindowMax:
		return from, to, errWindow
	}
	return from, to, nil
}

// within reports whether a time, in whole milliseconds, is in a span that includes
// both its ends.
func within(at, from, to time.Time) bool {
	at = at.Truncate(time.Millisecond)
	return !at.Before(from) && !at.After(to)
}

// paginate returns a page of a list. The cursor holds the keys of the first and the
// last item of the page, percent-encoded, and is not empty on the last page either.
func paginate[T any](c *call, list []T, limit int, key func(*T) string) (page []T, cursor string, failed *apiError) {
	if after := c.query.Get("cursor"); after != "" {
		_, last, found := strings.Cut(after, ",")
		if !found {
			return nil, "", errCursor
		}
		list = itemsAfter(list, last, key)
	}
	page = list[:min(limit, len(list))]
	if len(page) == 0 {
		return []T{}, "", nil
	}
	return page, url.QueryEscape(key(&page[0]) + "," + key(&page[len(page)-1])), nil
}

func itemsAfter[T any](list []T, last string, key func(*T) string) []T {
	for i := range list {
		if key(&list[i]) == last {
			return list[i+1:]
		}
	}
	return nil
}

// page is the result of calls that return lists.
type page[T any] struct {
	Category string `json:"category"`
	List     []T    `json:"list"`
	Cursor   string `json:"nextPageCursor"`
}

func linear[T any](list []T, cursor string) page[T] { return page[T]{"linear", list, cursor} }
