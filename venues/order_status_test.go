package venues_test

import (
	"slices"
	"testing"

	"venuegate/venues"
)

func TestEveryOrderCanEnd(t *testing.T) {
	for _, from := range venues.OrderStatuses() {
		seen := map[venues.OrderStatus]bool{from: true}
		queue := []venues.OrderStatus{from}
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			for _, next := range venues.OrderStatuses() {
				if at.CanBecome(next) && !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
		if from.IsClosed() {
			if len(seen) != 1 {
				t.Errorf("%s is terminal and leads to %v", from, seen)
			}
			continue
		}
		for _, end := range []venues.OrderStatus{venues.StatusFilled, venues.StatusCancelled, venues.StatusExpired} {
			if !seen[end] {
				t.Errorf("%s never becomes %s", from, end)
			}
		}
	}
}

func TestNothingReturnsToPending(t *testing.T) {
	for _, from := range venues.OrderStatuses() {
		if from != venues.StatusPending && from.CanBecome(venues.StatusPending) {
			t.Errorf("%s may become pending", from)
		}
		if (from == venues.StatusOpen || from == venues.StatusPartiallyFilled) && from.CanBecome(venues.StatusRejected) {
			t.Errorf("%s may become rejected: the venue had it", from)
		}
	}
}

func TestStatusesAreActiveClosedOrUnproven(t *testing.T) {
	unproven := []venues.OrderStatus{venues.StatusPending, venues.StatusUnknown}
	for _, s := range venues.OrderStatuses() {
		kinds := 0
		for _, is := range []bool{s.IsActive(), s.IsClosed(), slices.Contains(unproven, s)} {
			if is {
				kinds++
			}
		}
		if kinds != 1 || !s.Valid() {
			t.Errorf("%s is of %d kinds", s, kinds)
		}
	}
	if venues.OrderStatus("weird").Valid() || venues.OrderStatus("weird").IsClosed() {
		t.Error("a foreign status was taken")
	}
}
