package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"venuegate/actors"
	"venuegate/actors/delivery"
	"venuegate/actors/venue"
	"venuegate/persistence"
	"venuegate/transport/stream"
	"venuegate/venues"
)

// requestBuckets are the bounds of request durations, in seconds: from a read
// of memory to the longest wait for a venue.
var requestBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// times observes how long things take. Labels hold routes, never paths, and
// kinds, never names: nobody outside can make series.
type times struct{ requests, deliveries *prometheus.HistogramVec }

func newTimes(metrics prometheus.Registerer) times {
	t := times{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "venuegate_request_duration_seconds", Help: "Time from the head of a public request to its answer.", Buckets: requestBuckets,
		}, []string{"method", "route", "status"}),
		deliveries: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "venuegate_delivery_duration_seconds", Help: "Time of an attempt to deliver an event, by kind of endpoint and result.", Buckets: requestBuckets,
		}, []string{"kind", "result"}),
	}
	metrics.MustRegister(t.requests, t.deliveries)
	return t
}

func (t times) request(method, route string, status int, took time.Duration) {
	t.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// deliveriesOf observes the attempts of the senders.
func (t times) deliveriesOf(senders map[persistence.EndpointKind]delivery.Sender) map[persistence.EndpointKind]delivery.Sender {
	timed := make(map[persistence.EndpointKind]delivery.Sender, len(senders))
	for kind, sender := range senders {
		timed[kind] = timedSender{sender, func(result string, took time.Duration) {
			t.deliveries.WithLabelValues(string(kind), result).Observe(took.Seconds())
		}}
	}
	return timed
}

// timedSender tells how long each attempt took and what came of it.
type timedSender struct {
	delivery.Sender
	observe func(result string, took time.Duration)
}

// Send implements delivery.Sender.
func (s timedSender) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, attempt int, at time.Time) persistence.Attempt {
	began := time.Now()
	done := s.Sender.Send(ctx, to, e, attempt, at)
	result := "delivered"
	if done.Err != nil {
		result = "failed"
	}
	s.observe(result, time.Since(began))
	return done
}

// engineMetrics reads the statistics that the parts of the engine keep, at each
// scrape and only then.
type engineMetrics struct {
	ready  func() error
	venues map[venues.Venue]func() venue.Stats
	hub    func() stream.Stats
	actors func() actors.Stats
}

// Describe sends nothing: which series there are depends on what runs.
func (engineMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m engineMetrics) Collect(ch chan<- prometheus.Metric) {
	s := sample{ch}
	ready := 0
	if m.ready() == nil {
		ready = 1
	}
	s.gauge("venuegate_ready", "1 while the service accepts trading.", ready)
	s.build()
	for exchange, stats := range m.venues {
		s.venue(string(exchange), stats())
	}
	s.stream(m.hub())
	s.actors(m.actors())
}

// sample writes the metrics of one scrape.
type sample struct{ ch chan<- prometheus.Metric }

func (s sample) gauge(name, help string, value int, labels ...string) {
	s.put(prometheus.GaugeValue, name, help, float64(value), labels)
}

func (s sample) counter(name, help string, value uint64, labels ...string) {
	s.put(prometheus.CounterValue, name, help, float64(value), labels)
}

// put takes labels as names and values in turn.
func (s sample) put(kind prometheus.ValueType, name, help string, value float64, labels []string) {
	var names, values []string
	for i := 0; i+1 < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	s.ch <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, value, values...)
}

func (s sample) build() {
	s.gauge("venuegate_build_info", "The version that runs.", 1, "version", version)
}

func (s sample) venue(exchange string, v venue.Stats) {
	for _, status := range []venue.Status{venue.StatusUp, venue.StatusDegraded, venue.StatusDown} {
		is := 0
		if v.Status == status {
			is = 1
		}
		s.gauge("venuegate_venue_status", "1 for the status that a venue has.", is, "exchange", exchange, "status", string(status))
	}
	s.put(prometheus.GaugeValue, "venuegate_venue_clock_offset_seconds", "The venue's clock minus ours.", v.ClockOffset.Seconds(), []string{"exchange", exchange})
	s.gauge("venuegate_venue_instruments", "Instruments of the venue's catalogue.", v.Instruments, "exchange", exchange)
	s.gauge("venuegate_venue_books", "Order books that are kept.", v.Books, "exchange", exchange)
	s.gauge("venuegate_venue_channels", "Market data channels that are subscribed.", v.Feed.Channels, "exchange", exchange)
	s.gauge("venuegate_venue_channels_interrupted", "Market data channels that say nothing that can be trusted.", v.Feed.Interrupted, "exchange", exchange)
}

func (s sample) stream(h stream.Stats) {
	s.gauge("venuegate_stream_connections", "Open connections.", h.Connections)
	s.gauge("venuegate_stream_connections_unauthenticated", "Open connections that have not authenticated.", h.Unauthenticated)
	s.gauge("venuegate_stream_subscriptions", "Channels of clients.", h.Subscriptions)
	s.gauge("venuegate_stream_topics", "Upstream subscriptions.", h.Topics)
	s.gauge("venuegate_stream_queued_bytes", "Bytes that wait for slow readers.", int(h.QueuedBytes))
	s.counter("venuegate_stream_opened_total", "Upgrades.", h.Opened)
	s.counter("venuegate_stream_refused_total", "Refused upgrades.", h.Refused)
	s.counter("venuegate_stream_deliveries_total", "Frames given to sockets.", h.Deliveries)
	s.counter("venuegate_stream_written_bytes_total", "Bytes written to sockets.", h.WrittenBytes)
	s.counter("venuegate_stream_slow_writes_total", "Writes that a socket did not take at once.", h.SlowWrites)
	s.counter("venuegate_stream_conflations_total", "Channels started anew for slow readers.", h.Conflations)
	s.counter("venuegate_stream_overruns_total", "Topics that outran a shard.", h.Overruns)
	for code, n := range h.Closes {
		name := strconv.Itoa(code)
		if code == 0 {
			name = "other"
		}
		s.counter("venuegate_stream_closes_total", "Ended connections by close code; other are the clients' own.", n, "code", name)
	}
}

func (s sample) actors(a actors.Stats) {
	s.counter("venuegate_actors_dead_letters_total", "Messages that no actor received.", a.DeadLetters)
	for _, k := range a.Kinds {
		s.gauge("venuegate_actors", "Running actors.", k.Actors, "kind", k.Kind)
		s.gauge("venuegate_actors_waiting", "Messages in mailboxes.", k.Waiting, "kind", k.Kind)
		s.counter("venuegate_actors_messages_total", "Messages taken from mailboxes.", k.Messages, "kind", k.Kind)
		s.counter("venuegate_actors_rejections_total", "Messages refused by full mailboxes.", k.Rejections, "kind", k.Kind)
		s.counter("venuegate_actors_failures_total", "Failures of actors.", k.Failures, "kind", k.Kind)
		s.counter("venuegate_actors_restarts_total", "Restarts of actors.", k.Restarts, "kind", k.Kind)
	}
	for _, p := range a.Pools {
		pool, exchange, _ := strings.Cut(p.Name, "/")
		labels := []string{"pool", pool, "exchange", exchange}
		s.gauge("venuegate_pool_running", "Calls that run; exchange is empty for pools of no venue.", p.Running, labels...)
		s.gauge("venuegate_pool_waiting", "Calls that wait for a place.", p.Waiting, labels...)
		s.counter("venuegate_pool_refused_total", "Calls for which there was no place.", p.Refused, labels...)
	}
}
