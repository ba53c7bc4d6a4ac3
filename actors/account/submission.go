package account

import (
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// submission is the request that places an order, from the intent to the answer to
// its callers.
type submission struct {
	// claim holds the request id of the order until it is certain that nothing was
	// placed, or for the life of the order.
	claim *persistence.IdempotencyRecord
	// storing is set until the intent is durable. The store may still reject the intent, so
	// nothing else of the order is stored before.
	storing bool
	// sending is set from the start of a request until its answer.
	sending bool
	// sendBy is the time from which on the order is no longer sent; zero for none.
	sendBy time.Time
	// lowered marks the replacement of an order by one that differs only in a smaller
	// quantity. It is sent even if the account is locked, because the venue had the larger
	// order before.
	lowered bool

	// hops records when the order passed each stage; nil if this is not measured.
	hops *venues.Hops

	// waiters are the callers who wait for the order to settle, until replyDue.
	waiters  []orderReply
	replyDue time.Time
	// rejection is the error that waiters receive if the order was not placed.
	rejection *venues.Error
}

// defersCommit reports whether the commit of the order's acknowledgement can wait for its end:
// the order takes liquidity, and its caller waits for the end, so that one commit has both.
// After a crash in between the intent is stored, and the venue is queried.
func (o *order) defersCommit() bool {
	return len(o.waiters) > 0 && o.takesLiquidity() && !o.hasSettled() &&
		(o.Status == venues.StatusOpen || o.Status == venues.StatusPending) &&
		o.storedRecord().Status == venues.StatusPending && o.FilledQty.IsZero() && o.change.kind == venues.PendingNone
}

// hasSettled reports whether the venue has acknowledged the order and, if it cannot
// rest in the book, how it ended.
func (o *order) hasSettled() bool {
	switch {
	case o.Status.IsClosed():
		return true
	case o.held != nil:
		return false
	case o.takesLiquidity():
		return o.Status == venues.StatusUntriggered
	default:
		return o.Status.IsActive()
	}
}

// takesLiquidity reports whether the order cannot rest in the book.
func (o *order) takesLiquidity() bool {
	return o.Type.IsMarket() || o.TimeInForce == venues.ImmediateOrCancel || o.TimeInForce == venues.FillOrKill
}

// request returns the request that places the order.
func (o *order) request() venues.OrderRequest {
	return venues.OrderRequest{
		OrderSpec: o.OrderSpec, ClientOrderID: o.ClientOrderID,
		Deadline: o.Deadline.Time, ClosePosition: o.ClosePosition,
		TriggerDirection: o.triggerDirection(),
	}
}
