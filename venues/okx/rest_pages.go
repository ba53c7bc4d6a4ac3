package okx

import (
	"context"
	"errors"
	"strconv"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// pageAfter returns the parameters for the page after a row; the first page if after is
// empty.
func pageAfter(p restclient.Params, after string) restclient.Params {
	paged := p.With("limit", strconv.Itoa(ordersPage))
	if after != "" {
		paged = paged.With("after", after)
	}
	return paged
}

// eachPage reads pages, newest first, until read reports that there are no more. A list
// longer than pagesMax is an error, because an incomplete list confirms no absence.
func eachPage(pagesMax int, read func(after string) (last string, more bool, err error)) error {
	after := ""
	for range pagesMax {
		last, more, err := read(after)
		if err != nil || !more {
			return err
		}
		if last == "" || last == after {
			return venues.Errorf(venues.CodeExchangeUnavailable, "the venue's pages do not advance")
		}
		after = last
	}
	return venues.Errorf(venues.CodeExchangeUnavailable, "the venue's list is longer than %d pages", pagesMax).Because(errTooManyPages)
}

// eachRecord reads the list that r requests, newest first, and calls take for each record.
// take returns the id of a record, by which the next page is requested; its errors are returned
// unchanged.
func eachRecord[T any](ctx context.Context, a *Account, r request, pagesMax int, take func(*T) (id string, err error)) error {
	query := r.query
	return eachPage(pagesMax, func(after string) (last string, more bool, err error) {
		var rows []T
		r.query = pageAfter(query, after)
		if err := a.c.call(ctx, r, &rows); err != nil {
			return "", false, err
		}
		for n := range rows {
			if last, err = take(&rows[n]); err != nil {
				return "", false, err
			}
		}
		return last, len(rows) == ordersPage, nil
	})
}

var errTooManyPages = errors.New("more pages than are read")
