package venue

import (
	"context"
	"sync"
	"time"

	"venuegate/venues"
)

// Limits of the books that reads keep open. They leave books to streams, whose number is
// BooksMaxDefault, and to the reads of other customers.
const (
	readBooksMax         = 256
	readBooksCustomerMax = 64
)

// BookSnapshot returns a snapshot of a symbol's book for a customer; see package book. The
// book is opened if it is not, and stays open for Deps.ReadKept. Errors are those of
// Subscribe, rate_limited if the customer or all of them keep too many books open by reads,
// and exchange_unavailable with the reason venues.ReasonStale if the book is not current.
func (c *Client) BookSnapshot(ctx context.Context, customer, symbol string, depth int) (f venues.Frame, err error) {
	i, err := c.served(symbol)
	if err != nil {
		return f, err
	}
	if err := c.reads.admit(customer, i.Symbol, time.Now()); err != nil {
		return f, err
	}
	err = c.withBook(ctx, i.Symbol, func(b Book, _ string) error {
		f, err = b.Snapshot(ctx, depth)
		return err
	})
	return f, err
}

// bookReads are the books of a venue that reads keep open. It is safe for concurrent use.
type bookReads struct {
	kept time.Duration
	mu   sync.Mutex
	last map[string]bookRead // by symbol
}

// bookRead is the last read of a book.
type bookRead struct {
	customer string
	at       time.Time
}

func newBookReads(kept time.Duration) bookReads {
	return bookReads{kept: kept, last: make(map[string]bookRead)}
}

// admit records a read, or returns rate_limited with the time until a book is released.
func (r *bookReads) admit(customer, symbol string, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, open := r.last[symbol]; !open {
		if err := r.makeRoom(customer, now); err != nil {
			return err
		}
	}
	r.last[symbol] = bookRead{customer, now}
	return nil
}

// makeRoom removes the books that are released, and returns an error if there are still too
// many. A book counts for the customer who read it last.
func (r *bookReads) makeRoom(customer string, now time.Time) error {
	ofCustomer, oldest, oldestOfCustomer := 0, now, now
	for symbol, read := range r.last {
		if now.Sub(read.at) >= r.kept {
			delete(r.last, symbol)
			continue
		}
		if read.at.Before(oldest) {
			oldest = read.at
		}
		if read.customer != customer {
			continue
		}
		ofCustomer++
		if read.at.Before(oldestOfCustomer) {
			oldestOfCustomer = read.at
		}
	}
	switch {
	case ofCustomer >= readBooksCustomerMax:
		return tooManyRead(readBooksCustomerMax, oldestOfCustomer.Add(r.kept).Sub(now))
	case len(r.last) >= readBooksMax:
		return tooManyRead(readBooksMax, oldest.Add(r.kept).Sub(now))
	}
	return nil
}

// tooManyRead returns the error of a book that reads must not open.
func tooManyRead(limit int, released time.Duration) *venues.Error {
	e := venues.Errorf(venues.CodeRateLimited, "reads keep %d books open; subscribe to books on the stream instead", limit).
		With("limit", limit)
	e.RetryAfter = released
	return e
}
