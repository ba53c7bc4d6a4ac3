package account

import (
	"context"
	"errors"
	"time"

	"venuegate/actors"
	"venuegate/actors/account/protection"
	"venuegate/venues"
)

type (
	callProtect struct {
		orderID string
		request venues.ProtectRequest
		delay   time.Duration
	}
	// protectDue is the timer of a callProtect with a delay.
	protectDue  struct{ callProtect }
	protectDone struct {
		orderID string
		err     error
	}
)

// amendProtection adds, moves or removes the stop loss and take profit of an order.
func (s *state) amendProtection(step stepContext, in amendOrder) {
	o, rejection := s.changeable(in.cmd.OrderID, protection.IsChangeable)
	if rejection == nil {
		rejection = s.admitProtection(step, o, in)
	}
	if rejection != nil {
		s.after(replyOrder{to: in.orderReply, err: rejection})
		return
	}
	o.origin = in.cmd.Origin
	o.setChange(change{kind: venues.PendingAmend})
	o.Move = protection.NewMove(&o.protectedOrder, &in.cmd)
	s.addChangeWaiter(step, o, in.orderReply)
	o.recordAmendment()
	s.markDirty(o)
	s.protection(step).StartMove(&o.protectedOrder)
}

func (s *state) admitProtection(step stepContext, o *order, in amendOrder) *venues.Error {
	p := s.protection(step)
	if o.change.kind != venues.PendingNone {
		return changePending()
	}
	if err := p.CheckMove(&o.protectedOrder, &in.cmd, in.mark); err != nil {
		return err
	}
	if in.instrument == nil {
		return notListed(o.Symbol, s.exchange)
	}
	return p.CheckTargets(&o.protectedOrder, &in.cmd, in.instrument, in.mark)
}

func (e callProtect) run(a *account, ctx *actors.Context) {
	if e.delay > 0 {
		ctx.Timers().After("protect/"+e.orderID, e.delay, protectDue{callProtect{orderID: e.orderID, request: e.request}})
		return
	}
	protector, can := a.deps.Venue.(venues.Protector)
	if !can {
		a.steps.Enqueue(protectDone{e.orderID, errors.Join(venues.ErrNotSent, errors.ErrUnsupported)})
		return
	}
	a.call(ctx, a.deps.OrderPool, func(c context.Context) any {
		return protectDone{e.orderID, protector.Protect(c, e.request)}
	}, func() any { return protectDone{orderID: e.orderID, err: errPoolFull} })
}

// protected applies the venue's answer to a change of attached protection.
func (s *state) protected(step stepContext, in protectDone) {
	if o, known := s.orders[in.orderID]; known {
		s.protection(step).MoveAnswered(&o.protectedOrder, in.err)
	}
}
