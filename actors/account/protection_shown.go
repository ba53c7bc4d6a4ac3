package account

import "venuegate/venues"

// withStops adds to a position what its own venue does not tell of it: the triggers
// that protect it.
func (s *state) withStops(p venues.Position) venues.Position {
	for _, kind := range protecting() {
		if trigger := s.triggerOf(&p, kind); trigger.Valid {
			*stopOf(&p, kind) = trigger
		}
	}
	return p
}

// stopOf is where a position holds the trigger of a kind.
func stopOf(p *venues.Position, kind venues.Protecting) *venues.Optional {
	if kind == venues.ProtectingStopLoss {
		return &p.StopLoss
	}
	return &p.TakeProfit
}

// triggerOf is the trigger of a kind that the market would reach first, of the legs
// that protect a position; unknown if there are none.
func (s *state) triggerOf(p *venues.Position, kind venues.Protecting) venues.Optional {
	highest := (p.Side == venues.Long) == (kind == venues.ProtectingStopLoss)
	key := p.Key()
	var first venues.Optional
	for _, o := range s.live {
		leg := o.Protection.Leg(kind)
		if leg == nil || leg.Status != venues.ProtectionLive || !o.protects(key) {
			continue
		}
		if !first.Valid || leg.Price.GreaterThan(first.Decimal) == highest {
			first = venues.Some(leg.Price)
		}
	}
	return first
}

// showStops lets the position that an entry has opened follow its legs. A trigger
// that is no leg's is the venue's word, and stays.
func (s *state) showStops(o *order) {
	if o.Protection == nil || o.EntryOrderID != "" {
		return
	}
	p, open := s.funds.positions[o.positionKey()]
	if !open {
		return
	}
	shown := p
	for _, kind := range protecting() {
		stop, leg := stopOf(&shown, kind), o.Protection.Leg(kind)
		now := s.triggerOf(&p, kind)
		if now.Valid || leg != nil && !leg.IsAwake() && venues.EqualOptional(*stop, venues.Some(leg.Price)) {
			*stop = now
		}
	}
	if !equalPosition(&p, &shown) {
		s.funds.positions[p.Key()] = shown
		s.after(publishPosition{shown})
	}
}
