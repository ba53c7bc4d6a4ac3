package protection

import "venuegate/venues"

// AdoptLeg links an order that the venue made to protect an entry of ours to that entry, and
// returns the entry; nil if there is none. named is the order with the client id that the
// report gives for the entry; it may be nil.
func (k *Keeper) AdoptLeg(leg *Order, r *venues.ExecutionReport, named *Order) *Order {
	for _, kind := range Kinds() {
		if r.Attachment.Trigger(kind).Valid && leg.Protects == "" {
			leg.Protects = kind // the stop loss, until it is known which trigger was reached
		}
	}
	entry := k.entryOf(r, named)
	if entry == nil {
		return nil
	}
	leg.EntryOrderID, leg.Source = entry.OrderID, venues.SourceProtection
	for _, kind := range Kinds() {
		if r.Attachment.Trigger(kind).Valid && entry.Protection.Leg(kind) != nil {
			entry.Bracket.link(leg, kind)
		}
	}
	return entry
}

// entryOf returns the entry that an order of the venue protects. If the report does not
// identify it, protection belongs to the position: that of the newest entry has replaced
// earlier ones.
func (k *Keeper) entryOf(r *venues.ExecutionReport, named *Order) *Order {
	if r.Attachment.EntryClientID != "" {
		if named != nil && named.Protection != nil {
			return named
		}
		return nil
	}
	if !r.Attachment.WholePosition {
		return nil
	}
	var newest *Order
	for _, o := range k.live() {
		if o.Symbol == r.Symbol && o.Side != r.Side && o.EntryOrderID == "" && o.QtyToProtect().IsPositive() && k.expectsLeg(o, r.Attachment) {
			newest = o
		}
	}
	return newest
}

// expectsLeg reports whether an entry has active protection, which the service has not placed,
// of a kind in the attachment.
func (k *Keeper) expectsLeg(o *Order, a *venues.Attachment) bool {
	for _, kind := range Kinds() {
		plan, current := o.Protection.Leg(kind), o.Bracket.Current(kind)
		if a.Trigger(kind).Valid && plan.IsActive() && (current == nil || !k.isOurs(current)) {
			return true
		}
	}
	return false
}

// FollowAttachment applies a report to a leg that the venue made: triggers that were moved,
// and the one that was reached, whose price it sets as the trigger price of the report.
func (k *Keeper) FollowAttachment(leg *Order, r *venues.ExecutionReport) {
	if r.Attachment != nil {
		leg.Attachment = r.Attachment
	}
	entry, a := k.Account.Order(leg.EntryOrderID), leg.Attachment
	if a == nil || entry == nil || leg.Triggered {
		return
	}
	for _, kind := range Kinds() {
		if price := a.Trigger(kind); price.Valid && r.Status == venues.StatusUntriggered && entry.Bracket.Current(kind) == leg {
			k.setPlanPrice(entry, kind, price.Decimal)
		}
	}
	if fired := firedTrigger(a, r); fired != "" {
		leg.Protects, leg.TriggerPrice, r.TriggerPrice = fired, a.Trigger(fired), a.Trigger(fired)
	}
}

// FollowTrigger updates the plan after another client has moved a leg of ours: the leg was at
// the planned price, and the venue reports another one.
func (k *Keeper) FollowTrigger(leg *Order, r *venues.ExecutionReport) {
	o := k.Account.Order(leg.EntryOrderID)
	if o == nil || r.Status != venues.StatusUntriggered || !k.isOurs(leg) || o.Bracket.Current(leg.Protects) != leg {
		return
	}
	if plan := o.Protection.Leg(leg.Protects); plan.IsActive() && !k.isMisplaced(leg, plan) && !plan.Price.Equal(r.TriggerPrice.Decimal) {
		k.setRequested(o, leg.Protects, r.TriggerPrice)
	}
}

// IsUndecided reports whether a leg with two triggers has reached one of them by a report that
// does not show which.
func (o *Order) IsUndecided(r *venues.ExecutionReport) bool {
	return o.Attachment != nil && !o.Triggered && r.Status == venues.StatusOpen && firedTrigger(o.Attachment, r) == ""
}

// firedTrigger returns the kind of the trigger that was reached; empty if none was or if it is
// not known which. If the venue does not report it, it is the trigger nearest to the price of
// the execution.
func firedTrigger(a *venues.Attachment, r *venues.ExecutionReport) venues.LegKind {
	price := r.AvgPrice
	if r.Fill != nil {
		price = venues.Some(r.Fill.Price)
	}
	switch {
	case a.Triggered != "":
		return a.Triggered
	case r.Status == venues.StatusUntriggered || (r.Status.IsClosed() && !r.FilledQty.IsPositive()):
		return ""
	case !a.TakeProfit.Valid:
		return venues.LegStopLoss
	case !a.StopLoss.Valid:
		return venues.LegTakeProfit
	case !price.Valid:
		return ""
	}
	toStop := price.Decimal.Sub(a.StopLoss.Decimal).Abs()
	toProfit := price.Decimal.Sub(a.TakeProfit.Decimal).Abs()
	if toStop.LessThan(toProfit) {
		return venues.LegStopLoss
	}
	return venues.LegTakeProfit
}
