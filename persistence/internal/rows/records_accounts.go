package rows

import "venuegate/persistence"

func customerMembers(c *codec, r *persistence.Customer) {
	c.id(&r.ID)
	text(c, 1, &r.Name)
	c.time(2, &r.CreatedAt)
	c.flag(3, &r.Disabled)
}

func apiKeyMembers(c *codec, k *persistence.APIKey) {
	c.id(&k.ID)
	text(c, 1, &k.Customer)
	text(c, 2, &k.Name)
	c.bytes(3, &k.Hash)
	texts(c, 4, &k.Scopes)
	c.time(5, &k.CreatedAt)
	c.time(6, &k.ExpiresAt)
	c.time(7, &k.RevokedAt)
	texts(c, 8, &k.Allow)
	c.time(9, &k.LastUsedAt)
	text(c, 10, &k.LastUsedFrom)
	text(c, 11, &k.ReplacedBy)
}

func settingMembers(c *codec, s *persistence.Setting) {
	c.id(&s.Name)
	c.bytes(1, &s.Value)
}

func venueAccountMembers(c *codec, a *persistence.VenueAccount) {
	c.customer(&a.Customer)
	text(c, 1, &a.Exchange)
	text(c, 2, &a.Environment)
	c.bytes(3, &a.Sealed)
	c.time(4, &a.CreatedAt)
	c.time(5, &a.RemovedAt)
	c.flag(6, &a.Halted)
	c.flag(7, &a.Flatten)
	c.time(8, &a.HaltedAt)
	object(c, 9, &a.Limits, riskLimitsMembers)
	c.flag(10, &a.Hold)
}

func riskLimitsMembers(c *codec, l *persistence.RiskLimits) {
	c.optional(1, &l.DailyLoss)
	c.optional(2, &l.MaxOrderNotional)
	c.integer(3, &l.MaxOpenOrders)
}

func accountStateMembers(c *codec, a *persistence.AccountState) {
	c.customer(&a.Customer)
	text(c, 1, &a.Exchange)
	c.times(2, &a.FillsUntil)
	c.time(3, &a.TradedUntil)
}

func riskMembers(c *codec, r *persistence.RiskRecord) {
	c.customer(&r.Customer)
	text(c, 1, &r.Exchange)
	c.time(2, &r.Day)
	c.optional(3, &r.Baseline)
	c.decimal(4, &r.Forgiven)
	pointer(c, 5, &r.Lock, riskLockMembers)
	c.time(6, &r.HaltDone)
	objects(c, 7, &r.Uncounted, uncountedFeesMembers)
}

func riskLockMembers(c *codec, l *persistence.RiskLock) {
	text(c, 1, &l.Limit)
	c.decimal(2, &l.Threshold)
	c.decimal(3, &l.Actual)
	c.time(4, &l.At)
	c.time(5, &l.Until)
}

func uncountedFeesMembers(c *codec, f *persistence.UncountedFees) {
	text(c, 1, &f.Currency)
	c.decimal(2, &f.Amount)
}

func positionMembers(c *codec, p *persistence.PositionRecord) {
	c.customer(&p.Customer)
	text(c, 1, &p.Exchange)
	text(c, 2, &p.Symbol)
	pointer(c, 3, &p.Long, positionTotalsMembers)
	pointer(c, 4, &p.Short, positionTotalsMembers)
	c.time(5, &p.CutAt)
	text(c, 6, &p.CutTrade)
	c.time(7, &p.KnownSince)
}

func positionTotalsMembers(c *codec, t *persistence.PositionTotals) {
	c.decimal(1, &t.EntryQty)
	c.decimal(2, &t.EntryNotional)
	c.decimal(3, &t.ExitQty)
	c.decimal(4, &t.ExitNotional)
	c.decimal(5, &t.OpenCost)
	c.optional(6, &t.Fee)
	text(c, 7, &t.FeeCurrency)
	c.flag(8, &t.FeesMixed)
	c.time(9, &t.OpenedAt)
	c.decimal(10, &t.UnpricedEntry)
	c.decimal(11, &t.UnpricedExit)
	text(c, 12, &t.Reason)
	text(c, 13, &t.Comment)
}
