package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

func (s *state) sendProtect(o *order, delay time.Duration) {
	p := o.change.protection
	p.tries++
	s.after(callProtect{orderID: o.OrderID, request: *p.request, delay: delay})
}

func (e callProtect) run(a *account, ctx *actors.Context) {
	if e.delay > 0 {
		ctx.Timers().After("protect/"+e.orderID, e.delay, protectDue{callProtect{orderID: e.orderID, request: e.request}})
		return
	}
	protector, can := a.deps.Venue.(venues.Protector)
	if !can {
		a.Receive(ctx, protectDone{e.orderID, errors.Join(venues.ErrNotSent, errors.ErrUnsupported)})
		return
	}
	a.call(ctx, a.deps.OrderPool, func(c context.Context) any {
		return protectDone{e.orderID, protector.Protect(c, e.request)}
	}, protectDone{orderID: e.orderID, err: errPoolFull})
}

// protected takes the venue's answer to a change of what it has attached.
func (s *state) protected(m moment, in protectDone) {
	o, known := s.orders[in.orderID]
	if !known || o.change.protection == nil || o.change.protection.request == nil {
		return
	}
	p := o.change.protection
	s.touch(o)
	switch {
	case in.err == nil:
		for _, kind := range protecting() {
			if wanted, changes := p.wanted[kind]; changes && p.request.Wants(kind) {
				s.setProtection(o, kind, wanted)
				if !wanted.Valid {
					delete(o.guard.legs, kind) // what is left of it protects the other way
				}
			}
		}
		p.request = nil
	case errors.Is(in.err, venues.ErrOutcomeUnknown) && p.tries < protectTriesMax:
		s.sendProtect(o, time.Second)
	case errors.Is(in.err, venues.ErrOutcomeUnknown):
		s.refuseChange(m, o, venues.Errorf(venues.CodeInternal, "the venue does not say whether it has changed the protection").
			With("orderState", "unknown").Because(in.err))
	default:
		s.refuseChange(m, o, in.err)
	}
}

// settleProtection ends a change of protection once its legs live, and those that
// it takes away are gone.
func (s *state) settleProtection(o *order) {
	p := o.change.protection
	if p.request != nil || p.resumes {
		return
	}
	for kind, wanted := range p.wanted {
		leg := o.Protection.Leg(kind)
		if wanted.Valid && o.guarded().IsPositive() && leg != nil && leg.Status == venues.ProtectionPending {
			return
		}
		if !wanted.Valid && slices.ContainsFunc(o.guard.legs[kind], func(leg *order) bool { return !leg.Status.IsClosed() }) {
			return
		}
	}
	s.endChange(o)
	s.answerChange(o, nil)
}

// restoreProtection undoes a change whose new leg the venue refuses: the leg
// before it still lives, or there was none. False if there is nothing to go back
// to.
func (s *state) restoreProtection(m moment, o, leg *order, kind venues.Protecting) bool {
	p := o.change.protection
	if p == nil {
		return false
	}
	if _, changes := p.wanted[kind]; !changes {
		return false
	}
	before := p.before.Leg(kind)
	if before != nil && before.Status == venues.ProtectionPending {
		return false
	}
	legs := o.guard.legs[kind]
	o.guard.legs[kind] = legs[:len(legs)-1]
	if current := o.guard.current(kind); before != nil && before.Status == venues.ProtectionLive && (current == nil || current.Status.IsClosed()) {
		o.guard.legs[kind] = legs
		return false
	}
	wanted := venues.Optional{}
	if before.IsAwake() {
		wanted = venues.Some(before.Price)
	}
	o.Protection = o.Protection.Clone()
	if kind == venues.ProtectingStopLoss {
		o.Protection.StopLoss, o.StopLoss = before, wanted
	} else {
		o.Protection.TakeProfit, o.TakeProfit = before, wanted
	}
	s.touch(o)
	if current := o.guard.current(kind); before.IsAwake() && current != nil && !s.fits(current, o, before) { // it has filled meanwhile
		s.setLeg(o, kind, venues.ProtectionPending, current.OrderID)
		s.beginGuard(m, o)
		o.guard.due = earlier(o.guard.due, m.now.Add(protectSettle))
	}
	if !o.unprotected() {
		o.guard.rest()
	}
	s.refuseChange(m, o, refusalOf(leg.Error))
	return true
}

// keepBefore goes back to a leg that was to be replaced, and still waits for all that
// is to be protected, once the venue has refused its successor. Nobody is left whose
// change it was, or it was not known then that the leg lives.
func (s *state) keepBefore(m moment, o, refused *order, kind venues.Protecting) bool {
	for _, leg := range slices.Backward(o.guard.legs[kind]) {
		if leg == refused || leg.Status != venues.StatusUntriggered || leg.withdrawn || !s.isOurs(leg) || !leg.Qty.Equal(o.guarded()) {
			continue
		}
		o.guard.link(leg, kind)
		s.setProtection(o, kind, leg.TriggerPrice)
		s.setLeg(o, kind, venues.ProtectionLive, leg.OrderID)
		if !o.unprotected() {
			o.guard.rest()
		}
		if p := o.change.protection; p != nil {
			if _, changes := p.wanted[kind]; changes {
				s.refuseChange(m, o, refusalOf(refused.Error))
			}
		}
		return true
	}
	return false
}
