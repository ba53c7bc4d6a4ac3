package bybit

import (
	"context"
	"net/url"
	"strconv"

	"venuegate/venues"
)

// pagesMax bounds the pages of one call.
const pagesMax = 500

// page is one page of a list.
type page[T any] struct {
	List   []T    `json:"list"`
	Cursor string `json:"nextPageCursor"`
}

// pages reads all pages of a list, size rows each. The last page has a cursor too, so a
// page that is not full also ends the list.
func pages[T any](ctx context.Context, c *Connector, r request, size int) ([]T, error) {
	var all []T
	cursors := make(map[string]bool)
	base := r.params.With("limit", strconv.Itoa(size))
	for cursor, n := "", 0; ; n++ {
		if n == pagesMax {
			return nil, venues.Errorf(venues.CodeExchangeUnavailable, "%s %s: more than %d pages", r.method, r.path, pagesMax)
		}
		r.params = base
		if cursor != "" {
			r.params = base.With("cursor", cursor)
		}
		var answer page[T]
		if err := c.call(ctx, r, &answer); err != nil {
			return nil, err
		}
		all = append(all, answer.List...)
		if len(answer.List) < size || answer.Cursor == "" || cursors[answer.Cursor] {
			return all, nil
		}
		cursors[answer.Cursor] = true
		// Cursors are percent-encoded and encoded again when sent.
		decoded, err := url.PathUnescape(answer.Cursor)
		if err != nil {
			return nil, malformed(r, err)
		}
		cursor = decoded
	}
}
