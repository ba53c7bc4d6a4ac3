package rows

import (
	"context"
	"errors"
	"time"

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
		derived, err := derivedOrder(s, customer, clientOrderID)
		if err != nil {
			return none, err
		}
		prefix := newKey(customer, tableOrderClient).text(clientOrderID)
		last, err := lastRow(s, prefix)
		if errors.Is(err, persistence.ErrNotFound) && derived != nil {
			return *derived, nil
		}
		if err != nil {
			return none, err
		}
		found, err := indexedOrder(s, customer, last.key[len(prefix):])
		if err == nil && derived != nil && derived.OrderID > found.OrderID {
			return *derived, nil
		}
		return found, err
	})
}

// AdoptedOrder returns the order with an identity.
func (r Reader) AdoptedOrder(ctx context.Context, customer, identity string) (persistence.OrderRecord, error) {
	return view(ctx, r.engine, func(s Snapshot) (none persistence.OrderRecord, err error) {
		prefix := newKey(customer, tableOrderAdopted).text(identity)
		last, err := lastRow(s, prefix)
		if errors.Is(err, persistence.ErrNotFound) { // an earlier version may have adopted it
			return getRecord[persistence.OrderRecord](s, orderKey(customer, persistence.AdoptedOrderID(identity, time.UnixMilli(0))))
		}
		if err != nil {
			return none, err
		}
		return indexedOrder(s, customer, last.key[len(prefix):])
	})
}

// indexedOrder returns the order whose id is the rest of the key of an index row.
func indexedOrder(s Snapshot, customer string, rest key) (none persistence.OrderRecord, err error) {
	reader := keyReader{rest: rest}
	id := reader.text()
	if reader.err != nil {
		return none, reader.err
	}
	return indexedRecord[persistence.OrderRecord](s, orderKey(customer, id))
}

// derivedOrder returns the order whose id a client order id contains; nil if there is none.
func derivedOrder(g Getter, customer, clientOrderID string) (*persistence.OrderRecord, error) {
	id, ok := orderOfClientID(clientOrderID)
	if !ok {
		return nil, nil
	}
	order, err := getRecord[persistence.OrderRecord](g, orderKey(customer, id))
	if errors.Is(err, persistence.ErrNotFound) || err == nil && order.ClientOrderID != clientOrderID {
		return nil, nil
	}
	return &order, err
}

// Orders returns one page of a customer's orders.
func (r Reader) Orders(ctx context.Context, q persistence.OrderQuery) (persistence.Page[persistence.OrderRecord], error) {
	return mergedPage(ctx, r.engine, q.Limit, orderRanges(q),
		func(s Snapshot, h *hit) (bool, error) { return matchOrder(s, q, h) },
		func(s Snapshot, h hit) (persistence.OrderRecord, error) {
			return hitRecord[persistence.OrderRecord](s, orderKey(q.Customer, h.ID), h)
		})
}

// orderRanges selects the index with the fewest rows to skip. It returns one range per
// exchange if open orders of all exchanges are requested: unfinished orders are indexed
// by exchange. Otherwise most orders are found by the time in their ids.
func orderRanges(q persistence.OrderQuery) []timeRange {
	rangeOf := func(prefix key) timeRange { return timeRange{prefix: prefix, from: q.From, to: q.To, after: q.After} }
	switch {
	case q.RequestID != "":
		return []timeRange{rangeOf(newKey(q.Customer, tableOrderRequest).text(q.RequestID))}
	case q.View != persistence.OrdersOpen:
		byID := rangeOf(recordPrefix(q.Customer, persistence.KindOrder))
		byID.ids = idPrefix(persistence.PrefixOrder)
		return []timeRange{rangeOf(newKey(q.Customer, tableOrderTime)), byID}
	case q.Exchange != "":
		return []timeRange{rangeOf(unfinishedPrefix(q.Customer, q.Exchange))}
	}
	var ranges []timeRange
	for _, exchange := range venues.All() {
		ranges = append(ranges, rangeOf(unfinishedPrefix(q.Customer, exchange)))
	}
	return ranges
}

// unfinishedPrefix begins the index rows of an account's unfinished orders.
func unfinishedPrefix(customer string, exchange venues.Venue) key {
	return newKey(customer, tableOrderUnfinished).text(string(exchange))
}

// matchOrder reports whether the order of a row matches the query. It reads the order only
// if the row lacks what the view filters by.
func matchOrder(g Getter, q persistence.OrderQuery, h *hit) (bool, error) {
	if h.isRecord {
		return matchOrderRecord(q, h)
	}
	f, err := decodeIndexFields(h.value)
	if err != nil || (q.Exchange != "" && q.Exchange != f.exchange) || (q.Symbol != "" && q.Symbol != f.symbol) {
		return false, err
	}
	switch {
	case q.ByOrigin():
	case q.View != persistence.OrdersOpen && q.View != persistence.OrdersClosed:
		return true, nil
	case q.View == persistence.OrdersOpen && q.RequestID == "": // the rows of table o
		return !f.closed, nil
	}
	order, err := indexedRecord[persistence.OrderRecord](g, orderKey(q.Customer, h.ID))
	return q.Matches(&order.Order), err
}

// matchOrderRecord reports whether an order without a row by time matches the query. It
// decodes the whole order only if it does.
func matchOrderRecord(q persistence.OrderQuery, h *hit) (bool, error) {
	k := orderKey(q.Customer, h.ID)
	members := filteredOrderMembers
	if q.ByOrigin() {
		members = originOrderMembers
	}
	first, err := decodeFirst(identity{Key: k}, h.value, func(c *codec, r *persistence.OrderRecord) { members(c, &r.Order) })
	if err != nil || !q.Matches(&first.Order) {
		return false, err
	}
	o, err := decodeAs[persistence.OrderRecord](k, h.value)
	h.record = o
	return hasTime(h.ID, persistence.PrefixOrder, o.CreatedAt.UnixMilli()), err
}

// UnfinishedOrders lists an account's orders for which OrderRecord.Unfinished returns
// true, oldest first.
func (r Reader) UnfinishedOrders(ctx context.Context, customer string, exchange venues.Venue) ([]persistence.OrderRecord, error) {
	return oldestRecords[persistence.OrderRecord](ctx, r.engine, unfinishedPrefix(customer, exchange), orderKey(customer, ""), noLimit)
}

// Fills returns one page of a customer's fills.
func (r Reader) Fills(ctx context.Context, q persistence.FillQuery) (persistence.Page[persistence.FillRecord], error) {
	return mergedPage(ctx, r.engine, q.Limit, fillRanges(q),
		func(_ Snapshot, h *hit) (bool, error) { return matchFill(q, h) },
		func(s Snapshot, h hit) (persistence.FillRecord, error) {
			return hitRecord[persistence.FillRecord](s, fillKey(q.Customer, h.ID), h)
		})
}

func fillKey(customer, id string) persistence.Key {
	return persistence.Key{Kind: persistence.KindFill, Customer: customer, ID: id}
}

// fillRanges returns the index and the fills that are found by the time in their ids: all
// of them, or those near the order.
func fillRanges(q persistence.FillQuery) []timeRange {
	byID := timeRange{
		prefix: recordPrefix(q.Customer, persistence.KindFill), ids: idPrefix(persistence.PrefixFill),
		from: q.From, to: q.To, after: q.After,
	}
	index := timeRange{prefix: newKey(q.Customer, tableFillTime), from: q.From, to: q.To, after: q.After}
	if q.OrderID == "" {
		return []timeRange{index, byID}
	}
	index.prefix = newKey(q.Customer, tableFillOrder).text(q.OrderID)
	if from, to, ok := nearTime(q.OrderID); ok {
		return []timeRange{index, byID.within(from, to)}
	}
	return []timeRange{index}
}

// matchFill reports whether the fill of a row matches the query.
func matchFill(q persistence.FillQuery, h *hit) (bool, error) {
	if h.isRecord {
		return matchFillRecord(q, h)
	}
	f, err := decodeIndexFields(h.value)
	if err != nil {
		return false, err
	}
	return (q.Exchange == "" || q.Exchange == f.exchange) && (q.Symbol == "" || q.Symbol == f.symbol), nil
}

// matchFillRecord reports whether a fill without the row of the query matches it. It
// decodes the whole fill only if it does.
func matchFillRecord(q persistence.FillQuery, h *hit) (bool, error) {
	k := fillKey(q.Customer, h.ID)
	first, err := decodeFirst(identity{Key: k}, h.value, filteredFillMembers)
	if err != nil || q.Exchange != "" && q.Exchange != first.Exchange || q.Symbol != "" && q.Symbol != first.Symbol ||
		q.OrderID != "" && q.OrderID != first.OrderID {
		return false, err
	}
	f, err := decodeAs[persistence.FillRecord](k, h.value)
	h.record = f
	if q.OrderID != "" {
		return hasFillOrder(f.OrderID, f.ExecutedAt.UnixMilli(), h.ID), err
	}
	return hasTime(h.ID, persistence.PrefixFill, f.ExecutedAt.UnixMilli()), err
}
