package protection

import (
	"errors"
	"slices"
	"time"

	"venuegate/venues"
)

// MoveAnswered applies the venue's answer to a request of Account.Protect.
func (k *Keeper) MoveAnswered(o *Order, err error) {
	m := o.Move
	if m == nil || m.request == nil {
		return
	}
	k.Account.MarkDirty(o)
	switch {
	case err == nil:
		for _, kind := range Kinds() {
			if target, changes := m.targets[kind]; changes && m.request.Changes(kind) {
				k.setRequested(o, kind, target)
				if !target.Valid {
					delete(o.Bracket.legs, kind) // if the order has another trigger, it stays a leg of that kind
				}
			}
		}
		m.request = nil
	case errors.Is(err, venues.ErrOutcomeUnknown) && m.tries < protectTriesMax:
		m.tries++
		k.Account.Protect(o, *m.request, time.Second)
	case errors.Is(err, venues.ErrOutcomeUnknown):
		k.Account.EndMove(o, venues.Errorf(venues.CodeInternal, "the venue did not report whether it has changed the protection").
			With("orderState", "unknown").Because(err))
	default:
		k.Account.EndMove(o, err)
	}
}

// rollBackMove undoes a move whose new leg the venue has rejected, and reports whether it did.
// The previous leg must still be live, unless there was none.
func (k *Keeper) rollBackMove(o, rejected *Order, kind venues.LegKind) bool {
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
	k.Account.MarkDirty(o)
	if current := o.Bracket.Current(kind); before.IsActive() && current != nil && !k.fits(current, o, before) { // the entry has filled more since
		k.setPlanStatus(o, kind, venues.ProtectionPending, current.OrderID)
		k.expectProtection(o)
		o.Bracket.schedule(k.Now.Add(GatherDelay))
	}
	k.endAlarmIfProtected(o)
	k.Account.EndMove(o, LegRejected{rejected.Error})
	return true
}

// keepPreviousLeg makes the leg that a rejected one was to replace current again, if it is
// still live and covers the quantity to protect, and reports whether it did. Unlike
// rollBackMove it applies after the move has ended, and if the leg was not known to be live
// when the move began.
func (k *Keeper) keepPreviousLeg(o, rejected *Order, kind venues.LegKind) bool {
	for _, leg := range slices.Backward(o.Bracket.legs[kind]) {
		if leg == rejected || leg.Status != venues.StatusUntriggered || leg.Withdrawn || !k.isOurs(leg) || !leg.Qty.Equal(o.QtyToProtect()) {
			continue
		}
		o.Bracket.link(leg, kind)
		k.setRequested(o, kind, leg.TriggerPrice)
		k.setPlanStatus(o, kind, venues.ProtectionLive, leg.OrderID)
		k.endAlarmIfProtected(o)
		if o.Move.changes(kind) {
			k.Account.EndMove(o, LegRejected{rejected.Error})
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
