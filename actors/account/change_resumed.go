package account

import (
	"venuegate/persistence"
	"venuegate/venues"
)

// remember puts an amend into the record of its order: it is as durable as the word
// that it is pending.
func (c *change) remember() {
	a := persistence.Amendment{
		Qty: c.wanted.qty, Price: c.wanted.price, TriggerPrice: c.wanted.triggerPrice,
		Replaces: c.replace, Deadline: venues.At(c.deadline),
	}
	if p := c.protection; p != nil {
		stop, changesStop := p.wanted[venues.ProtectingStopLoss]
		profit, changesProfit := p.wanted[venues.ProtectingTakeProfit]
		a.StopLoss, a.DropStopLoss = stop, changesStop && !stop.Valid
		a.TakeProfit, a.DropTakeProfit = profit, changesProfit && !profit.Valid
		a.Before = p.before
	}
	c.amendment = &a
}

// remembered is the amend that was on its way when the account ended. It counts as
// sent: what the venue shows from now on tells what became of it, at the latest once
// it can no longer be carried out. It is not sent again, the price may be another by
// now; but for protection, where nothing else would tell.
func remembered(r *persistence.OrderRecord) change {
	a := r.Amend
	if r.PendingAction != venues.PendingAmend || a == nil {
		return change{}
	}
	c := change{
		kind: venues.PendingAmend, sent: true, deadline: a.Deadline.Time, replace: a.Replaces, amendment: a,
		wanted: terms{qty: a.Qty, price: a.Price, triggerPrice: a.TriggerPrice},
	}
	wanted := wantedProtection(&venues.AmendOrder{
		StopLoss: a.StopLoss, DropStopLoss: a.DropStopLoss, TakeProfit: a.TakeProfit, DropTakeProfit: a.DropTakeProfit,
	})
	if wanted != nil {
		c.sent = false
		c.protection = &protectionChange{wanted: wanted, before: a.Before, resumes: true}
	}
	return c
}

// resumeChange goes on with a change that was on its way when the account ended:
// whoever asked may have been told that it is pending. A cancel is asked for again.
func (s *state) resumeChange(m moment, o *order) {
	switch {
	case o.Status.IsClosed():
	case o.withdrawn:
		s.withdraw(m, o)
	case o.change.sent:
		s.inquire(m, o, inquiryWait)
	}
}

// resumeMove goes on with a change of protection, once it is known what the venue has.
// Legs of ours are in the record already, and come or are given up as others. What the
// venue was asked to do with its own it is asked again: the entry does not show it.
func (s *state) resumeMove(m moment, o *order) {
	p := o.change.protection
	p.resumes = false
	s.touch(o)
	request := s.protectRequest(m, o)
	asks := false
	for _, kind := range protecting() {
		wanted, changes := p.wanted[kind]
		switch {
		case !changes || o.isPlanned(kind, wanted):
		case s.asksVenue(o, kind, &request):
			asks = true
		default: // the order of the venue has come to its end
			delete(p.wanted, kind)
		}
	}
	switch {
	case asks:
		p.request = &request
		s.sendProtect(o, 0)
	case len(p.wanted) == 0:
		s.refuseChange(m, o, venues.Errorf(venues.CodeExchangeUnavailable, "there is nothing left to change"))
	}
}
