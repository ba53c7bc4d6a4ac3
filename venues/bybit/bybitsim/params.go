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

// decodeLinear decodes the JSON body of a call, whose category is decoded into
// categoryOf.
func (c *call) decodeLinear(into any, categoryOf *string) *apiError {
	if failed := c.decode(into); failed != nil {
		return failed
	}
	return category(*categoryOf)
}

// refuse records the error of a parameter, unless an earlier one has an error.
func (c *call) refuse(failed *apiError) {
	if c.invalid == nil {
		c.invalid = failed
	}
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
func (s *Sim) queried(c *call) (l *listing) {
	failed := category(c.query.Get("category"))
	if symbol := c.query.Get("symbol"); failed == nil && symbol != "" {
		l, failed = s.listed(symbol)
	}
	c.refuse(failed)
	return l
}

// queriedOne is queried for a query that must have a symbol.
func (s *Sim) queriedOne(c *call) *listing {
	l := s.queried(c)
	if l == nil {
		c.refuse(errSymbol)
	}
	return l
}

// selected returns the listings that a query selects: that of its symbol, or all.
func (s *Sim) selected(c *call) []*listing {
	if l := s.queried(c); l != nil || c.invalid != nil {
		return []*listing{l}
	}
	all := make([]*listing, len(s.symbols))
	for n, symbol := range s.symbols {
		all[n] = s.listings[symbol]
	}
	return all
}

// limit returns the page size, otherwise where it was not sent, and at most most.
func (c *call) limit(otherwise, most int) int {
	text := c.query.Get("limit")
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		c.refuse(errParam("params error: limit invalid"))
	}
	return min(n, most)
}

// timeOf returns a time sent in milliseconds, zero where it was not sent.
func (c *call) timeOf(name string) time.Time {
	text := c.query.Get(name)
	if text == "" {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 {
		c.refuse(errParam("params error: %s invalid", name))
	}
	return time.UnixMilli(ms)
}

// span returns the time range of a history query: at most seven days, with one bound
// the usual length after or before it, without any the last such length.
func (c *call) span(usual time.Duration) (from, to time.Time) {
	from, to = c.timeOf("startTime"), c.timeOf("endTime")
	switch {
	case from.IsZero() && to.IsZero():
		from, to = c.now.Add(-usual), c.now
	case from.IsZero():
		from = to.Add(-usual)
	case to.IsZero():
		to = from.Add(usual)
	case to.Before(from) || to.Sub(from) > queryWindowMax:
		c.refuse(errWindow)
	}
	return from, to
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

// linearPage returns a page of a list.
func linearPage[T any](c *call, list []T, limit int, key func(*T) string) (any, *apiError) {
	list, cursor, failed := paginate(c, list, limit, key)
	if failed != nil {
		return nil, failed
	}
	return linear(list, cursor), nil
}
