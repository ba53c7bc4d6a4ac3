package protection

import (
	"errors"
	"slices"
	"time"

	"venuegate/venues"
)

// MoveAnswered applies the venue's answer to a request of Port.Protect.
func (s *Step) MoveAnswered(o *Order, err error) {
	m := o.Move
	if m == nil || m.request == nil {
		return
	}
	s.Port.MarkDirty(o)
	switch {
	case err == nil:
		for _, kind := range Kinds() {
			if target, changes := m.targets[kind]; changes && m.request.Changes(kind) {
				s.setRequested(o, kind, target)
				if !target.Valid {
					delete(o.Bracket.legs, kind) // if the order has another trigger, it stays a leg of that kind
				}
			}
		}
		m.request = nil
	case errors.Is(err, venues.ErrOutcomeUnknown) && m.tries < protectTriesMax:
		m.tries++
		s.Port.Protect(o, *m.request, time.Second)
	case errors.Is(err, venues.ErrOutcomeUnknown):
		s.Port.EndMove(o, venues.Errorf(venues.CodeInternal, "the venue did not report whether it has changed the protection").
			With("orderState", "unknown").Because(err))
	default:
		s.Port.EndMove(o, err)
	}
}

// rollBackMove undoes a move whose new leg the venue has rejected, and reports whether it did.
// The previous leg must still be live, unless there was none.
func (s *Step) rollBackMove(o, rejected *Order, kind venues.LegKind) bool {
	if !o.Move.changes(kind) {
		return false
	}
	before := o.Move.before.Leg(kind)
	if before != nil && before.Status == venues.ProtectionPending {
		return false
	}
	legs := o.Bracket.legs[kind]
	o.Bracket.legs[kind] = legs[:len(legs)-1]
	if before != nil && before.Status == venues.ProtectionLive && !o.Bracket.Current(kind).isOpen() {
		o.Bracket.legs[kind] = legs
		return false
	}
	requested := venues.Optional{}
	if before.IsActive() {
		requested = venues.Some(before.Price)
	}
	o.Protection = o.Protection.Clone()
	o.replacePlan(kind, before, requested)
	s.Port.MarkDirty(o)
	if current := o.Bracket.Current(kind); before.IsActive() && current != nil && !s.fits(current, o, before) { // the entry has filled more since
		s.setPlanStatus(o, kind, venues.ProtectionPending, current.OrderID)
		s.expectProtection(o)
		o.Bracket.schedule(s.Now.Add(GatherDelay))
	}
	s.endAlarmIfProtected(o)
	s.Port.EndMove(o, LegRejected{rejected.Error})
	return true
}

// keepPreviousLeg makes the leg that a rejected one was to replace current again, if it is
// still live and covers the quantity to protect, and reports whether it did. Unlike
// rollBackMove it applies after the move has ended, and if the leg was not known to be live
// when the move began.
func (s *Step) keepPreviousLeg(o, rejected *Order, kind venues.LegKind) bool {
	for _, leg := range slices.Backward(o.Bracket.legs[kind]) {
		if leg == rejected || leg.Status != venues.StatusUntriggered || leg.Withdrawn || !s.isOurs(leg) || !leg.Qty.Equal(o.QtyToProtect()) {
			continue
		}
		o.Bracket.link(leg, kind)
		s.setRequested(o, kind, leg.TriggerPrice)
		s.setPlanStatus(o, kind, venues.ProtectionLive, leg.OrderID)
		s.endAlarmIfProtected(o)
		if o.Move.changes(kind) {
			s.Port.EndMove(o, LegRejected{rejected.Error})
		}
		return true
	}
	return false
}

// changes reports whether the move changes a kind. m may be nil.
func (m *Move) changes(kind venues.LegKind) bool {
	if m == nil {
		return false
	}
	_, changes := m.targets[kind]
	return changes
}
