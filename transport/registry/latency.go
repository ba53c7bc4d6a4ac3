package registry

import (
	"context"
	"fmt"

	"venuegate/persistence"
)

// LatencyReader has the newest orders that were placed, since the start of the service.
type LatencyReader interface {
	// Latency returns where the newest orders of a customer spent their time, or those of all
	// customers if it is empty.
	Latency(customer string) Latency
	// OrderLatency returns the hops of an order of a customer, or of any if it is empty, and false
	// for an order that is not, or no longer, kept.
	OrderLatency(customer, orderID string) (OrderLatency, bool)
}

// Latencies reads where orders spent their time.
type Latencies struct {
	scope
	reader LatencyReader
}

// Report returns the latency of the orders of a customer, or of all in the scope if customer is
// empty.
func (l *Latencies) Report(ctx context.Context, customer string) (Latency, error) {
	customer, err := l.resolve(customer)
	if err == nil && customer != "" {
		err = l.check(ctx, customer)
	}
	if err != nil {
		return Latency{}, err
	}
	return l.reader.Latency(customer), nil
}

// Order returns the hops of one order.
func (l *Latencies) Order(_ context.Context, orderID string) (OrderLatency, error) {
	customer, err := l.resolve("")
	if err != nil {
		return OrderLatency{}, err
	}
	order, kept := l.reader.OrderLatency(customer, orderID)
	if !kept {
		return OrderLatency{}, fmt.Errorf("read the hops of an order: %w", notFound(persistence.ErrNotFound))
	}
	return order, nil
}

// Latency has where the newest orders spent their time. Times are in microseconds.
type Latency struct {
	Items []VenueLatency `json:"items"`
}

// VenueLatency has the newest orders of one venue since the start, as many as are kept.
type VenueLatency struct {
	Exchange string `json:"exchange"`
	Orders   int    `json:"orders"`
	// Hops are in the order in which they end, and then total.
	Hops []HopLatency `json:"hops"`
	// Slowest are the slowest of the orders, the slowest first.
	Slowest []OrderLatency `json:"slowest"`
}

// HopLatency has the percentiles of one hop over the orders that have ended it.
type HopLatency struct {
	Hop    string `json:"hop"`
	Orders int    `json:"orders"`
	P50    int64  `json:"p50Us"`
	P90    int64  `json:"p90Us"`
	P99    int64  `json:"p99Us"`
	P999   int64  `json:"p999Us"`
	Max    int64  `json:"maxUs"`
}

// OrderLatency has the hops of one order.
type OrderLatency struct {
	OrderID    string `json:"orderId"`
	ReceivedAt string `json:"receivedAt"`
	Total      int64  `json:"totalUs"`
	// Hops has the time of each hop that has ended.
	Hops map[string]int64 `json:"hopsUs"`
}
