package venues

// OrderStatus is where an order stands in its life.
type OrderStatus string

// Order statuses. Unknown means that the outcome is not proven yet; it is left
// only on proof, never by a time-out.
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

// transitions is the whole life of an order: every legal step from one status
// to another. Terminal statuses have no way out; staying put is always legal.
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

// OrderStatuses lists every status in the order of an order's life.
func OrderStatuses() []OrderStatus {
	return []OrderStatus{
		StatusPending, StatusUntriggered, StatusOpen, StatusPartiallyFilled, StatusUnknown,
		StatusFilled, StatusCancelled, StatusRejected, StatusExpired, StatusReplaced,
	}
}

// CanBecome says whether an order may step from s to next.
func (s OrderStatus) CanBecome(next OrderStatus) bool {
	if s == next {
		return true
	}
	for _, legal := range transitions[s] {
		if legal == next {
			return true
		}
	}
	return false
}

// IsClosed says whether s is terminal.
func (s OrderStatus) IsClosed() bool { return s.Valid() && len(transitions[s]) == 0 }

// IsActive says whether the venue is known to hold the order, so that it can be
// amended and cancelled.
func (s OrderStatus) IsActive() bool {
	return s == StatusUntriggered || s == StatusOpen || s == StatusPartiallyFilled
}

// Valid says whether s is one of the statuses.
func (s OrderStatus) Valid() bool {
	_, known := transitions[s]
	return known
}
