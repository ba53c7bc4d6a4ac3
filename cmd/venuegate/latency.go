package main

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"venuegate/transport/registry"
	"venuegate/venues"
)

const (
	// latencyOrdersMax is the number of orders of each venue whose hops are kept, those of all
	// customers together. They are in memory only: an order's record does not have them.
	latencyOrdersMax = 2048
	// slowestMax is the number of the slowest orders that are listed.
	slowestMax = 10
)

// hopTotal is the name of the time from the receipt to the last hop.
const hopTotal = "total"

// hopBuckets are the bounds of the durations of hops, in seconds.
var hopBuckets = []float64{.00001, .000025, .00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}

// latency keeps the hops of the newest orders, and observes each hop. It is safe for
// concurrent use.
type latency struct {
	durations [venues.HopCount]prometheus.Observer
	newest    map[venues.Venue]*newestOrders
}

// newestOrders is a ring of the newest orders of a venue.
type newestOrders struct {
	mu    sync.Mutex
	ring  []placedOrder
	count int // since the start
}

type placedOrder struct {
	customer string
	id       string
	hops     *venues.Hops
}

func newLatency(metrics prometheus.Registerer) *latency {
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "venuegate_order_hop_duration_seconds", Help: "Time of an order between two stages, by the stage that it has reached.", Buckets: hopBuckets,
	}, []string{"hop"})
	metrics.MustRegister(durations)
	l := &latency{newest: map[venues.Venue]*newestOrders{}}
	for hop := range venues.HopCount {
		l.durations[hop] = durations.WithLabelValues(hop.String())
	}
	for _, exchange := range venues.All() {
		l.newest[exchange] = &newestOrders{}
	}
	return l
}

// order adds an order that was answered.
func (l *latency) order(exchange venues.Venue, customer, orderID string, hops *venues.Hops) {
	eachHop(hops, func(hop venues.Hop, took time.Duration) { l.durations[hop].Observe(took.Seconds()) })
	n := l.newest[exchange]
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.ring) < latencyOrdersMax {
		n.ring = append(n.ring, placedOrder{customer, orderID, hops})
	} else {
		n.ring[n.count%latencyOrdersMax] = placedOrder{customer, orderID, hops}
	}
	n.count++
}

// eachHop calls do for each hop that has ended, with the time since the one before.
func eachHop(hops *venues.Hops, do func(hop venues.Hop, took time.Duration)) (total time.Duration) {
	for hop := range venues.HopCount {
		ended := hops.Ended(hop)
		if ended == 0 {
			continue
		}
		do(hop, max(0, ended-total))
		total = max(total, ended)
	}
	return total
}

// Latency implements registry.LatencyReader.
func (l *latency) Latency(customer string) registry.Latency {
	r := registry.Latency{Items: make([]registry.VenueLatency, 0, len(l.newest))}
	for _, exchange := range venues.All() {
		orders := l.newest[exchange].list(func(o *placedOrder) bool { return customer == "" || o.customer == customer })
		r.Items = append(r.Items, venueLatency(exchange, orders))
	}
	return r
}

// OrderLatency implements registry.LatencyReader.
func (l *latency) OrderLatency(customer, orderID string) (registry.OrderLatency, bool) {
	for _, exchange := range venues.All() {
		found := l.newest[exchange].list(func(o *placedOrder) bool { return o.id == orderID && (customer == "" || o.customer == customer) })
		if len(found) > 0 {
			return orderLatency(&found[0]), true
		}
	}
	return registry.OrderLatency{}, false
}

// list returns the orders that match.
func (n *newestOrders) list(match func(*placedOrder) bool) []placedOrder {
	n.mu.Lock()
	orders := slices.Clone(n.ring)
	n.mu.Unlock()
	return slices.DeleteFunc(orders, func(o placedOrder) bool { return !match(&o) })
}

func orderLatency(o *placedOrder) registry.OrderLatency {
	row := registry.OrderLatency{OrderID: o.id, ReceivedAt: o.hops.Received().UTC().Format(venues.TimeFormat), Hops: map[string]int64{}}
	row.Total = eachHop(o.hops, func(hop venues.Hop, took time.Duration) { row.Hops[hop.String()] = took.Microseconds() }).Microseconds()
	return row
}

func venueLatency(exchange venues.Venue, orders []placedOrder) registry.VenueLatency {
	times := map[string][]int64{}
	list := make([]registry.OrderLatency, 0, len(orders))
	for i := range orders {
		row := orderLatency(&orders[i])
		for hop, took := range row.Hops {
			times[hop] = append(times[hop], took)
		}
		times[hopTotal] = append(times[hopTotal], row.Total)
		list = append(list, row)
	}
	v := registry.VenueLatency{Exchange: string(exchange), Orders: len(orders)}
	for hop := range venues.HopCount {
		v.Hops = append(v.Hops, percentiles(hop.String(), times[hop.String()]))
	}
	v.Hops = append(v.Hops, percentiles(hopTotal, times[hopTotal]))
	slices.SortFunc(list, func(a, b registry.OrderLatency) int { return cmp.Compare(b.Total, a.Total) })
	v.Slowest = list[:min(slowestMax, len(list))]
	return v
}

// percentiles returns the percentiles of times by the nearest rank; zeros if there are none.
func percentiles(hop string, times []int64) registry.HopLatency {
	h := registry.HopLatency{Hop: hop, Orders: len(times)}
	if len(times) == 0 {
		return h
	}
	slices.Sort(times)
	rank := func(perMille int) int64 { return times[(len(times)*perMille+999)/1000-1] }
	h.P50, h.P90, h.P99, h.P999, h.Max = rank(500), rank(900), rank(990), rank(999), times[len(times)-1]
	return h
}
