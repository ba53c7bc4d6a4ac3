package account

import (
	"slices"
	"time"

	"venuegate/venues"
)

// positionKey names the position that an entry opens.
func (o *order) positionKey() string {
	p := venues.Position{Symbol: o.Symbol, Side: o.Side.Opens()}
	return p.Key()
}

// positionGone withdraws the protection of a position that was flat at a moment, by
// the venue's clock. What was filled later has opened another one.
func (s *state) positionGone(m moment, p *venues.Position, flatAt time.Time) {
	for _, o := range s.liveInOrder() {
		if o.protects(p.Key()) && !o.filledAt.After(flatAt) {
			s.standDown(m, o)
		}
	}
}

// protects says whether the order is an entry that has opened something and
// still protects it.
func (o *order) protects(positionKey string) bool {
	return o.EntryOrderID == "" && o.Protection.Awake() && (o.guarded().IsPositive() || o.isOverprotected()) && o.positionKey() == positionKey
}

// isOverprotected says whether legs wait although others have closed everything.
func (o *order) isOverprotected() bool {
	return o.FilledQty.IsPositive() && !o.guarded().IsPositive() && slices.ContainsFunc(protecting(), func(kind venues.Protecting) bool {
		return slices.ContainsFunc(o.guard.legs[kind], func(leg *order) bool { return leg.Status == venues.StatusUntriggered })
	})
}

// standDown withdraws the legs of an entry whose position is over. One that can
// still fill keeps its protection for what it fills from now on.
func (s *state) standDown(m moment, o *order) {
	if o.Status.IsClosed() {
		s.cancelOtherLegs(m, o, "")
		return
	}
	o.ReleasedQty = o.FilledQty
	o.guard.due, o.guard.lostAt = time.Time{}, time.Time{}
	o.guard.rest()
	for _, kind := range protecting() {
		s.withdrawLegs(m, o, kind)
		for _, leg := range o.guard.legs[kind] {
			leg.dismissed = true
		}
		if leg := o.Protection.Leg(kind); leg != nil && leg.Status == venues.ProtectionLive {
			s.setLeg(o, kind, venues.ProtectionPending, "")
		}
	}
	s.touch(o)
}

// withdrawOrphans withdraws the protection of entries whose position is not in
// a list of those that are open, or was closed by another leg: nobody watched, or
// a cancel has failed.
func (s *state) withdrawOrphans(m moment, open map[string]bool, readAt time.Time) {
	for _, o := range s.liveInOrder() {
		if s.isOrphan(o) {
			s.withdraw(m, o)
		}
		if !o.Protection.Awake() {
			continue
		}
		for _, kind := range protecting() {
			if legs := o.guard.legs[kind]; o.isExited(kind) || (len(legs) > 0 && legs[len(legs)-1].dismissed) {
				s.withdrawLegs(m, o, kind)
			}
		}
		if key := o.positionKey(); o.isOverprotected() || (!open[key] && o.protects(key) && readAt.Sub(o.filledAt) > positionLag) {
			s.standDown(m, o)
		}
	}
}

// isOrphan says whether a waiting leg is one too many: its entry needs it no more
// and the cancel that said so has failed.
func (s *state) isOrphan(leg *order) bool {
	if leg.EntryOrderID == "" || leg.Status != venues.StatusUntriggered {
		return false
	}
	entry, known := s.orders[leg.EntryOrderID]
	return leg.withdrawn || !known || !entry.Protection.Awake()
}

// endProtection follows the end of an entry that has nothing open.
func (s *state) endProtection(o *order) {
	if !o.Status.IsClosed() || o.guarded().IsPositive() || !o.Protection.Awake() {
		return
	}
	for _, kind := range protecting() {
		current := o.guard.current(kind)
		if leg := o.Protection.Leg(kind); leg.IsAwake() && (current == nil || current.Status.IsClosed()) {
			s.setLeg(o, kind, venues.ProtectionCancelled, leg.OrderID)
		}
	}
}
