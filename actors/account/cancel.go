package account

import (
	"errors"

	"venuegate/venues"
)

// cancel requests the cancel of an order. Unlike an order, it is sent before anything is
// durable.
func (s *state) cancel(step stepContext, in cancelOrder) {
	o, rejection := s.changeable(in.cmd.OrderID, isOpen)
	if rejection != nil {
		s.after(replyOrder{to: in.orderReply, err: rejection})
		return
	}
	if o.change.kind == venues.PendingAmend {
		s.replyChange(o, nil) // the cancel supersedes it
		o.setChange(change{})
		s.markDirty(o) // the next start must not resume the amend
	}
	o.Withdrawn, o.origin = true, in.cmd.Origin
	o.change.kind, o.PendingAction = venues.PendingCancel, venues.PendingCancel
	s.addChangeWaiter(step, o, in.orderReply)
	s.sendCancel(o)
	s.watch(o)
}

// cancelled applies the venue's answer to a cancel.
func (s *state) cancelled(step stepContext, in cancelDone) {
	o, known := s.orders[in.orderID]
	if !known {
		return
	}
	s.markDirty(o)
	switch {
	case in.err == nil:
		s.applyReport(step, o, in.report)
		if !o.Status.IsClosed() { // only acknowledged: the stream or a query shows the end
			s.scheduleQuery(step, o, changeVisibleMax)
		}
	case errors.Is(in.err, venues.ErrOutcomeUnknown):
		s.scheduleQuery(step, o, queryDelay)
	case venues.CodeOf(in.err) == venues.CodeNotFound:
		// The order may be filled, or may never have reached the venue: a query decides.
		s.scheduleQuery(step, o, 0)
	default:
		s.rejectChange(step, o, venueRejection(in.err))
	}
}
