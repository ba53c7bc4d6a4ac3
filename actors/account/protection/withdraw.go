package protection

import (
	"time"

	"venuegate/venues"
)

// PositionClosed withdraws the protection of a position that was flat at flatAt, by the venue's
// clock. Entries that were filled later have opened another position.
func (k *Keeper) PositionClosed(positionKey string, flatAt time.Time) {
	for _, o := range k.live() {
		if o.protects(positionKey) && !o.FilledAt.After(flatAt) {
			k.withdrawForClosed(o)
		}
	}
}

// withdrawForClosed withdraws the legs of an entry whose position is closed. The plan of an
// entry that can still fill becomes pending again, for its next fills.
func (k *Keeper) withdrawForClosed(o *Order) {
	if o.Status.IsClosed() {
		k.WithdrawLegs(o)
		return
	}
	o.ReleasedQty = o.FilledQty
	o.Bracket.due, o.Bracket.lostAt = time.Time{}, time.Time{}
	o.Bracket.endAlarm()
	for _, kind := range Kinds() {
		k.withdrawKind(o, kind)
		o.Bracket.retire(kind)
		if plan := o.Protection.Leg(kind); plan != nil && plan.Status == venues.ProtectionLive {
			k.setPlanStatus(o, kind, venues.ProtectionPending, "")
		}
	}
	k.Account.MarkDirty(o)
}

// WithdrawOrphans withdraws legs without a purpose: the position of their entry is not open, or
// another leg has closed it, but that was not reported or an earlier cancel has failed. open has
// the keys of the open positions, read at readAt.
func (k *Keeper) WithdrawOrphans(open map[string]bool, readAt time.Time) {
	for _, o := range k.live() {
		if k.isOrphan(o) {
			k.withdraw(o)
		}
		if !o.Protection.IsActive() {
			continue
		}
		for _, kind := range Kinds() {
			if legs := o.Bracket.legs[kind]; o.isClosedByOtherLeg(kind) || (len(legs) > 0 && legs[len(legs)-1].retired) {
				k.withdrawKind(o, kind)
			}
		}
		if key := o.positionKey(); o.isOverprotected() || (!open[key] && o.protects(key) && readAt.Sub(o.FilledAt) > PositionLag) {
			k.withdrawForClosed(o)
		}
	}
}

// isOrphan reports whether an untriggered leg is not needed: it was withdrawn, or its entry has
// no active protection.
func (k *Keeper) isOrphan(leg *Order) bool {
	if leg.EntryOrderID == "" || leg.Status != venues.StatusUntriggered {
		return false
	}
	entry := k.Account.Order(leg.EntryOrderID)
	return leg.Withdrawn || entry == nil || !entry.Protection.IsActive()
}

// WithdrawLegs withdraws all legs of an entry.
func (k *Keeper) WithdrawLegs(o *Order) { k.withdrawOthers(o, "") }

// withdrawOthers withdraws the legs of an entry except those of one kind.
func (k *Keeper) withdrawOthers(o *Order, except venues.LegKind) {
	for _, kind := range Kinds() {
		plan := o.Protection.Leg(kind)
		if kind == except || plan == nil {
			continue
		}
		k.withdrawKind(o, kind)
		if plan.Status == venues.ProtectionPending && !o.Bracket.Current(kind).isOpen() && !o.Bracket.closing {
			k.setPlanStatus(o, kind, venues.ProtectionCancelled, plan.OrderID)
		}
	}
}

// withdrawSuperseded withdraws the legs of a kind before the newest one. It is called at every
// report that the newest one is live, so that a failed cancel is retried.
func (k *Keeper) withdrawSuperseded(o *Order, kind venues.LegKind) {
	legs := o.Bracket.legs[kind]
	for _, leg := range legs[:len(legs)-1] {
		k.withdraw(leg)
	}
}

func (k *Keeper) withdrawKind(o *Order, kind venues.LegKind) {
	for _, leg := range o.Bracket.legs[kind] {
		k.withdraw(leg)
	}
}

func (k *Keeper) withdraw(o *Order) {
	if !o.Status.IsClosed() {
		k.Account.Withdraw(o)
	}
}
