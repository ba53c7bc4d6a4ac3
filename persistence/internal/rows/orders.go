package rows

import (
	"context"

	"venuegate/persistence"
	"venuegate/venues"
)

// Order finds one order of a customer.
func (r Reader) Order(ctx context.Context, customer, orderID string) (persistence.OrderRecord, error) {
	return oneRecord[persistence.OrderRecord](ctx, r.engine, orderKey(customer, orderID))
}

func orderKey(customer, id string) persistence.Key {
	return persistence.Key{Kind: persistence.KindOrder, Customer: customer, ID: id}
}

// OrderByClientID finds the newest order that was told to a venue under a client
// id.
func (r Reader) OrderByClientID(ctx context.Context, customer, clientOrderID string) (persistence.OrderRecord, error) {
	var found persistence.OrderRecord
	err := r.engine.View(ctx, func(s Snapshot) error {
		prefix := newKey(customer, tableOrderClient).text(clientOrderID)
		var id string
		var malformed error
		err := s.Scan(prefix, prefix.end(), true, func(key, _ []byte) bool {
			reader := keyReader{rest: key[len(prefix):]}
			id, malformed = reader.text(), reader.err
			return false
		})
		if err := firstError(malformed, err); err != nil {
			return err
		}
		if id == "" {
			return persistence.ErrNotFound
		}
		found, err = indexed[persistence.OrderRecord](s, orderKey(customer, id))
		return err
	})
	return found, err
}

// Orders reads one page of a customer's orders.
func (r Reader) Orders(ctx context.Context, q persistence.OrderQuery) (persistence.Page[persistence.OrderRecord], error) {
	var page persistence.Page[persistence.OrderRecord]
	size := pageSize(q.Limit)
	err := r.engine.View(ctx, func(s Snapshot) error {
		var lists [][]hit
		for _, prefix := range orderPrefixes(q) {
			index := span{prefix: prefix, from: q.From, to: q.To, after: q.After}
			hits, err := index.newest(ctx, s, size+1, func(h hit) (bool, error) { return matchOrder(s, q, h) })
			if err != nil {
				return err
			}
			lists = append(lists, hits)
		}
		var err error
		page, err = makePage(merge(size+1, lists...), size, func(h hit) (persistence.OrderRecord, error) {
			return indexed[persistence.OrderRecord](s, orderKey(q.Customer, h.ID))
		})
		return err
	})
	return page, err
}

// orderPrefixes chooses the index with the fewest rows besides those wanted.
// Open orders are kept per exchange, so that several ranges may be merged.
func orderPrefixes(q persistence.OrderQuery) []key {
	switch {
	case q.RequestID != "":
		return []key{newKey(q.Customer, tableOrderRequest).text(q.RequestID)}
	case q.View != persistence.OrdersOpen:
		return []key{newKey(q.Customer, tableOrderTime)}
	case q.Exchange != "":
		return []key{openPrefix(q.Customer, q.Exchange)}
	}
	var prefixes []key
	for _, exchange := range venues.All() {
		prefixes = append(prefixes, openPrefix(q.Customer, exchange))
	}
	return prefixes
}

func openPrefix(customer string, exchange venues.Venue) key {
	return newKey(customer, tableOrderOpen).text(string(exchange))
}

func matchOrder(g Getter, q persistence.OrderQuery, h hit) (bool, error) {
	f, err := decodeFacts(h.value)
	if err != nil || (q.Exchange != "" && q.Exchange != f.exchange) || (q.Symbol != "" && q.Symbol != f.symbol) {
		return false, err
	}
	switch {
	case q.View != persistence.OrdersOpen && q.View != persistence.OrdersClosed:
		return true, nil
	case q.View == persistence.OrdersOpen && q.RequestID == "": // the rows of table o tell
		return !f.closed, nil
	}
	order, err := indexed[persistence.OrderRecord](g, orderKey(q.Customer, h.ID))
	return order.Status.IsClosed() == (q.View == persistence.OrdersClosed), err
}

// UnfinishedOrders lists an account's orders that can still change or still have
// protection to look after, oldest first.
func (r Reader) UnfinishedOrders(ctx context.Context, customer string, exchange venues.Venue) ([]persistence.OrderRecord, error) {
	return oldest[persistence.OrderRecord](ctx, r.engine, openPrefix(customer, exchange), orderKey(customer, ""), noLimit)
}

// Fills reads one page of a customer's fills.
func (r Reader) Fills(ctx context.Context, q persistence.FillQuery) (persistence.Page[persistence.FillRecord], error) {
	var page persistence.Page[persistence.FillRecord]
	size := pageSize(q.Limit)
	prefix := newKey(q.Customer, tableFillTime)
	if q.OrderID != "" {
		prefix = newKey(q.Customer, tableFillOrder).text(q.OrderID)
	}
	err := r.engine.View(ctx, func(s Snapshot) error {
		index := span{prefix: prefix, from: q.From, to: q.To, after: q.After}
		hits, err := index.newest(ctx, s, size+1, func(h hit) (bool, error) { return matchFill(q, h.value) })
		if err != nil {
			return err
		}
		page, err = makePage(hits, size, func(h hit) (persistence.FillRecord, error) {
			k := persistence.Key{Kind: persistence.KindFill, Customer: q.Customer, ID: h.ID}
			return indexed[persistence.FillRecord](s, k)
		})
		return err
	})
	return page, err
}

func matchFill(q persistence.FillQuery, value []byte) (bool, error) {
	f, err := decodeFacts(value)
	if err != nil {
		return false, err
	}
	return (q.Exchange == "" || q.Exchange == f.exchange) && (q.Symbol == "" || q.Symbol == f.symbol), nil
}
