//go:build chaos

package chaos

import (
	"testing"

	"venuegate/persistence"
	"venuegate/venues"
)

// TestModel checks which responses under one request id are consistent.
func TestModel(t *testing.T) {
	call := func(began, ended int64, o outcome, orderID string) op {
		return op{requestID: "r", began: began, ended: ended, answer: answer{outcome: o, orderID: orderID}}
	}
	order := func(id string, status venues.OrderStatus) persistence.OrderRecord {
		return persistence.OrderRecord{Order: venues.Order{OrderID: id, RequestID: "r", Status: status}}
	}
	unanswered := call(0, forever, outcomeUnknown, "")
	open, other, rejected := order("a", venues.StatusOpen), order("b", venues.StatusOpen), order("a", venues.StatusRejected)
	for _, c := range []struct {
		name   string
		calls  []op
		orders []persistence.OrderRecord
		fits   bool
	}{
		{"one", []op{call(0, 1, outcomeOK, "a")}, []persistence.OrderRecord{open}, true},
		{"repeat", []op{call(0, 1, outcomeOK, "a"), call(2, 3, outcomeDuplicate, "a")}, []persistence.OrderRecord{open}, true},
		{"repeat during the first", []op{call(0, 9, outcomeOK, "a"), call(2, 3, outcomeDuplicate, "a")}, []persistence.OrderRecord{open}, true},
		{"repeat before the first", []op{call(5, 9, outcomeOK, "a"), call(2, 3, outcomeDuplicate, "a")}, []persistence.OrderRecord{open}, false},
		{"repeat sees another", []op{call(0, 1, outcomeOK, "a"), call(2, 3, outcomeDuplicate, "b")}, []persistence.OrderRecord{open}, false},
		{"two orders", []op{call(0, 1, outcomeOK, "a"), call(2, 3, outcomeOK, "b")}, []persistence.OrderRecord{open, other}, false},
		{"acknowledged twice as new", []op{call(0, 1, outcomeOK, "a"), call(2, 3, outcomeOK, "a")}, []persistence.OrderRecord{open}, false},
		{"no answer, no order", []op{unanswered}, nil, true},
		{"no answer, an order", []op{unanswered, call(5, 6, outcomeDuplicate, "a")}, []persistence.OrderRecord{open}, true},
		{"no answer, then another order", []op{unanswered, call(5, 6, outcomeOK, "b")}, []persistence.OrderRecord{open, other}, false},
		{"freed, then another", []op{call(0, 1, outcomeRefused, "a"), call(2, 3, outcomeOK, "b")}, []persistence.OrderRecord{rejected, other}, true},
		{"seen before it was freed", []op{call(0, 4, outcomeRefused, "a"), call(2, 3, outcomeDuplicate, "a")}, []persistence.OrderRecord{rejected}, true},
		{"seen after another took it", []op{call(0, 1, outcomeRefused, "a"), call(2, 3, outcomeOK, "b"), call(4, 5, outcomeDuplicate, "a")}, []persistence.OrderRecord{rejected, other}, false},
		{"acknowledged and lost", []op{call(0, 1, outcomeOK, "a")}, nil, false},
		{"never requested", []op{call(0, 1, outcomeRefused, "")}, []persistence.OrderRecord{open}, false},
	} {
		if fault := checkHistory(c.calls, c.orders); (fault == "") != c.fits {
			t.Errorf("%s: fault %q, want one: %t", c.name, fault, !c.fits)
		}
	}
}
