package protection

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// Filled schedules legs for a fill of an entry. After a crash before they are placed, the next
// start loads the entry, whose protection is in force, and places them.
func (k *Keeper) Filled(o *Order) {
	k.reprotect(o)
	if !o.Protection.IsActive() && !o.Bracket.closing {
		return
	}
	if o.Bracket.closing || k.placesLegs(o) {
		k.expectProtection(o)
		o.Bracket.schedule(k.Now.Add(GatherDelay))
		return
	}
	for _, kind := range Kinds() {
		if leg := o.Bracket.Current(kind); leg != nil && leg.Status == venues.StatusUntriggered && k.isTooSmall(leg, o) {
			k.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
		}
	}
	if o.isUnprotected() {
		k.expectProtection(o) // the venue's legs have not appeared yet
	}
}

// placeMissing places a leg of each kind that has none of the right size and price. The old leg
// is withdrawn once the new one is live, so that the position is never unprotected in between.
func (k *Keeper) placeMissing(o *Order) {
	o.Bracket.due = time.Time{}
	if o.Bracket.closing {
		k.placeExit(o)
		return
	}
	if !o.QtyToProtect().IsPositive() || !k.permitLegs(o) {
		return
	}
	for _, kind := range Kinds() {
		plan, current := o.Protection.Leg(kind), o.Bracket.Current(kind)
		if !plan.IsActive() || (current.isOpen() && k.fits(current, o, plan) && !k.mustRepeat(o, kind)) {
			continue
		}
		k.placeLeg(o, kind, plan.Price)
	}
}

// placeLeg creates and sends one leg.
func (k *Keeper) placeLeg(o *Order, kind venues.LegKind, price decimal.Decimal) {
	leg := k.Account.Place(o, kind, venues.OrderSpec{
		Type: venues.TypeStopMarket, Qty: o.QtyToProtect(), TriggerPrice: venues.Some(price),
		ReduceOnly: true, TimeInForce: venues.GoodTillCancel,
	})
	o.Bracket.link(leg, kind)
	k.setPlanStatus(o, kind, venues.ProtectionPending, leg.OrderID)
	k.expectProtection(o)
	k.Account.MarkDirty(leg)
}

// notFoundMax bounds the legs of one kind that are not found at the same time.
const notFoundMax = 2

// LegNotFound places another leg for one of unknown outcome that the venue does not list.
// Without it the position would be unprotected until the absence of the first is confirmed. If
// the first appears, it is superseded.
func (k *Keeper) LegNotFound(o, leg *Order) {
	if o.Bracket.Current(leg.Protects) == leg && !k.PositionsAt.IsZero() { // before that, Resume schedules it
		o.Bracket.schedule(k.Now.Add(GatherDelay))
	}
}

// mustRepeat reports whether another leg must be placed for the newest one of a kind, which was
// not found. After the time in which a position must be protected, the legs are no longer
// repeated, so that it becomes certain whether the position must be closed.
func (k *Keeper) mustRepeat(o *Order, kind venues.LegKind) bool {
	if !o.Bracket.Current(kind).isNotFound() || !k.Now.Before(o.Bracket.unprotectedSince.Add(k.Rules.Policy.CloseAfter)) {
		return false
	}
	notFound := 0
	for _, leg := range o.Bracket.legs[kind] {
		if leg.isNotFound() {
			notFound++
		}
	}
	return notFound < notFoundMax
}

// isTooSmall reports whether a leg covers less than the quantity to protect, because the entry
// has filled more since. A leg that the venue made for the whole position follows its size.
func (k *Keeper) isTooSmall(leg, o *Order) bool {
	follows := !k.isOurs(leg) && (leg.Attachment == nil || leg.Attachment.WholePosition)
	return !follows && leg.Qty.IsPositive() && leg.Qty.LessThan(o.QtyToProtect())
}

// fits reports whether a leg has the quantity to protect and the planned price. The venue's own
// legs may be larger.
func (k *Keeper) fits(leg, o *Order, plan *venues.ProtectionLeg) bool {
	if k.isOurs(leg) {
		return leg.Qty.Equal(o.QtyToProtect()) && !k.isMisplaced(leg, plan)
	}
	return !k.isTooSmall(leg, o)
}

// isMisplaced reports whether a leg of ours has another trigger than planned: the order that
// was to replace it never became live.
func (k *Keeper) isMisplaced(leg *Order, plan *venues.ProtectionLeg) bool {
	return k.isOurs(leg) && plan.IsActive() && !venues.EqualOptional(leg.TriggerPrice, venues.Some(plan.Price))
}

// permitLegs returns whether the service may place legs now. If the venue has ended a leg, the
// position must be known to be open. If the venue attaches legs, it must be known that they did
// not appear: from then on the service places them. Until the answer is known, another call is
// scheduled.
func (k *Keeper) permitLegs(o *Order) bool {
	if !o.Bracket.lostAt.IsZero() && !k.resolveLost(o) {
		return false
	}
	if k.placesLegs(o) {
		return true
	}
	if o.Bracket.alarmedAt.IsZero() {
		return false
	}
	if !k.ReconciledAt.After(o.Bracket.alarmedAt) { // not reconciled since then
		o.Bracket.due = k.Now.Add(RetryDelay)
		return false
	}
	o.Bracket.placedHere = o.isUnprotected()
	return o.Bracket.placedHere
}

// resolveLost decides about the lost legs of an entry. Until the open quantity of its position is
// known, it schedules another call and returns false. Then it ends the plans of the legs that are
// not needed; if others must be placed again, it raises an alarm and returns true.
func (k *Keeper) resolveLost(o *Order) bool {
	isListed := k.positionOf(o).IsListed
	mayLag := !isListed && k.PositionsAt.Sub(o.FilledAt) <= PositionLag
	if !k.PositionsAt.After(o.Bracket.lostAt) || mayLag {
		k.Account.ReadPositions()
		o.Bracket.due = k.Now.Add(RetryDelay)
		return false
	}
	since := o.Bracket.lostAt
	o.Bracket.lostAt = time.Time{}
	lost := false
	for _, kind := range Kinds() {
		plan, current := o.Protection.Leg(kind), o.Bracket.Current(kind)
		if plan == nil || plan.Status != venues.ProtectionPending || current == nil || current.Status != venues.StatusCancelled {
			continue
		}
		if !isListed || k.isProtectedByOther(o, kind) {
			k.setPlanStatus(o, kind, venues.ProtectionCancelled, current.OrderID)
			continue
		}
		lost = true
	}
	k.endAlarmIfProtected(o)
	if lost {
		o.Bracket.placedHere = true
		k.Account.Alarm(o, AlarmLost, "since", since.UTC().Format(venues.TimeFormat))
	}
	return lost
}

// isProtectedByOther reports whether a leg of another entry protects the position instead: if
// protection belongs to the position, that of a newer entry replaces that of older ones.
func (k *Keeper) isProtectedByOther(o *Order, kind venues.LegKind) bool {
	for other := range k.Account.Live() {
		if other.Protects == kind && other.EntryOrderID != o.OrderID && other.Status == venues.StatusUntriggered &&
			other.Symbol == o.Symbol && other.Side != o.Side && other.Attachment != nil && other.Attachment.WholePosition {
			return true
		}
	}
	return false
}

// reprotect plans protection again for the quantity that is open after a triggered leg has
// ended: the entry filled more before its cancel arrived, or the leg closed only a part.
func (k *Keeper) reprotect(o *Order) {
	if !o.isStoppedOut() || o.Bracket.closing || !o.QtyToProtect().IsPositive() || !k.positionOf(o).Qty.IsPositive() {
		return
	}
	for _, kind := range Kinds() {
		if o.requestedPrice(kind).Valid {
			o.Bracket.retire(kind)
			k.setPlanStatus(o, kind, venues.ProtectionPending, "")
		}
	}
	k.expectProtection(o)
	o.Bracket.schedule(k.Now.Add(GatherDelay))
}

// isStoppedOut reports whether a leg was triggered, and every triggered leg has ended.
func (o *Order) isStoppedOut() bool {
	triggered := false
	for _, kind := range Kinds() {
		plan := o.Protection.Leg(kind)
		if plan == nil || plan.Status != venues.ProtectionTriggered {
			continue
		}
		if o.Bracket.Current(kind).isOpen() {
			return false // reprotect is called again when it ends
		}
		triggered = true
	}
	return triggered
}

// legEndedEarly handles a triggered leg that has ended with less than its quantity filled. The
// part that is not open was closed by other orders and needs no protection. The part that is
// open needs a new leg from the service.
func (k *Keeper) legEndedEarly(o, leg *Order) {
	if leg.FilledQty.GreaterThanOrEqual(leg.Qty) {
		return
	}
	if closedByOthers := o.QtyToProtect().Sub(k.positionOf(o).Qty); closedByOthers.IsPositive() {
		o.ReleasedQty = o.ReleasedQty.Add(closedByOthers)
		k.Account.MarkDirty(o)
	}
	o.Bracket.placedHere = o.Bracket.placedHere || o.QtyToProtect().IsPositive()
}
