package rows

import (
	"venuegate/persistence"
	"venuegate/venues"
)

func orderMembers(c *codec, r *persistence.OrderRecord) {
	venueOrderMembers(c, &r.Order)
	text(c, "customer", &r.Customer)
	text(c, "clientOrderId", &r.ClientOrderID)
	c.flagOmit("conditionalId", &r.ConditionalID)
	c.time("deadline", &r.Deadline)
	c.integerOmit("attempt", &r.Attempt)
	textOmit(c, "scope", &r.Scope)
	textOmit(c, "entryOrderId", &r.EntryOrderID)
	textOmit(c, "protects", &r.Protects)
	textOmit(c, "closesAs", &r.ClosesAs)
	c.flagOmit("closePosition", &r.ClosePosition)
	c.flagOmit("unattached", &r.Unattached)
	c.decimalOmit("releasedQty", &r.ReleasedQty)
	c.flagOmit("closing", &r.Closing)
	c.time("unknownSince", &r.UnknownSince)
	pointerOmit(c, "amend", &r.Amend, amendmentMembers)
}

func venueOrderMembers(c *codec, o *venues.Order) {
	text(c, "orderId", &o.OrderID)
	textOmit(c, "requestId", &o.RequestID)
	text(c, "exchange", &o.Exchange)
	text(c, "status", &o.Status)
	textOmit(c, "pendingAction", &o.PendingAction)
	text(c, "symbol", &o.Symbol)
	text(c, "side", &o.Side)
	text(c, "type", &o.Type)
	c.decimal("qty", &o.Qty)
	c.optional("price", &o.Price)
	c.optional("triggerPrice", &o.TriggerPrice)
	c.optional("stopLoss", &o.StopLoss)
	c.optional("takeProfit", &o.TakeProfit)
	c.flagOmit("reduceOnly", &o.ReduceOnly)
	c.flagOmit("postOnly", &o.PostOnly)
	text(c, "timeInForce", &o.TimeInForce)
	c.decimal("filledQty", &o.FilledQty)
	c.optional("avgPrice", &o.AvgPrice)
	c.optional("fee", &o.Fee)
	textOmit(c, "feeCurrency", &o.FeeCurrency)
	pointerOmit(c, "protection", &o.Protection, protectionMembers)
	text(c, "source", &o.Source)
	textOmit(c, "channelId", &o.ChannelID)
	textOmit(c, "comment", &o.Comment)
	textOmit(c, "venueOrderId", &o.VenueOrderID)
	textOmit(c, "replaces", &o.Replaces)
	textOmit(c, "replacedBy", &o.ReplacedBy)
	pointerOmit(c, "error", &o.Error, rejectReasonMembers)
	c.time("createdAt", &o.CreatedAt)
	c.time("updatedAt", &o.UpdatedAt)
}

func protectionMembers(c *codec, p *venues.Protection) {
	pointerOmit(c, "stopLoss", &p.StopLoss, protectionLegMembers)
	pointerOmit(c, "takeProfit", &p.TakeProfit, protectionLegMembers)
}

func protectionLegMembers(c *codec, l *venues.ProtectionLeg) {
	text(c, "status", &l.Status)
	c.decimal("price", &l.Price)
	textOmit(c, "orderId", &l.OrderID)
}

func rejectReasonMembers(c *codec, r *venues.RejectReason) {
	text(c, "code", &r.Code)
	text(c, "message", &r.Message)
	textOmit(c, "reason", &r.Reason)
	textOmit(c, "venueCode", &r.VenueCode)
	textOmit(c, "venueMessage", &r.VenueMessage)
}

func amendmentMembers(c *codec, a *persistence.Amendment) {
	c.decimal("qty", &a.Qty)
	c.optional("price", &a.Price)
	c.optional("triggerPrice", &a.TriggerPrice)
	c.flagOmit("replaces", &a.Replaces)
	c.optional("stopLoss", &a.StopLoss)
	c.optional("takeProfit", &a.TakeProfit)
	c.flagOmit("dropStopLoss", &a.DropStopLoss)
	c.flagOmit("dropTakeProfit", &a.DropTakeProfit)
	pointerOmit(c, "before", &a.Before, protectionMembers)
	c.time("deadline", &a.Deadline)
}

func fillMembers(c *codec, f *persistence.FillRecord) {
	text(c, "fillId", &f.FillID)
	textOmit(c, "orderId", &f.OrderID)
	textOmit(c, "requestId", &f.RequestID)
	text(c, "exchange", &f.Exchange)
	text(c, "symbol", &f.Symbol)
	text(c, "side", &f.Side)
	textOmit(c, "positionSide", &f.PositionSide)
	c.decimal("qty", &f.Qty)
	c.decimal("price", &f.Price)
	c.optional("fee", &f.Fee)
	textOmit(c, "feeCurrency", &f.FeeCurrency)
	textOmit(c, "liquidity", &f.Liquidity)
	c.optional("realizedPnl", &f.RealizedPnl)
	text(c, "source", &f.Source)
	text(c, "venueTradeId", &f.VenueTradeID)
	textOmit(c, "venueOrderId", &f.VenueOrderID)
	c.time("executedAt", &f.ExecutedAt)
	text(c, "customer", &f.Customer)
	textOmit(c, "closes", &f.Closes)
	textOmit(c, "comment", &f.Comment)
	c.optionalOmit("feeWorth", &f.FeeInSettlement)
}

func idempotencyMembers(c *codec, r *persistence.IdempotencyRecord) {
	text(c, "customer", &r.Customer)
	text(c, "scope", &r.Scope)
	text(c, "requestId", &r.RequestID)
	c.integer("attempt", &r.Attempt)
	text(c, "orderId", &r.OrderID)
	c.bytes("bodyHash", &r.BodyHash)
	c.time("firstReceived", &r.FirstReceived)
	c.time("freedAt", &r.FreedAt)
}
