package rows

import (
	"context"

	"venuegate/persistence"
	"venuegate/venues"
)

// Order returns one order of a customer.
func (r Reader) Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error) {
	return oneRecord[persistence.OrderRecord](ctx, r.engine, orderKey(customer, orderID))
}

func orderKey(customer, id string) persistence.Key {
	return persistence.Key{Kind: persistence.KindOrder, Customer: customer, ID: id}
}

// OrderByClientID returns the newest order, by its id, that was sent to a venue under a
// client order id.
func (r Reader) OrderByClientID(ctx context.Context, customer, clientOrderID string) (persistence.OrderRecord, error) {
	return view(ctx, r.engine, func(s Snapshot) (none persistence.OrderRecord, err error) {
		prefix := newKey(customer, tableOrderClient).text(clientOrderID)
		last, err := lastRow(s, prefix)
		if err != nil {
			return none, err
		}
		reader := keyReader{rest: last.key[len(prefix):]}
		id := reader.text()
		if reader.err != nil {
			return none, reader.err
		}
		return indexedRecord[persistence.OrderRecord](s, orderKey(customer, id))
	})
}

// Orders returns one page of a customer's orders.
func (r Reader) Orders(ctx context.Context, q persistence.OrderQuery) (persistence.Page[persistence.OrderRecord], error) {
	size := pageSize(q.Limit)
	return view(ctx, r.engine, func(s Snapshot) (none persistence.Page[persistence.OrderRecord], err error) {
		var lists [][]hit
		for _, prefix := range orderPrefixes(q) {
			index := timeRange{prefix: prefix, from: q.From, to: q.To, after: q.After}
			hits, err := index.newestHits(ctx, s, size+1, func(h hit) (bool, error) { return matchOrder(s, q, h) })
			if err != nil {
				return none, err
			}
			lists = append(lists, hits)
		}
		return loadPage(merge(size+1, lists...), size, func(h hit) (persistence.OrderRecord, error) {
			return indexedRecord[persistence.OrderRecord](s, orderKey(q.Customer, h.ID))
		})
	})
}

// orderPrefixes selects the index with the fewest rows to skip. It returns one prefix
// per exchange if open orders of all exchanges are requested: unfinished orders are
// indexed by exchange.
func orderPrefixes(q persistence.OrderQuery) []key {
	switch {
	case q.RequestID != "":
		return []key{newKey(q.Customer, tableOrderRequest).text(q.RequestID)}
	case q.View != persistence.OrdersOpen:
		return []key{newKey(q.Customer, tableOrderTime)}
	case q.Exchange != "":
		return []key{unfinishedPrefix(q.Customer, q.Exchange)}
	}
	var prefixes []key
	for _, exchange := range venues.All() {
		prefixes = append(prefixes, unfinishedPrefix(q.Customer, exchange))
	}
	return prefixes
}

// unfinishedPrefix begins the index rows of an account's unfinished orders.
func unfinishedPrefix(customer string, exchange venues.Venue) key {
	return newKey(customer, tableOrderUnfinished).text(string(exchange))
}

// matchOrder reports whether the order of an index row matches the query. It reads the
// order only if the row lacks what the view filters by.
func matchOrder(g Getter, q persistence.OrderQuery, h hit) (bool, error) {
	f, err := decodeIndexFields(h.value)
	if err != nil || (q.Exchange != "" && q.Exchange != f.exchange) || (q.Symbol != "" && q.Symbol != f.symbol) {
		return false, err
	}
	switch {
	case q.View != persistence.OrdersOpen && q.View != persistence.OrdersClosed:
		return true, nil
	case q.View == persistence.OrdersOpen && q.RequestID == "": // the rows of table o
		return !f.closed, nil
	}
	order, err := indexedRecord[persistence.OrderRecord](g, orderKey(q.Customer, h.ID))
	return order.Status.IsClosed() == (q.View == persistence.OrdersClosed), err
}

// UnfinishedOrders lists an account's orders for which OrderRecord.Unfinished returns
// true, oldest first.
func (r Reader) UnfinishedOrders(ctx context.Context, customer string, exchange venues.Venue) ([]persistence.OrderRecord, error) {
	return oldestRecords[persistence.OrderRecord](ctx, r.engine, unfinishedPrefix(customer, exchange), orderKey(customer, ""), noLimit)
}

// Fills returns one page of a customer's fills.
func (r Reader) Fills(ctx context.Context, q persistence.FillQuery) (persistence.Page[persistence.FillRecord], error) {
	size := pageSize(q.Limit)
	prefix := newKey(q.Customer, tableFillTime)
	if q.OrderID != "" {
		prefix = newKey(q.Customer, tableFillOrder).text(q.OrderID)
	}
	return view(ctx, r.engine, func(s Snapshot) (none persistence.Page[persistence.FillRecord], err error) {
		index := timeRange{prefix: prefix, from: q.From, to: q.To, after: q.After}
		hits, err := index.newestHits(ctx, s, size+1, func(h hit) (bool, error) { return matchFill(q, h.value) })
		if err != nil {
			return none, err
		}
		return loadPage(hits, size, func(h hit) (persistence.FillRecord, error) {
			k := persistence.Key{Kind: persistence.KindFill, Customer: q.Customer, ID: h.ID}
			return indexedRecord[persistence.FillRecord](s, k)
		})
	})
}

// matchFill reports whether the fill of an index row with the value matches the query.
func matchFill(q persistence.FillQuery, value []byte) (bool, error) {
	f, err := decodeIndexFields(value)
	if err != nil {
		return false, err
	}
	return (q.Exchange == "" || q.Exchange == f.exchange) && (q.Symbol == "" || q.Symbol == f.symbol), nil
}
