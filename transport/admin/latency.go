package admin

// Latency is the body of GET /admin/v1/latency: where the newest orders spent their time.
// Times are in microseconds.
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
