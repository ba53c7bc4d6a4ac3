package rows

import (
	"strings"

	"venuegate/persistence"
	"venuegate/venues"
)

func orderMembers(c *codec, r *persistence.OrderRecord) {
	venueOrderMembers(c, &r.Order)
	c.customer(&r.Customer)
	text(c, 41, &r.ClientOrderID)
	c.flag(42, &r.ConditionalID)
	c.time(43, &r.Deadline)
	c.integer(44, &r.Attempt)
	text(c, 45, &r.Scope)
	text(c, 46, &r.EntryOrderID)
	text(c, 47, &r.Protects)
	text(c, 48, &r.ClosesAs)
	c.flag(49, &r.ClosePosition)
	c.flag(50, &r.Unattached)
	c.decimal(51, &r.ReleasedQty)
	c.flag(52, &r.Closing)
	c.time(53, &r.UnknownSince)
	pointer(c, 54, &r.Amend, amendmentMembers)
	c.time(55, &r.NotFoundSince)
	text(c, 56, &r.TriggerDirection)
	c.time(57, &r.SeenOpenAt)
}

func venueOrderMembers(c *codec, o *venues.Order) {
	c.id(&o.OrderID)
	originOrderMembers(c, o)
	text(c, 23, &o.Comment)
	text(c, 24, &o.VenueOrderID)
	text(c, 25, &o.Replaces)
	text(c, 26, &o.ReplacedBy)
	pointer(c, 27, &o.Error, rejectReasonMembers)
	c.time(28, &o.CreatedAt)
	c.time(29, &o.UpdatedAt)
}

// originOrderMembers describes the members up to the last one of persistence.OrderQuery.ByOrigin.
func originOrderMembers(c *codec, o *venues.Order) {
	filteredOrderMembers(c, o)
	text(c, 6, &o.Side)
	text(c, 7, &o.Type)
	c.decimal(8, &o.Qty)
	c.optional(9, &o.Price)
	c.optional(10, &o.TriggerPrice)
	c.optional(11, &o.StopLoss)
	c.optional(12, &o.TakeProfit)
	c.flag(13, &o.ReduceOnly)
	c.flag(14, &o.PostOnly)
	text(c, 15, &o.TimeInForce)
	c.decimal(16, &o.FilledQty)
	c.optional(17, &o.AvgPrice)
	c.optional(18, &o.Fee)
	text(c, 19, &o.FeeCurrency)
	pointer(c, 20, &o.Protection, protectionMembers)
	text(c, 21, &o.Source)
	text(c, 22, &o.ChannelID)
}

// filteredOrderMembers describes the members up to the last one that other queries filter by.
func filteredOrderMembers(c *codec, o *venues.Order) {
	text(c, 1, &o.RequestID)
	text(c, 2, &o.Exchange)
	text(c, 3, &o.Status)
	text(c, 4, &o.PendingAction)
	text(c, 5, &o.Symbol)
}

func protectionMembers(c *codec, p *venues.Protection) {
	pointer(c, 1, &p.StopLoss, protectionLegMembers)
	pointer(c, 2, &p.TakeProfit, protectionLegMembers)
}

func protectionLegMembers(c *codec, l *venues.ProtectionLeg) {
	text(c, 1, &l.Status)
	c.decimal(2, &l.Price)
	text(c, 3, &l.OrderID)
}

func rejectReasonMembers(c *codec, r *venues.RejectReason) {
	text(c, 1, &r.Code)
	text(c, 2, &r.Message)
	text(c, 3, &r.Reason)
	text(c, 4, &r.VenueCode)
	text(c, 5, &r.VenueMessage)
}

func amendmentMembers(c *codec, a *persistence.Amendment) {
	c.decimal(1, &a.Qty)
	c.optional(2, &a.Price)
	c.optional(3, &a.TriggerPrice)
	c.flag(4, &a.Replaces)
	c.optional(5, &a.StopLoss)
	c.optional(6, &a.TakeProfit)
	c.flag(7, &a.DropStopLoss)
	c.flag(8, &a.DropTakeProfit)
	pointer(c, 9, &a.Before, protectionMembers)
	c.time(10, &a.Deadline)
}

func fillMembers(c *codec, f *persistence.FillRecord) {
	c.id(&f.FillID)
	filteredFillMembers(c, f)
	text(c, 5, &f.Side)
	text(c, 6, &f.PositionSide)
	c.decimal(7, &f.Qty)
	c.decimal(8, &f.Price)
	c.optional(9, &f.Fee)
	text(c, 10, &f.FeeCurrency)
	text(c, 11, &f.Liquidity)
	c.optional(12, &f.RealizedPnl)
	text(c, 13, &f.Source)
	text(c, 14, &f.VenueTradeID)
	text(c, 15, &f.VenueOrderID)
	c.time(16, &f.ExecutedAt)
	c.customer(&f.Customer)
	text(c, 17, &f.Closes)
	text(c, 18, &f.Comment)
	c.optional(19, &f.FeeInSettlement)
}

// filteredFillMembers describes the members up to the last one that a query filters by.
func filteredFillMembers(c *codec, f *persistence.FillRecord) {
	text(c, 1, &f.OrderID)
	text(c, 2, &f.RequestID)
	text(c, 3, &f.Exchange)
	text(c, 4, &f.Symbol)
}

func idempotencyMembers(c *codec, r *persistence.IdempotencyRecord) {
	c.customer(&r.Customer)
	c.claim(r)
	text(c, 1, &r.OrderID)
	c.bytes(2, &r.BodyHash)
	c.time(3, &r.FirstReceived)
	c.time(4, &r.FreedAt)
}

// claim describes the scope, the request id and the attempt, of which the id is composed.
func (c *codec) claim(r *persistence.IdempotencyRecord) {
	if !c.decoding {
		return
	}
	request, attempt, err := splitAttempt(c.identity.ID)
	if err != nil {
		c.fail(err)
		return
	}
	r.Scope, r.RequestID, _ = strings.Cut(request, "/")
	r.Attempt = int(attempt)
}
