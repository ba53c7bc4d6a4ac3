package venues

import "slices"

// OrderStatus is the status of an order.
type OrderStatus string

// Order statuses. Unknown means that the outcome of the request is unknown. An order
// leaves it when the venue reports the order or its absence is confirmed, never by a
// time-out.
const (
	StatusPending         OrderStatus = "pending"
	StatusUntriggered     OrderStatus = "untriggered"
	StatusOpen            OrderStatus = "open"
	StatusPartiallyFilled OrderStatus = "partially_filled"
	StatusFilled          OrderStatus = "filled"
	StatusCancelled       OrderStatus = "cancelled"
	StatusRejected        OrderStatus = "rejected"
	StatusExpired         OrderStatus = "expired"
	StatusReplaced        OrderStatus = "replaced"
	StatusUnknown         OrderStatus = "unknown"
)

// transitions lists every legal change of status. Terminal statuses have none. Keeping a
// status is always legal.
var transitions = map[OrderStatus][]OrderStatus{
	StatusPending: {
		StatusUntriggered, StatusOpen, StatusPartiallyFilled, StatusFilled,
		StatusCancelled, StatusRejected, StatusExpired, StatusUnknown,
	},
	StatusUnknown: {
		StatusUntriggered, StatusOpen, StatusPartiallyFilled, StatusFilled,
		StatusCancelled, StatusRejected, StatusExpired, StatusReplaced,
	},
	StatusUntriggered: {
		StatusOpen, StatusPartiallyFilled, StatusFilled, StatusCancelled,
		StatusRejected, StatusExpired, StatusReplaced, StatusUnknown,
	},
	StatusOpen: {
		StatusPartiallyFilled, StatusFilled, StatusCancelled, StatusExpired,
		StatusReplaced, StatusUnknown,
	},
	StatusPartiallyFilled: {
		StatusFilled, StatusCancelled, StatusExpired, StatusReplaced, StatusUnknown,
	},
	StatusFilled: nil, StatusCancelled: nil, StatusRejected: nil, StatusExpired: nil, StatusReplaced: nil,
}

// OrderStatuses returns every status, in the usual order of an order's progress.
func OrderStatuses() []OrderStatus {
	return []OrderStatus{
		StatusPending, StatusUntriggered, StatusOpen, StatusPartiallyFilled, StatusUnknown,
		StatusFilled, StatusCancelled, StatusRejected, StatusExpired, StatusReplaced,
	}
}

// CanBecome reports whether an order may change from s to next.
func (s OrderStatus) CanBecome(next OrderStatus) bool {
	if s == next {
		return true
	}
	return slices.Contains(transitions[s], next)
}

// IsClosed reports whether s is terminal.
func (s OrderStatus) IsClosed() bool { return s.Valid() && len(transitions[s]) == 0 }

// IsActive reports whether the venue is known to have the order open, so that it can be
// amended and cancelled.
func (s OrderStatus) IsActive() bool {
	return s == StatusUntriggered || s == StatusOpen || s == StatusPartiallyFilled
}

// Valid reports whether s is one of the statuses.
func (s OrderStatus) Valid() bool {
	_, known := transitions[s]
	return known
}
