package rows

import (
	"context"

	"venuegate/persistence"
)

// Endpoints lists a customer's endpoints by id.
func (r Reader) Endpoints(ctx context.Context, customer string) ([]persistence.Endpoint, error) {
	return listRecords[persistence.Endpoint](ctx, r.engine, customer, persistence.KindEndpoint)
}

// EndpointCursor returns the position of an endpoint in the events of its customer.
func (r Reader) EndpointCursor(ctx context.Context, customer, endpoint string) (persistence.EndpointCursor, error) {
	k := persistence.EndpointCursor{Customer: customer, Endpoint: endpoint}.Key()
	return oneRecord[persistence.EndpointCursor](ctx, r.engine, k)
}

// PendingDeliveries lists an endpoint's pending deliveries by due time, earliest
// first.
func (r Reader) PendingDeliveries(ctx context.Context, customer, endpoint string, limit int) ([]persistence.Delivery, error) {
	prefix := newKey(customer, tableDeliveryPending).text(endpoint)
	return oldestRecords[persistence.Delivery](ctx, r.engine, prefix, deliveryKey(customer, ""), pageSize(limit))
}

// Deliveries returns one page of a customer's deliveries.
func (r Reader) Deliveries(ctx context.Context, q persistence.DeliveryQuery) (persistence.Page[persistence.Delivery], error) {
	index := timeRange{prefix: deliveryPrefix(q), from: q.From, to: q.To, after: q.After}
	return view(ctx, r.engine, func(s Snapshot) (persistence.Page[persistence.Delivery], error) {
		return filteredPage(ctx, s, q.Limit, func(_ timeRange, h hit) (persistence.Delivery, bool, error) {
			record, err := indexedRecord[persistence.Delivery](s, deliveryKey(q.Customer, h.ID))
			return record, matchDelivery(&q, &record), err
		}, index)
	})
}

func deliveryKey(customer, id string) persistence.Key {
	return persistence.Key{Kind: persistence.KindDelivery, Customer: customer, ID: id}
}

// deliveryPrefix selects the index with the fewest rows to skip.
func deliveryPrefix(q persistence.DeliveryQuery) key {
	switch {
	case q.EventID != "":
		return newKey(q.Customer, tableDeliveryEvent).text(q.EventID)
	case q.Status == persistence.DeliveryUndelivered:
		return newKey(q.Customer, tableDeliveryUndelivered)
	case q.Endpoint != "":
		return newKey(q.Customer, tableDeliveryEndpoint).text(q.Endpoint)
	}
	return newKey(q.Customer, tableDeliveryTime)
}

// matchDelivery applies the filters that no index range does.
func matchDelivery(q *persistence.DeliveryQuery, d *persistence.Delivery) bool {
	return (q.Endpoint == "" || q.Endpoint == d.Endpoint) && (q.EventID == "" || q.EventID == d.EventID) &&
		(q.Type == "" || q.Type == d.Type) && (q.Status == "" || q.Status == d.Status) &&
		(q.CodeMax == 0 || q.CodeMin <= d.LastCode && d.LastCode <= q.CodeMax) &&
		(!q.NoResponse || d.LastCode == 0 && d.LastError != "")
}
