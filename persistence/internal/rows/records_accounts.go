package rows

import "venuegate/persistence"

func customerMembers(c *codec, r *persistence.Customer) {
	text(c, "id", &r.ID)
	text(c, "name", &r.Name)
	c.time("createdAt", &r.CreatedAt)
	c.flagOmit("disabled", &r.Disabled)
}

func apiKeyMembers(c *codec, k *persistence.APIKey) {
	text(c, "id", &k.ID)
	text(c, "customer", &k.Customer)
	text(c, "name", &k.Name)
	c.bytes("hash", &k.Hash)
	texts(c, "scopes", &k.Scopes)
	c.time("createdAt", &k.CreatedAt)
	c.time("expiresAt", &k.ExpiresAt)
	c.time("revokedAt", &k.RevokedAt)
	textsOmit(c, "allow", &k.Allow)
}

func settingMembers(c *codec, s *persistence.Setting) {
	text(c, "name", &s.Name)
	c.bytes("value", &s.Value)
}

func venueAccountMembers(c *codec, a *persistence.VenueAccount) {
	text(c, "customer", &a.Customer)
	text(c, "exchange", &a.Exchange)
	text(c, "environment", &a.Environment)
	c.bytes("sealed", &a.Sealed)
	c.time("createdAt", &a.CreatedAt)
	c.time("removedAt", &a.RemovedAt)
	c.flagOmit("halted", &a.Halted)
	c.flagOmit("flatten", &a.Flatten)
	c.timeOmit("haltedAt", &a.HaltedAt)
	object(c, "limits", &a.Limits, riskLimitsMembers)
}

func riskLimitsMembers(c *codec, l *persistence.RiskLimits) {
	c.optional("dailyLoss", &l.DailyLoss)
	c.optional("maxOrderNotional", &l.MaxOrderNotional)
	c.integerOmit("maxOpenOrders", &l.MaxOpenOrders)
}

func accountStateMembers(c *codec, a *persistence.AccountState) {
	text(c, "customer", &a.Customer)
	text(c, "exchange", &a.Exchange)
	c.timesOmit("fillsUntil", &a.FillsUntil)
	c.timeOmit("tradedUntil", &a.TradedUntil)
}

func riskMembers(c *codec, r *persistence.RiskRecord) {
	text(c, "customer", &r.Customer)
	text(c, "exchange", &r.Exchange)
	c.time("day", &r.Day)
	c.optional("baseline", &r.Baseline)
	c.decimal("forgiven", &r.Forgiven)
	pointer(c, "lock", &r.Lock, riskLockMembers)
	c.timeOmit("haltDone", &r.HaltDone)
	objectsOmit(c, "uncounted", &r.Uncounted, uncountedFeesMembers)
}

func riskLockMembers(c *codec, l *persistence.RiskLock) {
	text(c, "limit", &l.Limit)
	c.decimal("threshold", &l.Threshold)
	c.decimal("actual", &l.Actual)
	c.time("at", &l.At)
	c.time("until", &l.Until)
}

func uncountedFeesMembers(c *codec, f *persistence.UncountedFees) {
	text(c, "currency", &f.Currency)
	c.decimal("amount", &f.Amount)
}

func positionMembers(c *codec, p *persistence.PositionRecord) {
	text(c, "customer", &p.Customer)
	text(c, "exchange", &p.Exchange)
	text(c, "symbol", &p.Symbol)
	pointerOmit(c, "long", &p.Long, positionTotalsMembers)
	pointerOmit(c, "short", &p.Short, positionTotalsMembers)
	c.time("cutAt", &p.CutAt)
	textOmit(c, "cutTrade", &p.CutTrade)
	c.time("knownSince", &p.KnownSince)
}

func positionTotalsMembers(c *codec, t *persistence.PositionTotals) {
	c.decimal("entryQty", &t.EntryQty)
	c.decimal("entryNotional", &t.EntryNotional)
	c.decimal("exitQty", &t.ExitQty)
	c.decimal("exitNotional", &t.ExitNotional)
	c.decimal("openCost", &t.OpenCost)
	c.optional("fee", &t.Fee)
	textOmit(c, "feeCurrency", &t.FeeCurrency)
	c.flagOmit("feesMixed", &t.FeesMixed)
	c.time("openedAt", &t.OpenedAt)
	c.decimal("unpricedEntry", &t.UnpricedEntry)
	c.decimal("unpricedExit", &t.UnpricedExit)
	textOmit(c, "reason", &t.Reason)
	textOmit(c, "comment", &t.Comment)
}
