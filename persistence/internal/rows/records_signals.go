package rows

import (
	"venuegate/persistence"
	"venuegate/venues"
)

func channelMembers(c *codec, r *persistence.Channel) {
	c.id(&r.ID)
	c.customer(&r.Customer)
	text(c, 1, &r.Kind)
	text(c, 2, &r.Name)
	c.bytes(3, &r.Sealed)
	c.bytes(4, &r.Previous)
	c.time(5, &r.PreviousUntil)
	c.bytes(6, &r.AddressHash)
	c.bytes(7, &r.TokenHash)
	texts(c, 8, &r.Allow)
	c.flag(9, &r.TestMode)
	object(c, 10, &r.Rules, channelRulesMembers)
	c.flag(11, &r.AllowRepeats)
	c.flag(12, &r.Paused)
	c.time(13, &r.CreatedAt)
	c.time(14, &r.RemovedAt)
}

func channelRulesMembers(c *codec, r *persistence.ChannelRules) {
	texts(c, 1, &r.Symbols)
	c.optional(2, &r.MaxQty)
	c.flag(3, &r.StopRequired)
	text(c, 4, &r.Opposite)
	c.integer(5, &r.MaxAgeSec)
}

func signalMembers(c *codec, s *persistence.SignalRecord) {
	c.customer(&s.Customer)
	text(c, 1, &s.ChannelID)
	text(c, 2, &s.Action)
	text(c, 3, &s.Exchange)
	text(c, 4, &s.Symbol)
	text(c, 5, &s.Side)
	c.optional(6, &s.Qty)
	text(c, 7, &s.Type)
	c.optional(8, &s.Price)
	c.optional(9, &s.StopLoss)
	c.optional(10, &s.TakeProfit)
	text(c, 11, &s.RequestID)
	c.flag(12, &s.Implied)
	text(c, 13, &s.Comment)
	c.bytes(14, &s.BodyHash)
	texts(c, 15, &s.Ignored)
	text(c, 16, &s.Source)
	text(c, 17, &s.Auth)
	c.time(18, &s.SentAt)
	c.time(19, &s.ReceivedAt)
	c.id(&s.ID)
	text(c, 20, &s.Status)
	c.integer(21, &s.Attempt)
	c.flag(22, &s.Test)
	c.time(23, &s.ExpiresAt)
	text(c, 24, &s.Step)
	texts(c, 25, &s.OrderIDs)
	pointer(c, 26, &s.Error, rejectReasonMembers)
	c.time(27, &s.UpdatedAt)
}

func alertMembers(c *codec, a *persistence.Alert) {
	c.id(&a.ID)
	c.customer(&a.Customer)
	text(c, 1, &a.Exchange)
	text(c, 2, &a.Symbol)
	object(c, 3, &a.Condition, priceConditionMembers)
	c.flag(4, &a.Repeat)
	text(c, 5, &a.Status)
	text(c, 6, &a.Comment)
	c.time(7, &a.FiredAt)
	c.time(8, &a.CreatedAt)
	c.time(9, &a.RemovedAt)
}

func priceConditionMembers(c *codec, p *venues.PriceCondition) {
	text(c, 1, &p.Field)
	text(c, 2, &p.Op)
	c.decimal(3, &p.Value)
}
