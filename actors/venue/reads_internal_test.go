package venue

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/venues"
)

func TestBooksKeptByReadsAreBounded(t *testing.T) {
	now := time.Unix(0, 0)
	r := newBookReads(time.Minute)
	read := func(customer string, n int) error { return r.admit(customer, fmt.Sprint(n), now) }
	refused := func(what string, err error, after time.Duration) {
		t.Helper()
		e, ok := errors.AsType[*venues.Error](err)
		if !ok || e.Code != venues.CodeRateLimited || e.RetryAfter != after {
			t.Errorf("%s: error = %v, want rate_limited with Retry-After %s", what, err, after)
		}
	}
	for n := range readBooksMax {
		if err := read(fmt.Sprint("cus_", n/readBooksCustomerMax), n); err != nil {
			t.Fatalf("read of book %d: %v", n, err)
		}
	}
	now = now.Add(10 * time.Second)
	refused("one book more of a customer", read("cus_0", readBooksMax), 50*time.Second)
	refused("one book more of all", read("cus_9", readBooksMax), 50*time.Second)
	for n := range readBooksCustomerMax {
		if err := read("cus_0", n); err != nil {
			t.Fatalf("another read of book %d: %v", n, err)
		}
	}
	refused("after they were read again", read("cus_0", readBooksMax), time.Minute)
	if err := read("cus_9", 0); err != nil {
		t.Errorf("read of an open book by another customer: %v", err)
	}
	now = now.Add(50 * time.Second)
	if err := read("cus_9", readBooksMax); err != nil {
		t.Errorf("after books are released: %v", err)
	}
	if got, want := len(r.last), readBooksCustomerMax+1; got != want {
		t.Errorf("%d books are kept, want %d", got, want)
	}
}
