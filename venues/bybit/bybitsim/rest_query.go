package bybitsim

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"venuegate/venues/simcore"
)

// openRecords returns the open orders of an account, conditional ones included,
// newest first.
func (s *Sim) openRecords(account, symbol string) []orderRecord {
	untriggered := s.Exchange().Conditionals(account, func(c *simcore.Conditional) bool {
		return c.Open() && (symbol == "" || c.Request.Symbol == symbol)
	})
	return newestFirst(s.Exchange().OpenOrders(account, symbol), untriggered, func(r *orderRecord) time.Time { return r.created })
}

// closedRecords returns the closed orders that were last changed within a span,
// newest first.
func (s *Sim) closedRecords(account, symbol string, from, to time.Time) []orderRecord {
	orders := s.Exchange().Orders(account, func(o *simcore.Order) bool {
		return !o.Status.Open() && (symbol == "" || o.Symbol == symbol) && within(o.UpdatedAt, from, to)
	})
	ended := s.Exchange().Conditionals(account, func(c *simcore.Conditional) bool {
		return c.Status > simcore.ConditionalTriggered && c.OrderID == 0 &&
			(symbol == "" || c.Request.Symbol == symbol) && within(c.UpdatedAt, from, to)
	})
	return newestFirst(orders, ended, func(r *orderRecord) time.Time { return r.updated })
}

// newestFirst returns the records of orders, sorted by time and, within one
// millisecond, by id.
func newestFirst(orders []simcore.Order, conditionals []simcore.Conditional, at func(*orderRecord) time.Time) []orderRecord {
	records := make([]orderRecord, 0, len(orders)+len(conditionals))
	for i := range orders {
		records = append(records, recordOf(&orders[i]))
	}
	for i := range conditionals {
		records = append(records, recordOfConditional(&conditionals[i]))
	}
	slices.SortStableFunc(records, func(a, b orderRecord) int {
		return cmp.Or(at(&b).Compare(at(&a)), strings.Compare(b.OrderID, a.OrderID))
	})
	return records
}

// record returns an order of an account, open or closed.
func (s *Sim) record(account string, ref simcore.OrderRef) (orderRecord, bool) {
	if o, err := s.Exchange().Order(account, "", ref); err == nil {
		return recordOf(&o), true
	}
	if c, err := s.Exchange().Conditional(account, ref); err == nil {
		return recordOfConditional(&c), true
	}
	return orderRecord{}, false
}

// recordByID answers a query by id with a list of one or none. keep reports whether
// the call still returns the record.
func (s *Sim) recordByID(c *call, keep func(*orderRecord) bool) (answer any, named bool) {
	orderID, linkID := c.query.Get("orderId"), c.query.Get("orderLinkId")
	if orderID == "" && linkID == "" {
		return nil, false
	}
	list := []orderRecord{}
	if ref, failed := orderRef(orderID, linkID); failed == nil {
		if r, found := s.record(c.account.ID, ref); found && keep(&r) {
			list = append(list, r)
		}
	}
	cursor := ""
	if len(list) > 0 {
		_, cursor, _ = paginate(&call{}, list, 1, recordKey)
	}
	return linear(list, cursor), true
}

func recordKey(r *orderRecord) string { return r.OrderID + ":" + r.CreatedTime }

const (
	ordersLimitDefault = 20
	ordersLimitMax     = 50
)

// realtimeOrders returns open orders and, by id or with openOnly=1, the most recent
// closed ones.
func (s *Sim) realtimeOrders(c *call) (any, *apiError) {
	l := s.queried(c)
	if c.invalid != nil {
		return nil, c.invalid
	}
	if answer, named := s.recordByID(c, func(r *orderRecord) bool {
		return r.open() || s.recentlyClosed(c, r)
	}); named {
		return answer, nil
	}
	if l == nil && c.query.Get("settleCoin") == "" && c.query.Get("baseCoin") == "" {
		return nil, errParam("params error: symbol, settleCoin or baseCoin is required")
	}
	limit, symbol := c.limit(ordersLimitDefault, ordersLimitMax), c.query.Get("symbol")
	records := s.openRecords(c.account.ID, symbol)
	if c.query.Get("openOnly") == "1" {
		records = s.closedRecords(c.account.ID, symbol, time.Time{}, c.now)
		records = records[:min(len(records), recentClosedMax)]
	}
	return s.recordPage(c, records, limit)
}

// recentlyClosed reports whether realtime still returns a closed order.
func (s *Sim) recentlyClosed(c *call, r *orderRecord) bool {
	return len(s.closedRecords(c.account.ID, "", r.updated.Add(time.Nanosecond), c.now)) < recentClosedMax
}

// ofCoin reports whether a query selects a symbol: by symbol, else by baseCoin, else
// by settleCoin.
func (s *Sim) ofCoin(c *call, symbol string) bool {
	l := s.listings[symbol]
	base, settle := c.query.Get("baseCoin"), c.query.Get("settleCoin")
	switch {
	case c.query.Get("symbol") != "":
		return true // the records are already those of the symbol
	case base != "":
		return l.Base == base
	default:
		return settle == "" || l.Quote == settle
	}
}

func (s *Sim) recordPage(c *call, records []orderRecord, limit int) (any, *apiError) {
	if c.invalid != nil {
		return nil, c.invalid
	}
	kept := records[:0]
	filter, status := c.query.Get("orderFilter"), c.query.Get("orderStatus")
	for _, r := range records {
		isStop := r.StopOrderType != ""
		if !s.ofCoin(c, r.Symbol) || filter == "Order" && isStop || filter == "StopOrder" && !isStop || status != "" && r.OrderStatus != status {
			continue
		}
		kept = append(kept, r)
	}
	return linearPage(c, kept, limit, recordKey)
}

// orderHistory returns closed orders. Those that ended without an execution are
// purged after a day.
func (s *Sim) orderHistory(c *call) (any, *apiError) {
	if s.queried(c); c.invalid != nil {
		return nil, c.invalid
	}
	retained := func(r *orderRecord) bool { return s.retained(r, c.now) }
	if answer, named := s.recordByID(c, func(r *orderRecord) bool { return !r.open() && retained(r) }); named {
		return answer, nil
	}
	from, to := c.span(queryWindowMax)
	limit := c.limit(ordersLimitDefault, ordersLimitMax)
	kept := []orderRecord{}
	for _, r := range s.closedRecords(c.account.ID, c.query.Get("symbol"), from, to) {
		if retained(&r) {
			kept = append(kept, r)
		}
	}
	return s.recordPage(c, kept, limit)
}

func (s *Sim) retained(r *orderRecord, now time.Time) bool {
	if r.unfilled() {
		return now.Sub(r.updated) <= unfilledRetention
	}
	return now.Sub(r.updated) <= filledRetention
}

const (
	executionsLimitDefault = 50
	executionsLimitMax     = 100
)

// executionList returns executions, newest first.
func (s *Sim) executionList(c *call) (any, *apiError) {
	l := s.queried(c)
	from, to := c.span(queryWindowMax)
	limit := c.limit(executionsLimitDefault, executionsLimitMax)
	if c.invalid != nil {
		return nil, c.invalid
	}
	orderID, linkID, kind := c.query.Get("orderId"), c.query.Get("orderLinkId"), c.query.Get("execType")
	kept := s.users.executionsOf(c.account.ID, func(e *execution) bool {
		switch {
		case e.at.Add(s.options.ReadLag).After(c.now):
			return false
		case orderID != "":
			return e.OrderID == orderID
		case linkID != "":
			return e.OrderLinkID == linkID
		}
		return within(e.at, from, to) && (l == nil || e.Symbol == l.Symbol) && (kind == "" || e.ExecType == kind)
	})
	return linearPage(c, kept, limit, func(e *execution) string { return e.ExecID + ":" + e.ExecTime })
}
