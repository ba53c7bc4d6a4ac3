package account

import (
	"venuegate/persistence"
	"venuegate/venues"
)

// adoptLeg recognizes an order that the venue made itself to protect one of our
// entries: it becomes a leg of that entry.
func (s *state) adoptLeg(m moment, leg *order, r *venues.ExecutionReport) {
	for _, kind := range protecting() {
		if r.Attachment.Trigger(kind).Valid && leg.Protects == "" {
			leg.Protects = kind // the stop loss, until it is known which was reached
		}
	}
	entry := s.entryOf(r)
	if entry == nil {
		return
	}
	leg.EntryOrderID, leg.Source = entry.OrderID, venues.SourceProtection
	for _, kind := range protecting() {
		if r.Attachment.Trigger(kind).Valid && entry.Protection.Leg(kind) != nil {
			entry.guard.link(leg, kind)
		}
	}
	s.note(m, leg, "attached", persistence.JournalField{Name: "entry", Value: entry.OrderID})
}

// entryOf finds the entry whose protection a venue's order is. Where the venue
// does not name it, protection belongs to the position: that of the newest entry
// has replaced the ones before.
func (s *state) entryOf(r *venues.ExecutionReport) *order {
	if id := r.Attachment.EntryClientID; id != "" {
		if entry := s.byClient[id]; entry != nil && entry.Protection != nil {
			return entry
		}
		return nil
	}
	if !r.Attachment.OfPosition {
		return nil
	}
	var newest *order
	for _, o := range s.liveInOrder() {
		if o.Symbol == r.Symbol && o.Side != r.Side && o.EntryOrderID == "" && o.guarded().IsPositive() && s.awaitsLeg(o, r.Attachment) {
			newest = o
		}
	}
	return newest
}

// awaitsLeg says whether an entry has protection of a kind that the attachment
// has, and that is the venue's to keep.
func (s *state) awaitsLeg(o *order, a *venues.Attachment) bool {
	for _, kind := range protecting() {
		leg, current := o.Protection.Leg(kind), o.guard.current(kind)
		if a.Trigger(kind).Valid && leg.IsAwake() && (current == nil || !s.isOurs(current)) {
			return true
		}
	}
	return false
}

// followAttachment takes over what a report tells of a venue's protecting order:
// triggers that were moved, and which one was reached.
func (s *state) followAttachment(o *order, r *venues.ExecutionReport) {
	if !r.VenueTime.IsZero() && r.VenueTime.Before(o.termsAt) {
		return // read before what is known
	}
	if r.Attachment != nil {
		o.attachment = r.Attachment
	}
	entry, a := s.orders[o.EntryOrderID], o.attachment
	if a == nil || entry == nil || o.triggered {
		return
	}
	for _, kind := range protecting() {
		if price := a.Trigger(kind); price.Valid && r.Status == venues.StatusUntriggered && entry.guard.current(kind) == o {
			s.setLegPrice(entry, kind, price.Decimal)
		}
	}
	if fired := firedBy(a, r); fired != "" {
		o.Protects, o.TriggerPrice, r.TriggerPrice = fired, a.Trigger(fired), a.Trigger(fired)
	}
}

// isUndecided says whether an order that holds two triggers is told to have
// reached one, and not which.
func (o *order) isUndecided(r *venues.ExecutionReport) bool {
	return o.attachment != nil && !o.triggered && r.Status == venues.StatusOpen && firedBy(o.attachment, r) == ""
}

// firedBy is the trigger that was reached. Where the venue does not tell which of
// two, the price of the execution lies at one of them.
func firedBy(a *venues.Attachment, r *venues.ExecutionReport) venues.Protecting {
	price := r.AvgPrice
	if r.Fill != nil {
		price = venues.Some(r.Fill.Price)
	}
	switch {
	case a.Fired != "":
		return a.Fired
	case r.Status == venues.StatusUntriggered || (r.Status.IsClosed() && !r.FilledQty.IsPositive()):
		return ""
	case !a.TakeProfit.Valid:
		return venues.ProtectingStopLoss
	case !a.StopLoss.Valid:
		return venues.ProtectingTakeProfit
	case !price.Valid:
		return ""
	}
	toStop := price.Decimal.Sub(a.StopLoss.Decimal).Abs()
	toProfit := price.Decimal.Sub(a.TakeProfit.Decimal).Abs()
	if toStop.LessThan(toProfit) {
		return venues.ProtectingStopLoss
	}
	return venues.ProtectingTakeProfit
}
