package rows

import (
	"venuegate/persistence"
	"venuegate/venues"
)

func appendOrder(dst []byte, r *persistence.OrderRecord) []byte {
	o := openObject(dst).order(&r.Order).
		text("customer", r.Customer).
		text("clientOrderId", r.ClientOrderID).
		flag("conditionalId", r.ConditionalID).
		moment("deadline", r.Deadline)
	if r.Attempt != 0 {
		o = o.integer("attempt", r.Attempt)
	}
	o = o.omitted("scope", r.Scope).
		omitted("entryOrderId", r.EntryOrderID).
		omitted("protects", string(r.Protects)).
		omitted("closesAs", string(r.ClosesAs)).
		flag("closePosition", r.ClosePosition).
		flag("unattached", r.Unattached)
	if !r.ReleasedQty.IsZero() {
		o = o.decimal("releasedQty", r.ReleasedQty)
	}
	o = o.flag("closing", r.Closing).moment("unknownSince", r.UnknownSince)
	if r.Amend != nil {
		o = o.member("amend", func(o object) object { return o.amendment(r.Amend) })
	}
	return o.close()
}

func (o object) amendment(a *persistence.Amendment) object {
	o = o.decimal("qty", a.Qty).
		optional("price", a.Price).
		optional("triggerPrice", a.TriggerPrice).
		flag("replaces", a.Replaces).
		optional("stopLoss", a.StopLoss).
		optional("takeProfit", a.TakeProfit).
		flag("dropStopLoss", a.DropStopLoss).
		flag("dropTakeProfit", a.DropTakeProfit)
	if a.Before != nil {
		o = o.protection("before", a.Before)
	}
	return o.moment("deadline", a.Deadline)
}

func (o object) order(r *venues.Order) object {
	o = o.text("orderId", r.OrderID).
		omitted("requestId", r.RequestID).
		text("exchange", string(r.Exchange)).
		text("status", string(r.Status)).
		omitted("pendingAction", string(r.PendingAction)).
		spec(&r.OrderSpec).
		decimal("filledQty", r.FilledQty).
		optional("avgPrice", r.AvgPrice).
		optional("fee", r.Fee).
		omitted("feeCurrency", r.FeeCurrency)
	if r.Protection != nil {
		o = o.protection("protection", r.Protection)
	}
	o = o.text("source", string(r.Source)).
		omitted("channelId", r.ChannelID).
		omitted("comment", r.Comment).
		omitted("venueOrderId", r.VenueOrderID).
		omitted("replaces", r.Replaces).
		omitted("replacedBy", r.ReplacedBy)
	if r.Error != nil {
		o = o.member("error", func(o object) object { return o.fault(r.Error) })
	}
	return o.moment("createdAt", r.CreatedAt).moment("updatedAt", r.UpdatedAt)
}

func (o object) spec(s *venues.OrderSpec) object {
	return o.text("symbol", s.Symbol).
		text("side", string(s.Side)).
		text("type", string(s.Type)).
		decimal("qty", s.Qty).
		optional("price", s.Price).
		optional("triggerPrice", s.TriggerPrice).
		optional("stopLoss", s.StopLoss).
		optional("takeProfit", s.TakeProfit).
		flag("reduceOnly", s.ReduceOnly).
		flag("postOnly", s.PostOnly).
		text("timeInForce", string(s.TimeInForce))
}

func (o object) protection(member string, p *venues.Protection) object {
	if p.StopLoss == nil && p.TakeProfit == nil {
		return append(o.name(member), "{},"...)
	}
	return o.member(member, func(o object) object {
		return o.leg("stopLoss", p.StopLoss).leg("takeProfit", p.TakeProfit)
	})
}

// leg leaves out one that is not there.
func (o object) leg(member string, l *venues.ProtectionLeg) object {
	if l == nil {
		return o
	}
	return o.member(member, func(o object) object {
		return o.text("status", string(l.Status)).decimal("price", l.Price).omitted("orderId", l.OrderID)
	})
}

func (o object) fault(f *venues.OrderFault) object {
	return o.text("code", string(f.Code)).
		text("message", f.Message).
		omitted("reason", f.Reason).
		omitted("venueCode", f.VenueCode).
		omitted("venueMessage", f.VenueMessage)
}

func appendFill(dst []byte, r *persistence.FillRecord) []byte {
	o := openObject(dst).fill(&r.Fill).
		text("customer", r.Customer).
		omitted("closes", string(r.Closes)).
		omitted("comment", r.Comment)
	if r.FeeWorth != (venues.Optional{}) {
		o = o.optional("feeWorth", r.FeeWorth)
	}
	return o.close()
}

func (o object) fill(f *venues.Fill) object {
	return o.text("fillId", f.FillID).
		omitted("orderId", f.OrderID).
		omitted("requestId", f.RequestID).
		text("exchange", string(f.Exchange)).
		text("symbol", f.Symbol).
		text("side", string(f.Side)).
		omitted("positionSide", string(f.PositionSide)).
		decimal("qty", f.Qty).
		decimal("price", f.Price).
		optional("fee", f.Fee).
		omitted("feeCurrency", f.FeeCurrency).
		omitted("liquidity", string(f.Liquidity)).
		optional("realizedPnl", f.RealizedPnl).
		text("source", string(f.Source)).
		text("venueTradeId", f.VenueTradeID).
		omitted("venueOrderId", f.VenueOrderID).
		moment("executedAt", f.ExecutedAt)
}
