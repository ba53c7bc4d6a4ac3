package main

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"venuegate/actors"
	"venuegate/transport/stream"
)

// requestBuckets are the bounds of request durations, in seconds: from a read
// of memory to the longest wait for a venue.
var requestBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// requestTimes observes the answers of the REST edge by route, never by path: a
// client must not be able to make series.
type requestTimes struct{ histogram *prometheus.HistogramVec }

func newRequestTimes(metrics prometheus.Registerer) requestTimes {
	histogram := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "venuegate_request_duration_seconds", Help: "Time from the head of a request to its answer.", Buckets: requestBuckets,
	}, []string{"method", "route", "status"})
	metrics.MustRegister(histogram)
	return requestTimes{histogram}
}

func (r requestTimes) observe(method, route string, status int, took time.Duration) {
	r.histogram.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// engineMetrics reads the statistics that the parts of the engine keep, at each
// scrape and only then.
type engineMetrics struct {
	ready  func() error
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
		s.counter("venuegate_stream_closes_total", "Ended connections by close code.", n, "code", strconv.Itoa(code))
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
		s.gauge("venuegate_pool_running", "Calls that run.", p.Running, "pool", p.Name)
		s.gauge("venuegate_pool_waiting", "Calls that wait for a place.", p.Waiting, "pool", p.Name)
		s.counter("venuegate_pool_refused_total", "Calls for which there was no place.", p.Refused, "pool", p.Name)
	}
}
