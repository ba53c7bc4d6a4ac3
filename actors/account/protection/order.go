package protection

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// Order is an order with its state of protection: an entry with its bracket, a leg or an exit.
// It is part of the account's own order. In a new order all fields but the record are zero.
type Order struct {
	persistence.OrderRecord

	// FilledAt is the venue's time of the newest fill, or when the order was taken as filled
	// although the venue has not returned the fill.
	FilledAt time.Time
	// Triggered is set if the trigger of a stop was reached.
	Triggered bool

	// Bracket is the protection of an entry.
	Bracket Bracket
	// Move is the pending change of an entry's stop loss and take profit; nil if there is
	// none.
	Move *Move

	// Attachment is the last reported attachment of a leg that the venue made.
	Attachment *venues.Attachment
	// Withdrawn is set if the service has requested the cancel of the order.
	Withdrawn bool
	// Credited is the part of a leg's FilledQty that is already subtracted from the
	// quantity that its entry has to protect.
	Credited decimal.Decimal
	// retired is set if the leg no longer counts as protection, although it may be open.
	retired bool
}

// Kinds returns the kinds of protection in the order in which they are placed, the stop loss
// first.
func Kinds() []venues.LegKind {
	return []venues.LegKind{venues.LegStopLoss, venues.LegTakeProfit}
}

// Plan returns the protection of a new order, with status pending; nil if it requests none.
func Plan(spec *venues.OrderSpec) *venues.Protection {
	if !spec.StopLoss.Valid && !spec.TakeProfit.Valid {
		return nil
	}
	plan := func(price venues.Optional) *venues.ProtectionLeg {
		if !price.Valid {
			return nil
		}
		return &venues.ProtectionLeg{Status: venues.ProtectionPending, Price: price.Decimal}
	}
	return &venues.Protection{StopLoss: plan(spec.StopLoss), TakeProfit: plan(spec.TakeProfit)}
}

// QtyToProtect returns the quantity of an entry that its legs must cover: the filled quantity
// less the part that was closed since.
func (o *Order) QtyToProtect() decimal.Decimal { return venues.Difference(o.FilledQty, o.ReleasedQty) }

// IsChangeable reports whether the stop loss and take profit of an order can be changed: it is
// active, or the position that it has opened is protected.
func IsChangeable(o *venues.Order) bool {
	return o.Status.IsActive() || (o.Status.IsClosed() && o.FilledQty.IsPositive() && o.Protection.IsActive())
}

// requestedPrice returns the trigger that the entry's record requests for a kind.
func (o *Order) requestedPrice(kind venues.LegKind) venues.Optional {
	if kind == venues.LegStopLoss {
		return o.StopLoss
	}
	return o.TakeProfit
}

// isUnprotected reports whether a filled entry lacks a leg that it should have.
func (o *Order) isUnprotected() bool {
	return o.QtyToProtect().IsPositive() && !o.Bracket.closing && slices.ContainsFunc(Kinds(), func(kind venues.LegKind) bool {
		plan := o.Protection.Leg(kind)
		return plan != nil && plan.Status == venues.ProtectionPending
	})
}

// positionKey returns the key of the position that an entry opens.
func (o *Order) positionKey() string {
	p := venues.Position{Symbol: o.Symbol, Side: o.Side.Opens()}
	return p.Key()
}

// protects reports whether the order is an entry with protection in force for a
// position.
func (o *Order) protects(positionKey string) bool {
	return o.EntryOrderID == "" && o.Protection.IsActive() && (o.QtyToProtect().IsPositive() || o.isOverprotected()) && o.positionKey() == positionKey
}

// isOverprotected reports whether untriggered legs are left although everything that the entry
// opened is closed.
func (o *Order) isOverprotected() bool {
	return o.FilledQty.IsPositive() && !o.QtyToProtect().IsPositive() && slices.ContainsFunc(Kinds(), func(kind venues.LegKind) bool {
		return slices.ContainsFunc(o.Bracket.legs[kind], func(leg *Order) bool { return leg.Status == venues.StatusUntriggered })
	})
}

// endedWithPosition reports whether the venue has ended the leg because the position was closed
// or the other leg was triggered.
func (o *Order) endedWithPosition() bool {
	return o.Error != nil && (o.Error.Reason == venues.ReasonNoPosition || o.Error.Reason == venues.ReasonOtherLegTriggered)
}

// isClosedByOtherLeg reports whether a leg of another kind than except was triggered and has
// ended.
func (o *Order) isClosedByOtherLeg(except venues.LegKind) bool {
	return slices.ContainsFunc(Kinds(), func(kind venues.LegKind) bool {
		plan := o.Protection.Leg(kind)
		return kind != except && plan != nil && plan.Status == venues.ProtectionTriggered && !o.Bracket.Current(kind).isOpen()
	})
}

// isOpen reports whether an order exists and is not closed. o may be nil.
func (o *Order) isOpen() bool { return o != nil && !o.Status.IsClosed() }

// isNotFound reports whether the venue does not list an order of unknown outcome. It may not
// have received it, or not list it yet. o may be nil.
func (o *Order) isNotFound() bool {
	return o != nil && o.Status == venues.StatusUnknown && !o.NotFoundSince.IsZero()
}

// isPlanned reports whether the plan of a kind already has the requested trigger.
func (o *Order) isPlanned(kind venues.LegKind, requested venues.Optional) bool {
	plan := o.Protection.Leg(kind)
	return requested.Valid == plan.IsActive() && (!requested.Valid || plan.Price.Equal(requested.Decimal))
}

// hasNothingAttached reports whether the order has no attached protection: it was sent without,
// or all was removed before it filled.
func (o *Order) hasNothingAttached() bool {
	return o.Protection == nil || (o.FilledQty.IsZero() && !o.StopLoss.Valid && !o.TakeProfit.Valid)
}

// keepsOtherTrigger reports whether a leg of the venue has a trigger that remains after a move
// to targets.
func (o *Order) keepsOtherTrigger(targets map[venues.LegKind]venues.Optional) bool {
	return o.Attachment != nil && slices.ContainsFunc(Kinds(), func(kind venues.LegKind) bool {
		price, changes := targets[kind]
		return o.Attachment.Trigger(kind).Valid && (!changes || price.Valid)
	})
}

// setPlanStatus sets status and order id in the plan of a kind. The protection of a record is
// replaced, never changed in place, because other copies of the record share it.
func (k *Keeper) setPlanStatus(o *Order, kind venues.LegKind, status venues.ProtectionStatus, orderID string) {
	plan := o.Protection.Leg(kind)
	if plan == nil || (plan.Status == status && plan.OrderID == orderID) {
		return
	}
	o.Protection = o.Protection.Clone()
	plan = o.Protection.Leg(kind)
	plan.Status, plan.OrderID = status, orderID
	k.Account.MarkDirty(o)
}

// setPlanPrice sets the price in the plan of a kind after the trigger was moved at the venue.
func (k *Keeper) setPlanPrice(o *Order, kind venues.LegKind, price decimal.Decimal) {
	if plan := o.Protection.Leg(kind); plan == nil || plan.Price.Equal(price) {
		return
	}
	o.Protection = o.Protection.Clone()
	o.Protection.Leg(kind).Price = price
	k.Account.MarkDirty(o)
}

// setRequested sets the requested trigger of a kind in the record. An unknown one removes the
// protection of the kind.
func (k *Keeper) setRequested(o *Order, kind venues.LegKind, requested venues.Optional) {
	o.Protection = o.Protection.Clone()
	if o.Protection == nil {
		o.Protection = &venues.Protection{}
	}
	plan := o.Protection.Leg(kind)
	switch {
	case !requested.Valid && plan != nil:
		plan.Status, plan.OrderID = venues.ProtectionCancelled, ""
	case plan == nil || plan.Status == venues.ProtectionCancelled || plan.Status == venues.ProtectionFailed:
		plan = &venues.ProtectionLeg{Status: venues.ProtectionPending, Price: requested.Decimal}
	default:
		plan.Price = requested.Decimal
	}
	o.replacePlan(kind, plan, requested)
	k.Account.MarkDirty(o)
}

// replacePlan sets the plan and the requested trigger of a kind.
func (o *Order) replacePlan(kind venues.LegKind, plan *venues.ProtectionLeg, requested venues.Optional) {
	if kind == venues.LegStopLoss {
		o.Protection.StopLoss, o.StopLoss = plan, requested
		return
	}
	o.Protection.TakeProfit, o.TakeProfit = plan, requested
}
