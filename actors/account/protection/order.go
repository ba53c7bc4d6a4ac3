package protection

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// Order is an order as protection sees it: an entry with its bracket, or an order
// that protects an entry or closes what it has opened. The account keeps it as part
// of its own order; the zero values of all fields but the record are a new order's.
type Order struct {
	persistence.OrderRecord

	// FilledAt is the venue's time of the newest fill, or the time at which the order
	// was taken as filled although the venue has not listed the fill.
	FilledAt time.Time
	// Triggered reports that the trigger of a stop was reached.
	Triggered bool

	// Bracket protects what an entry has opened.
	Bracket Bracket
	// Move is the pending change of an entry's stop loss and take profit, nil if
	// there is none.
	Move *Move

	// Attachment is what the venue last reported of a leg that it made itself.
	Attachment *venues.Attachment
	// Withdrawn reports that the service has cancelled the order.
	Withdrawn bool
	// Credited is the part of a leg's FilledQty that is already subtracted from the
	// quantity that its entry has to protect.
	Credited decimal.Decimal
	// retired legs do not count as protection any more, although they may be open.
	retired bool
}

// Kinds lists the kinds of protection in the order in which they are placed: the
// stop loss first.
func Kinds() []venues.LegKind {
	return []venues.LegKind{venues.LegStopLoss, venues.LegTakeProfit}
}

// QtyToProtect returns the quantity of an entry that its legs must cover: what is
// filled and has not been closed since.
func (o *Order) QtyToProtect() decimal.Decimal { return o.FilledQty.Sub(o.ReleasedQty) }

// IsChangeable reports whether stop loss and take profit of an order can still be
// changed: it is active, or what it has opened is protected.
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
		leg := o.Protection.Leg(kind)
		return leg != nil && leg.Status == venues.ProtectionPending
	})
}

// positionKey names the position that an entry opens.
func (o *Order) positionKey() string {
	p := venues.Position{Symbol: o.Symbol, Side: o.Side.Opens()}
	return p.Key()
}

// protects reports whether the order is an entry with protection in force for a
// position.
func (o *Order) protects(positionKey string) bool {
	return o.EntryOrderID == "" && o.Protection.IsActive() && (o.QtyToProtect().IsPositive() || o.isOverprotected()) && o.positionKey() == positionKey
}

// isOverprotected reports whether legs wait for their triggers although everything that the
// entry opened is closed.
func (o *Order) isOverprotected() bool {
	return o.FilledQty.IsPositive() && !o.QtyToProtect().IsPositive() && slices.ContainsFunc(Kinds(), func(kind venues.LegKind) bool {
		return slices.ContainsFunc(o.Bracket.legs[kind], func(leg *Order) bool { return leg.Status == venues.StatusUntriggered })
	})
}

// endedWithPosition reports whether the venue gave the end of the position, or the
// trigger of the other leg, as the reason for the end of the leg.
func (o *Order) endedWithPosition() bool {
	return o.Error != nil && (o.Error.Reason == venues.ReasonNoPosition || o.Error.Reason == venues.ReasonOtherLegTriggered)
}

// isExitedByOther reports whether a leg of another kind was triggered and has ended.
func (o *Order) isExitedByOther(but venues.LegKind) bool {
	return slices.ContainsFunc(Kinds(), func(kind venues.LegKind) bool {
		leg := o.Protection.Leg(kind)
		return kind != but && leg != nil && leg.Status == venues.ProtectionTriggered && !o.Bracket.Current(kind).isOpen()
	})
}

// isOpen reports whether an order exists and is not closed. It is safe on nil.
func (o *Order) isOpen() bool { return o != nil && !o.Status.IsClosed() }

// isPlanned reports whether protection of a kind already is what is requested.
func (o *Order) isPlanned(kind venues.LegKind, requested venues.Optional) bool {
	leg := o.Protection.Leg(kind)
	return requested.Valid == leg.IsActive() && (!requested.Valid || leg.Price.Equal(requested.Decimal))
}

// hasNothingAttached reports whether the venue has no protection with the order: it was sent
// without any, or all was removed before it filled.
func (o *Order) hasNothingAttached() bool {
	return o.Protection == nil || (o.FilledQty.IsZero() && !o.StopLoss.Valid && !o.TakeProfit.Valid)
}

// holdsAnother reports whether a leg of the venue also holds a trigger that remains
// after a move.
func (o *Order) holdsAnother(targets map[venues.LegKind]venues.Optional) bool {
	return o.Attachment != nil && slices.ContainsFunc(Kinds(), func(kind venues.LegKind) bool {
		price, changes := targets[kind]
		return o.Attachment.Trigger(kind).Valid && (!changes || price.Valid)
	})
}

// setLeg changes the status of a leg in the record. The protection of a record is
// replaced, never changed in place: others may hold it.
func (s *Step) setLeg(o *Order, kind venues.LegKind, status venues.ProtectionStatus, orderID string) {
	leg := o.Protection.Leg(kind)
	if leg == nil || (leg.Status == status && leg.OrderID == orderID) {
		return
	}
	o.Protection = o.Protection.Clone()
	leg = o.Protection.Leg(kind)
	leg.Status, leg.OrderID = status, orderID
	s.Port.MarkDirty(o)
}

// setLegPrice takes over the price of a trigger that was moved at the venue.
func (s *Step) setLegPrice(o *Order, kind venues.LegKind, price decimal.Decimal) {
	if leg := o.Protection.Leg(kind); leg == nil || leg.Price.Equal(price) {
		return
	}
	o.Protection = o.Protection.Clone()
	o.Protection.Leg(kind).Price = price
	s.Port.MarkDirty(o)
}

// setRequested writes a requested trigger into the record: an unknown one removes
// the protection of the kind.
func (s *Step) setRequested(o *Order, kind venues.LegKind, requested venues.Optional) {
	o.Protection = o.Protection.Clone()
	if o.Protection == nil {
		o.Protection = &venues.Protection{}
	}
	leg := o.Protection.Leg(kind)
	switch {
	case !requested.Valid && leg != nil:
		leg.Status, leg.OrderID = venues.ProtectionCancelled, ""
	case leg == nil || leg.Status == venues.ProtectionCancelled || leg.Status == venues.ProtectionFailed:
		leg = &venues.ProtectionLeg{Status: venues.ProtectionPending, Price: requested.Decimal}
	default:
		leg.Price = requested.Decimal
	}
	o.setPlan(kind, leg, requested)
	s.Port.MarkDirty(o)
}

// setPlan sets the leg and the requested trigger of a kind.
func (o *Order) setPlan(kind venues.LegKind, leg *venues.ProtectionLeg, requested venues.Optional) {
	if kind == venues.LegStopLoss {
		o.Protection.StopLoss, o.StopLoss = leg, requested
		return
	}
	o.Protection.TakeProfit, o.TakeProfit = leg, requested
}
