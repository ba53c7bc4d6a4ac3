package rows

import (
	"venuegate/persistence"
	"venuegate/venues"
)

func channelMembers(c *codec, r *persistence.Channel) {
	text(c, "id", &r.ID)
	text(c, "customer", &r.Customer)
	text(c, "kind", &r.Kind)
	text(c, "name", &r.Name)
	c.bytesOmit("sealed", &r.Sealed)
	c.bytesOmit("previous", &r.Previous)
	c.time("previousUntil", &r.PreviousUntil)
	c.bytesOmit("addressHash", &r.AddressHash)
	c.bytesOmit("tokenHash", &r.TokenHash)
	textsOmit(c, "allow", &r.Allow)
	c.flagOmit("testMode", &r.TestMode)
	object(c, "rules", &r.Rules, channelRulesMembers)
	c.flagOmit("allowRepeats", &r.AllowRepeats)
	c.flagOmit("paused", &r.Paused)
	c.time("createdAt", &r.CreatedAt)
	c.time("removedAt", &r.RemovedAt)
}

func channelRulesMembers(c *codec, r *persistence.ChannelRules) {
	textsOmit(c, "symbols", &r.Symbols)
	c.optional("maxQty", &r.MaxQty)
	c.flagOmit("stopRequired", &r.StopRequired)
	textOmit(c, "opposite", &r.Opposite)
	c.integerOmit("maxAgeSec", &r.MaxAgeSec)
}

func signalMembers(c *codec, s *persistence.SignalRecord) {
	text(c, "customer", &s.Customer)
	text(c, "channelId", &s.ChannelID)
	text(c, "action", &s.Action)
	textOmit(c, "exchange", &s.Exchange)
	textOmit(c, "symbol", &s.Symbol)
	textOmit(c, "side", &s.Side)
	c.optional("qty", &s.Qty)
	textOmit(c, "orderType", &s.Type)
	c.optional("price", &s.Price)
	c.optional("stopLoss", &s.StopLoss)
	c.optional("takeProfit", &s.TakeProfit)
	text(c, "requestId", &s.RequestID)
	c.flagOmit("implied", &s.Implied)
	textOmit(c, "comment", &s.Comment)
	c.bytes("bodyHash", &s.BodyHash)
	textsOmit(c, "ignored", &s.Ignored)
	text(c, "source", &s.Source)
	textOmit(c, "proof", &s.Auth)
	c.time("sentAt", &s.SentAt)
	c.time("receivedAt", &s.ReceivedAt)
	text(c, "id", &s.ID)
	text(c, "status", &s.Status)
	c.integerOmit("attempt", &s.Attempt)
	c.flagOmit("test", &s.Test)
	c.time("expiresAt", &s.ExpiresAt)
	textOmit(c, "step", &s.Step)
	textsOmit(c, "orderIds", &s.OrderIDs)
	pointerOmit(c, "error", &s.Error, rejectReasonMembers)
	c.time("updatedAt", &s.UpdatedAt)
}

func alertMembers(c *codec, a *persistence.Alert) {
	text(c, "id", &a.ID)
	text(c, "customer", &a.Customer)
	text(c, "exchange", &a.Exchange)
	text(c, "symbol", &a.Symbol)
	object(c, "condition", &a.Condition, priceConditionMembers)
	c.flagOmit("repeat", &a.Repeat)
	text(c, "status", &a.Status)
	textOmit(c, "comment", &a.Comment)
	c.time("firedAt", &a.FiredAt)
	c.time("createdAt", &a.CreatedAt)
	c.time("removedAt", &a.RemovedAt)
}

func priceConditionMembers(c *codec, p *venues.PriceCondition) {
	text(c, "field", &p.Field)
	text(c, "op", &p.Op)
	c.decimal("value", &p.Value)
}
