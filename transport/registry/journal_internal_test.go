package registry

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// A filter that matches few rows ends its page after some reads. The cursor continues where the
// page has ended.
func TestPageOfFewMatchesEnds(t *testing.T) {
	const reads, every = 3*pageReadsMax + 1, 5
	at, calls := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), 0
	read := func(limit int, after *persistence.PagePosition) (persistence.Page[int], error) {
		n := 0
		if after != nil {
			n, _ = strconv.Atoi(after.ID)
		}
		if calls++; n != calls-1 {
			t.Fatalf("read %d begins after %d, want %d", calls, n, calls-1)
		}
		var page persistence.Page[int]
		if n%every == 0 {
			page.Items = []int{n}
		}
		if len(page.Items) > limit {
			t.Fatalf("limit = %d, want room for a record", limit)
		}
		if n++; n < reads {
			page.Next = &persistence.PagePosition{At: venues.At(at), ID: strconv.Itoa(n)}
		}
		return page, nil
	}
	var found []int
	cursor, pages := "", 0
	for {
		before := calls
		records, next, err := readPage(PageMax, cursor, read)
		if err != nil {
			t.Fatal(err)
		}
		found, pages = append(found, records...), pages+1
		if calls-before > pageReadsMax {
			t.Fatalf("%d reads for page %d, want at most %d", calls-before, pages, pageReadsMax)
		}
		if next == nil {
			break
		}
		cursor = *next
	}
	if want := []int{0, 5, 10, 15, 20}; !slices.Equal(found, want) || pages != 4 {
		t.Errorf("records = %v on %d pages, want %v on 4", found, pages, want)
	}
}
