package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"venuegate/actors/account"
	"venuegate/actors/root"
	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/transport/hooks"
	"venuegate/venues"
)

// tradingMetrics reads what the accounts and the queues of events do at each scrape.
type tradingMetrics struct {
	tree *root.Tree
	// venues are the configured venues with their rate limits.
	venues map[venues.Venue]venues.Connector
	store  *badgerstore.Store
}

// Describe sends nothing, because the set of series depends on what is configured.
func (tradingMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m tradingMetrics) Collect(ch chan<- prometheus.Metric) {
	s := sample{ch}
	now := time.Now()
	for exchange, connector := range m.venues {
		s.orderCounts(string(exchange), m.tree.OrderCounts(exchange))
		s.rateLimits(string(exchange), connector.RateLimits())
	}
	s.accounts(now, m.venues, m.tree.EachAccount)
	s.deliveries(now, m.tree.DeliveryStats())
	if usage, err := m.store.Usage(); err == nil {
		s.put(prometheus.GaugeValue, "venuegate_store_bytes", "Size of the store on the disk.", float64(usage.Bytes), nil)
		s.put(prometheus.GaugeValue, "venuegate_disk_free_bytes", "Free bytes in the file system of the store.", float64(usage.FreeBytes), nil)
	}
}

func (s sample) orderCounts(exchange string, counts *account.Counts) {
	for _, status := range venues.OrderStatuses() {
		s.counter("venuegate_orders_total", "Times that an order reached a status, as recorded.", counts.Orders(status), "exchange", exchange, "status", string(status))
	}
}

func (s sample) rateLimits(exchange string, limits []venues.RateLimit) {
	for _, l := range limits {
		of := []string{"exchange", exchange, "limit", l.Name}
		s.gauge("venuegate_venue_weight_used", "Units used of a venue's rate limit; of limits of accounts, by the account that uses most.", l.Used, of...)
		s.gauge("venuegate_venue_weight_limit", "A venue's rate limit.", l.Limit, of...)
	}
}

// accounts writes the health of the accounts as sums, because customers must not create
// series.
func (s sample) accounts(now time.Time, configured map[venues.Venue]venues.Connector, each func(func(venues.Venue, account.Health))) {
	unknown, oldest, unprotected, total := map[venues.Venue]int{}, time.Duration(0), 0, time.Duration(0)
	each(func(exchange venues.Venue, h account.Health) {
		unknown[exchange] += h.Unknown
		if h.Unknown > 0 {
			oldest = max(oldest, now.Sub(h.UnknownSince))
		}
		unprotected += h.Unprotected
		total += h.UnprotectedTotal(now)
	})
	for exchange := range configured {
		s.gauge("venuegate_orders_unknown", "Orders whose outcome is unknown.", unknown[exchange], "exchange", string(exchange))
	}
	s.put(prometheus.GaugeValue, "venuegate_orders_unknown_oldest_seconds", "Time since the oldest unknown outcome became unknown; 0 if there is none.", oldest.Seconds(), nil)
	s.gauge("venuegate_positions_unprotected", "Positions that lack a stop loss or a take profit which their order requested.", unprotected)
	s.put(prometheus.CounterValue, "venuegate_unprotected_seconds_total", "Time that positions have been unprotected, summed up over positions.", total.Seconds(), nil)
}

func (s sample) deliveries(now time.Time, d root.DeliveryStats) {
	for state, n := range map[persistence.DeliveryStatus]int{
		persistence.DeliveryPending: d.Pending, persistence.DeliveryDelivered: int(d.Delivered), persistence.DeliveryUndelivered: int(d.Undelivered),
	} {
		s.gauge("venuegate_deliveries", "Deliveries of events to endpoints: pending now, or ended since the start.", n, "state", string(state))
	}
	overdue := time.Duration(0)
	if !d.OldestDue.IsZero() {
		overdue = max(0, now.Sub(d.OldestDue))
	}
	s.put(prometheus.GaugeValue, "venuegate_delivery_oldest_due_seconds", "Time since the oldest pending delivery was due; 0 if none is due.", overdue.Seconds(), nil)
}

// Buckets of commit groups.
var (
	commitBuckets    = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .5, 2}
	groupSizeBuckets = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}
)

// observeGroups returns the observer of the store's commit groups, which also keeps the newest.
func observeGroups(metrics prometheus.Registerer, newest *commits) func(batches int, took time.Duration) {
	duration := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "venuegate_commit_duration_seconds", Help: "Time of a commit group from its beginning until it was in the log and, unless its batches allow a delay, synced.", Buckets: commitBuckets,
	})
	size := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "venuegate_commit_group_size", Help: "Batches of a commit group.", Buckets: groupSizeBuckets,
	})
	metrics.MustRegister(duration, size)
	return func(batches int, took time.Duration) {
		duration.Observe(took.Seconds())
		size.Observe(float64(batches))
		newest.add(took)
	}
}

// countSignals returns the observer of received signals.
func countSignals(metrics prometheus.Registerer) func(kind persistence.ChannelKind, result string) {
	signals := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "venuegate_signals_total", Help: "Received signals by kind of channel: accepted, duplicate, or the code of the error.",
	}, []string{"kind", "result"})
	metrics.MustRegister(signals)
	for _, kind := range []persistence.ChannelKind{persistence.ChannelWebhook, persistence.ChannelChart} {
		for _, result := range hooks.Results() {
			signals.WithLabelValues(string(kind), result)
		}
	}
	return func(kind persistence.ChannelKind, result string) { signals.WithLabelValues(string(kind), result).Inc() }
}
