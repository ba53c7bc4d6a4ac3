package protection

import "venuegate/venues"

// WithTriggers returns a position with the triggers that protect it, which few venues report.
func (k *Keeper) WithTriggers(p venues.Position) venues.Position {
	for _, kind := range Kinds() {
		if trigger := k.triggerOf(&p, kind); trigger.Valid {
			*triggerField(&p, kind) = trigger
		}
	}
	return p
}

// UpdateTriggers returns the position of an entry with its triggers after a change of the entry.
// A trigger that belongs to no leg was reported by the venue and remains.
func (k *Keeper) UpdateTriggers(o *Order, p venues.Position) venues.Position {
	for _, kind := range Kinds() {
		field, plan := triggerField(&p, kind), o.Protection.Leg(kind)
		trigger := k.triggerOf(&p, kind)
		if trigger.Valid || plan != nil && !plan.IsActive() && venues.EqualOptional(*field, venues.Some(plan.Price)) {
			*field = trigger
		}
	}
	return p
}

// ProtectedPosition returns the key of the position that an order protects; empty if the order
// is not an entry with protection.
func (o *Order) ProtectedPosition() string {
	if o.Protection == nil || o.EntryOrderID != "" {
		return ""
	}
	return o.positionKey()
}

// triggerField returns the field of a position for the trigger of a kind.
func triggerField(p *venues.Position, kind venues.LegKind) *venues.Optional {
	if kind == venues.LegStopLoss {
		return &p.StopLoss
	}
	return &p.TakeProfit
}

// triggerOf returns the trigger of a kind that the market would reach first among the
// live legs of a position; unknown if there are none.
func (k *Keeper) triggerOf(p *venues.Position, kind venues.LegKind) venues.Optional {
	highest := (p.Side == venues.Long) == (kind == venues.LegStopLoss)
	key := p.Key()
	var first venues.Optional
	for o := range k.Account.Live() {
		plan := o.Protection.Leg(kind)
		if plan == nil || plan.Status != venues.ProtectionLive || !o.protects(key) {
			continue
		}
		if !first.Valid || plan.Price.GreaterThan(first.Decimal) == highest {
			first = venues.Some(plan.Price)
		}
	}
	return first
}
