package protection

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

// Kinds of alarms.
const (
	// AlarmUnprotected is raised, and may be repeated, for a position without protection.
	AlarmUnprotected = "unprotected"
	// AlarmLost is raised when legs are placed again that the venue has ended.
	AlarmLost = "protection_lost"
	// AlarmClosed is raised when a position is closed because it cannot be protected.
	AlarmClosed = "closed_by_protection"
)

// Tick does what is due in an entry's bracket: it places missing legs, raises the alarm, and
// closes a position that could not be protected in time.
func (k *Keeper) Tick(o *Order) {
	b := &o.Bracket
	if deadline.Passed(b.due, k.Now) {
		k.placeMissing(o)
	}
	if !deadline.Passed(b.alarmDue, k.Now) {
		return
	}
	b.alarmDue = time.Time{}
	switch {
	case !o.isUnprotected():
		b.endAlarm()
	case b.alarmedAt.IsZero():
		b.alarmedAt = k.Now
		b.alarmDue = b.unprotectedSince.Add(k.Rules.Policy.CloseAfter)
		k.alarmUnprotected(o)
		if !k.placesLegs(o) { // the venue may have legs that were not reported
			k.Account.RequestReconciliation()
			b.schedule(k.Now.Add(RetryDelay))
		}
	case k.Rules.Policy.KeepOpen:
		b.alarmDue = k.Now.Add(k.Rules.Policy.CloseAfter)
		k.alarmUnprotected(o)
	case !k.checkUnprotected(o):
		b.alarmDue = k.Now.Add(RetryDelay)
	default:
		k.closeUnprotected(o, "unprotected")
	}
}

func (k *Keeper) alarmUnprotected(o *Order) {
	k.Account.Alarm(o, AlarmUnprotected, "since", o.Bracket.unprotectedSince.UTC().Format(venues.TimeFormat))
}

// checkUnprotected returns whether certainly no leg of a missing kind is live. It queries those
// that may be.
func (k *Keeper) checkUnprotected(o *Order) bool {
	certain := false
	for _, kind := range Kinds() {
		plan, current := o.Protection.Leg(kind), o.Bracket.Current(kind)
		switch {
		case plan == nil || plan.Status != venues.ProtectionPending:
		case current == nil:
			certain = certain || k.ReconciledAt.After(o.Bracket.alarmedAt)
		case current.Status.IsClosed():
			certain = certain || !slices.ContainsFunc(o.Bracket.legs[kind], (*Order).isNotFound)
		default:
			k.Account.Query(current)
		}
	}
	return certain
}

// closeUnprotected cancels an entry whose position cannot be protected, and closes the
// position.
func (k *Keeper) closeUnprotected(o *Order, reason string) {
	o.Bracket.closing, o.Closing = true, true
	o.Bracket.due, o.Bracket.alarmDue = time.Time{}, time.Time{}
	k.Account.Alarm(o, AlarmClosed, "reason", reason)
	k.withdraw(o)
	k.WithdrawLegs(o)
	k.placeExit(o)
}

// placeExit places the market order that closes the quantity to protect, or as much of it as
// one market order can. The close reason is that of a stop loss.
func (k *Keeper) placeExit(o *Order) {
	qty := o.QtyToProtect()
	if o.Bracket.exit != nil || !qty.IsPositive() {
		return
	}
	if limit := k.Account.MaxMarketQty(o.Symbol); limit.Valid {
		qty = decimal.Min(qty, limit.Decimal)
	}
	exit := k.Account.Place(o, venues.LegStopLoss, venues.OrderSpec{
		Type: venues.TypeMarket, Qty: qty, ReduceOnly: true, TimeInForce: venues.ImmediateOrCancel,
	})
	o.Bracket.exit = exit
	k.Account.MarkDirty(exit)
}

// exitChanged applies the end of an exit. If a part is still open, another exit is scheduled.
func (k *Keeper) exitChanged(o *Order) {
	b := &o.Bracket
	exit := b.exit
	if !exit.Status.IsClosed() {
		return
	}
	b.exit = nil
	if exit.Error != nil && exit.Error.Reason == venues.ReasonNoPosition {
		o.ReleasedQty = o.FilledQty
		k.Account.MarkDirty(o)
	}
	if exit.Status == venues.StatusFilled {
		b.exitTries = 0
	}
	if o.QtyToProtect().IsPositive() {
		wait := min(RetryDelay<<min(b.exitTries, 8), ExitRetryMax)
		b.exitTries++
		b.schedule(k.Now.Add(wait))
		return
	}
	for _, kind := range Kinds() {
		if plan := o.Protection.Leg(kind); plan != nil && plan.Status == venues.ProtectionPending {
			k.setPlanStatus(o, kind, venues.ProtectionFailed, plan.OrderID)
		}
	}
}
