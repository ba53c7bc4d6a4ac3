package protection

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

// Bracket is the protection of one entry. The zero value has no legs.
type Bracket struct {
	// legs has the orders of each kind, oldest first. The newest one is current; those before
	// it are withdrawn once it is live.
	legs map[venues.LegKind][]*Order
	// placedHere is set if the service places the legs although the venue attaches them,
	// because these did not appear or have ended.
	placedHere bool

	// due is when missing legs are placed.
	due time.Time
	// unprotectedSince is when a part of the position became unprotected, alarmedAt when the
	// alarm was raised. alarmDue is when the alarm is raised or, after it, the position is
	// closed.
	unprotectedSince time.Time
	alarmDue         time.Time
	alarmedAt        time.Time
	// lostAt is when the venue ended a leg that the service had not withdrawn.
	lostAt time.Time

	// closing is set if the position cannot be protected and is closed instead. exit is the
	// open order that closes it; exitTries counts the exits after which a part was still
	// open.
	closing   bool
	exit      *Order
	exitTries int
}

// Due returns when the entry needs Keeper.Tick next; zero for never.
func (b *Bracket) Due() time.Time { return deadline.Earlier(b.due, b.alarmDue) }

// IsClosing reports whether the position is being closed because it cannot be
// protected.
func (b *Bracket) IsClosing() bool { return b.closing }

// Exit returns the open order that closes the position; nil if there is none.
func (b *Bracket) Exit() *Order { return b.exit }

// IsUnprotected reports whether a part of the position lacks a leg that it should have, from
// its fill until the leg is live or the part is closed.
func (b *Bracket) IsUnprotected() bool { return !b.unprotectedSince.IsZero() }

// AlarmedAt returns when the alarm was raised; zero if none is in force.
func (b *Bracket) AlarmedAt() time.Time { return b.alarmedAt }

// HasOpenOrders reports whether a leg or an exit is open.
func (b *Bracket) HasOpenOrders() bool {
	for _, legs := range b.legs {
		if slices.ContainsFunc(legs, (*Order).isOpen) {
			return true
		}
	}
	return b.exit != nil
}

// Current returns the newest leg of a kind; nil if there is none or it is retired.
func (b *Bracket) Current(kind venues.LegKind) *Order {
	if legs := b.legs[kind]; len(legs) > 0 && !legs[len(legs)-1].retired {
		return legs[len(legs)-1]
	}
	return nil
}

// link makes an order the newest leg of a kind and drops the closed ones.
func (b *Bracket) link(leg *Order, kind venues.LegKind) {
	if b.legs == nil {
		b.legs = map[venues.LegKind][]*Order{}
	}
	legs := slices.DeleteFunc(b.legs[kind], func(l *Order) bool { return l == leg || l.Status.IsClosed() })
	b.legs[kind] = append(legs, leg)
}

// retire excludes the legs of a kind from the protection that counts.
func (b *Bracket) retire(kind venues.LegKind) {
	for _, leg := range b.legs[kind] {
		leg.retired = true
	}
}

// schedule sets due to a time, unless due is earlier.
func (b *Bracket) schedule(at time.Time) { b.due = deadline.Earlier(b.due, at) }

// expectProtection starts the time within which a fill must be protected, unless it is running.
func (k *Keeper) expectProtection(o *Order) {
	if o.Bracket.unprotectedSince.IsZero() {
		o.Bracket.unprotectedSince, o.Bracket.alarmDue = k.Now, k.Now.Add(k.Rules.Policy.AlarmAfter)
	}
}

// endAlarmIfProtected ends an alarm, raised or due, if no leg is missing.
func (k *Keeper) endAlarmIfProtected(o *Order) {
	if !o.isUnprotected() {
		o.Bracket.endAlarm()
	}
}

func (b *Bracket) endAlarm() {
	b.unprotectedSince, b.alarmDue, b.alarmedAt = time.Time{}, time.Time{}, time.Time{}
}

// creditClosed subtracts the quantity that a leg or an exit has closed from the quantity to
// protect of its entry.
func (k *Keeper) creditClosed(o, by *Order) {
	more := by.FilledQty.Sub(by.Credited)
	if !more.IsPositive() {
		return
	}
	by.Credited = by.FilledQty
	o.ReleasedQty = decimal.Min(o.FilledQty, o.ReleasedQty.Add(more))
	if by != o.Bracket.exit && by != o.Bracket.Current(by.Protects) && o.Protection.IsActive() {
		o.Bracket.schedule(k.Now.Add(GatherDelay)) // the newest leg is too large now: it is replaced
	}
	k.Account.MarkDirty(o)
}

// Relink rebuilds the brackets of orders that were read from the store. orders must be sorted,
// oldest first.
func (k *Keeper) Relink(orders []*Order) {
	byID := make(map[string]*Order, len(orders))
	for _, o := range orders {
		byID[o.OrderID] = o
	}
	for _, leg := range orders {
		leg.Bracket.closing = leg.Bracket.closing || leg.Closing
		o, known := byID[leg.EntryOrderID]
		switch {
		case !known:
		case !leg.Type.IsStop():
			if !leg.Status.IsClosed() {
				o.Bracket.closing, o.Bracket.exit = true, leg
			}
		default:
			o.Bracket.link(leg, leg.Protects)
			plan := o.Protection.Leg(leg.Protects)
			leg.retired = leg.Withdrawn && plan != nil && plan.OrderID != leg.OrderID
			o.Bracket.placedHere = o.Bracket.placedHere || k.isOurs(leg)
		}
	}
	for _, o := range orders { // one order may hold both triggers
		for _, kind := range Kinds() {
			if plan := o.Protection.Leg(kind); plan != nil && byID[plan.OrderID] != nil {
				o.Bracket.link(byID[plan.OrderID], kind)
			}
		}
	}
}

// Resume continues the protection of an entry after a restart. It must not be called
// before the first reading of the venue.
func (k *Keeper) Resume(o *Order) {
	if o.EntryOrderID != "" || !o.Protection.IsActive() || !o.FilledQty.IsPositive() {
		return
	}
	k.expectProtection(o)
	if k.placesLegs(o) || o.Bracket.closing {
		o.Bracket.due = k.Now.Add(RetryDelay)
	}
}
