package okx

import (
	"errors"
	"strconv"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// pageAfter asks for the page after a row; the first one if that is empty.
func pageAfter(p restclient.Params, after string) restclient.Params {
	paged := p.With("limit", strconv.Itoa(ordersPage))
	if after != "" {
		paged = paged.With("after", after)
	}
	return paged
}

// eachPage reads pages, newest first, until read says that there are no more. A
// list longer than pagesMax is an error: half of it proves nothing.
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
	return venues.Errorf(venues.CodeExchangeUnavailable, "the venue's list is longer than %d pages", pagesMax).Because(errPagesMax)
}

var errPagesMax = errors.New("more pages than are read")
