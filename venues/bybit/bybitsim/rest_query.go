package bybitsim

import (
	"sort"
	"time"

	"venuegate/venues/simcore"
)

// openRecords returns the open orders of an account, conditional ones included,
// newest first.
func (s *Sim) openRecords(account, symbol string) []orderRecord {
	orders := s.Exchange().OpenOrders(account, symbol)
	records := make([]orderRecord, 0, len(orders))
	for i := range orders {
		records = append(records, recordOf(&orders[i]))
	}
	untriggered := s.Exchange().Conditionals(account, func(c *simcore.Conditional) bool {
		return c.Open() && (symbol == "" || c.Request.Symbol == symbol)
	})
	for i := range untriggered {
		records = append(records, recordOfConditional(&untriggered[i]))
	}
	newestFirst(records, func(r *orderRecord) time.Time { return r.created })
	return records
}

// closedRecords returns the closed orders that were last changed within a span,
// newest first.
func (s *Sim) closedRecords(account, symbol string, from, to time.Time) []orderRecord {
	orders := s.Exchange().Orders(account, func(o *simcore.Order) bool {
		return !o.Status.Open() && (symbol == "" || o.Symbol == symbol) && within(o.UpdatedAt, from, to)
	})
	records := make([]orderRecord, 0, len(orders))
	for i := range orders {
		records = append(records, recordOf(&orders[i]))
	}
	ended := s.Exchange().Conditionals(account, func(c *simcore.Conditional) bool {
		return c.Status > simcore.ConditionalTriggered && c.OrderID == 0 &&
			(symbol == "" || c.Request.Symbol == symbol) && within(c.UpdatedAt, from, to)
	})
	for i := range ended {
		records = append(records, recordOfConditional(&ended[i]))
	}
	newestFirst(records, func(r *orderRecord) time.Time { return r.updated })
	return records
}

// newestFirst sorts by time and, within one millisecond, by id.
func newestFirst(records []orderRecord, at func(*orderRecord) time.Time) {
	sort.SliceStable(records, func(i, j int) bool {
		a, b := &records[i], &records[j]
		if at(a).Equal(at(b)) {
			return a.OrderID > b.OrderID
		}
		return at(a).After(at(b))
	})
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
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	if answer, named := s.recordByID(c, func(r *orderRecord) bool {
		return r.open() || s.recentlyClosed(c, r)
	}); named {
		return answer, nil
	}
	symbol := ""
	switch {
	case l != nil:
		symbol = l.Symbol
	case c.query.Get("settleCoin") == "" && c.query.Get("baseCoin") == "":
		return nil, errParam("params error: symbol, settleCoin or baseCoin is required")
	}
	limit, failed := c.limit(ordersLimitDefault, ordersLimitMax)
	if failed != nil {
		return nil, failed
	}
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
	kept := records[:0]
	filter, status := c.query.Get("orderFilter"), c.query.Get("orderStatus")
	for _, r := range records {
		isStop := r.StopOrderType != ""
		if !s.ofCoin(c, r.Symbol) || filter == "Order" && isStop || filter == "StopOrder" && !isStop || status != "" && r.OrderStatus != status {
			continue
		}
		kept = append(kept, r)
	}
	list, cursor, failed := paginate(c, kept, limit, recordKey)
	if failed != nil {
		return nil, failed
	}
	return linear(list, cursor), nil
}

// orderHistory returns closed orders. Those that ended without an execution are
// purged after a day.
func (s *Sim) orderHistory(c *call) (any, *apiError) {
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	retained := func(r *orderRecord) bool { return s.retained(r, c.now) }
	if answer, named := s.recordByID(c, func(r *orderRecord) bool { return !r.open() && retained(r) }); named {
		return answer, nil
	}
	from, to, failed := c.span(queryWindowMax)
	if failed != nil {
		return nil, failed
	}
	limit, failed := c.limit(ordersLimitDefault, ordersLimitMax)
	if failed != nil {
		return nil, failed
	}
	symbol := ""
	if l != nil {
		symbol = l.Symbol
	}
	kept := []orderRecord{}
	for _, r := range s.closedRecords(c.account.ID, symbol, from, to) {
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
	l, failed := s.queried(c)
	if failed != nil {
		return nil, failed
	}
	from, to, failed := c.span(queryWindowMax)
	if failed != nil {
		return nil, failed
	}
	limit, failed := c.limit(executionsLimitDefault, executionsLimitMax)
	if failed != nil {
		return nil, failed
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
	list, cursor, failed := paginate(c, kept, limit, func(e *execution) string { return e.ExecID + ":" + e.ExecTime })
	if failed != nil {
		return nil, failed
	}
	return linear(list, cursor), nil
}
