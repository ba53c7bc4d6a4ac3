package venues_test

import (
	"slices"
	"testing"

	"venuegate/venues"
)

func TestEveryStatusReachesATerminalOne(t *testing.T) {
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
				t.Errorf("terminal status %s leads to %v, want nothing else", from, seen)
			}
			continue
		}
		for _, end := range []venues.OrderStatus{venues.StatusFilled, venues.StatusCancelled, venues.StatusExpired} {
			if !seen[end] {
				t.Errorf("%s cannot become %s, want a way", from, end)
			}
		}
	}
}

func TestNoStatusReturnsToPending(t *testing.T) {
	for _, from := range venues.OrderStatuses() {
		if from != venues.StatusPending && from.CanBecome(venues.StatusPending) {
			t.Errorf("%s can become pending", from)
		}
		if (from == venues.StatusOpen || from == venues.StatusPartiallyFilled) && from.CanBecome(venues.StatusRejected) {
			t.Errorf("%s can become rejected although the venue accepted it", from)
		}
	}
}

func TestStatusIsActiveClosedOrUnconfirmed(t *testing.T) {
	unconfirmed := []venues.OrderStatus{venues.StatusPending, venues.StatusUnknown}
	for _, s := range venues.OrderStatuses() {
		kinds := 0
		for _, is := range []bool{s.IsActive(), s.IsClosed(), slices.Contains(unconfirmed, s)} {
			if is {
				kinds++
			}
		}
		if kinds != 1 || !s.Valid() {
			t.Errorf("%s is of %d kinds, want 1", s, kinds)
		}
	}
	if venues.OrderStatus("weird").Valid() || venues.OrderStatus("weird").IsClosed() {
		t.Error("an unknown status is valid or closed")
	}
}

func TestSidesOfOrdersAndPositions(t *testing.T) {
	if venues.Buy.Opens() != venues.Long || venues.Sell.Opens() != venues.Short {
		t.Errorf("buy opens %s, sell opens %s, want long and short", venues.Buy.Opens(), venues.Sell.Opens())
	}
	for _, side := range []venues.Side{venues.Buy, venues.Sell} {
		if side.Reduces() == side.Opens() || side.Reduces().ClosedBy() != side || side.Opens().ClosedBy() != side.Opposite() {
			t.Errorf("%s opens %s and reduces %s, want opposite sides", side, side.Opens(), side.Reduces())
		}
	}
}
