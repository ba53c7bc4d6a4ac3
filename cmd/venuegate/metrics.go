package main

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"venuegate/actors"
	"venuegate/actors/book"
	"venuegate/actors/delivery"
	"venuegate/actors/market"
	"venuegate/actors/venue"
	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/console"
	"venuegate/transport/rest"
	"venuegate/transport/stream"
	"venuegate/venues"
)

// requestBuckets are the bounds of request durations, in seconds: from a read
// of memory to the longest wait for a venue.
var requestBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// times observes durations. Labels hold routes, never paths, and kinds, never
// names, so that clients cannot create series.
type times struct{ requests, deliveries *prometheus.HistogramVec }

func newTimes(metrics prometheus.Registerer) times {
	t := times{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "venuegate_request_duration_seconds", Help: "Time from the head of a public request to its response.", Buckets: requestBuckets,
		}, []string{"method", "route", "status"}),
		deliveries: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "venuegate_delivery_duration_seconds", Help: "Time of an attempt to deliver an event, by kind of endpoint and result.", Buckets: requestBuckets,
		}, []string{"kind", "result"}),
	}
	metrics.MustRegister(t.requests, t.deliveries)
	t.expectDeliveries()
	return t
}

// expectDeliveries makes the series of every kind of endpoint, so that their first
// increase is visible.
func (t times) expectDeliveries() {
	for _, kind := range []persistence.EndpointKind{
		persistence.EndpointWebhook, persistence.EndpointTelegram, persistence.EndpointSheet, persistence.EndpointFile,
	} {
		for _, result := range []string{resultDelivered, resultFailed} {
			t.deliveries.WithLabelValues(string(kind), result)
		}
	}
}

// Results of an attempt to deliver an event.
const (
	resultDelivered = "delivered"
	resultFailed    = "failed"
)

// expectRequests makes the series of the responses that are usual, and of those that an
// alert waits for.
func (t times) expectRequests(routes []rest.Route) {
	for _, r := range routes {
		success := http.StatusOK
		switch {
		case r.Path == streamPath:
			success = http.StatusSwitchingProtocols
		case r.Mounted && r.Method == http.MethodPost && !strings.HasPrefix(r.Path, console.Prefix):
			success = http.StatusAccepted
		case r.Method == http.MethodPost && r.Path == "/v1/orders":
			success = http.StatusCreated
		}
		for _, status := range append(alertedStatuses(r), success) {
			t.requests.WithLabelValues(r.Method, r.Path, strconv.Itoa(status))
		}
	}
	t.requests.WithLabelValues(http.MethodGet, "none", strconv.Itoa(http.StatusNotFound))
}

// alertedStatuses are those of orders and signals that mean that something is wrong.
func alertedStatuses(r rest.Route) []int {
	if r.Method != http.MethodPost || r.Path == streamPath {
		return nil
	}
	return []int{
		http.StatusUnauthorized, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
	}
}

func (t times) request(method, route string, status int, took time.Duration) {
	t.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// deliveriesOf observes and traces the attempts of the senders.
func (t times) deliveriesOf(senders map[persistence.EndpointKind]delivery.Sender, traces *eventTraces, spans *tracing) map[persistence.EndpointKind]delivery.Sender {
	timed := make(map[persistence.EndpointKind]delivery.Sender, len(senders))
	for kind, sender := range senders {
		timed[kind] = timedSender{sender, traces, spans, func(result string, took time.Duration) {
			t.deliveries.WithLabelValues(string(kind), result).Observe(took.Seconds())
		}}
	}
	return timed
}

// timedSender observes the duration and result of each attempt, and makes a span of it.
type timedSender struct {
	delivery.Sender
	traces  *eventTraces
	spans   *tracing
	observe func(result string, took time.Duration)
}

// Send implements delivery.Sender.
func (s timedSender) Send(ctx context.Context, to persistence.Endpoint, e persistence.Event, attempt int, at time.Time) persistence.Attempt {
	began := time.Now()
	traceparent, end := s.spans.deliver(s.traces.of(e.ID), to, e, attempt)
	if traceparent != "" {
		ctx = venues.WithOrigin(ctx, venues.Origin{Traceparent: traceparent})
	}
	done := s.Sender.Send(ctx, to, e, attempt, at)
	end(done.Err)
	result := resultDelivered
	if done.Err != nil {
		result = resultFailed
	}
	s.observe(result, time.Since(began))
	return done
}

// engineMetrics reads the statistics of the engine's parts at each scrape.
type engineMetrics struct {
	ready  func() api.Readiness
	venues map[venues.Venue]venueStats
	hub    func() stream.Stats
	actors func() actors.Stats
}

// venueStats returns the statistics of a venue: instruments and clock, public
// connection, books.
type venueStats interface {
	Stats() venue.Stats
	Connection() market.Stats
	BookSummary() book.Summary
	Books() []book.Stats
}

// Describe sends nothing, because the set of series depends on what runs.
func (engineMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m engineMetrics) Collect(ch chan<- prometheus.Metric) {
	s := sample{ch}
	ready := 0
	if m.ready().Ready {
		ready = 1
	}
	s.gauge("venuegate_ready", "1 while trading is possible on at least one venue, as /readyz reports it.", ready)
	s.build()
	for exchange, stats := range m.venues {
		s.venue(string(exchange), stats.Stats())
		s.connection(string(exchange), stats.Connection())
		s.books(string(exchange), stats.BookSummary())
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
	s.gauge("venuegate_build_info", "The running version.", 1, "version", version)
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
	for state, n := range map[string]int{"connected": v.Private.Connected, "disconnected": v.Private.Wanted - v.Private.Connected} {
		s.gauge("venuegate_private_streams", "Private connections of accounts.", n, "exchange", exchange, "state", state)
	}
	s.gauge("venuegate_venue_instruments", "Instruments that the venue lists.", v.Instruments, "exchange", exchange)
}

func (s sample) connection(exchange string, c market.Stats) {
	s.gauge("venuegate_venue_channels", "Market data channels that are subscribed.", c.Topics, "exchange", exchange)
	s.gauge("venuegate_venue_channels_interrupted", "Market data channels without reliable data.", c.Interrupted, "exchange", exchange)
	s.counter("venuegate_venue_channel_interruptions_total", "Times that a market data channel was interrupted.", c.Interruptions, "exchange", exchange)
	s.counter("venuegate_venue_unrouted_messages_total", "Market data messages without a subscriber.", c.Unrouted, "exchange", exchange)
}

// books writes the metrics of a venue's books as one, because clients choose the
// symbols and must not create series. The log names a stale book.
func (s sample) books(exchange string, b book.Summary) {
	of := []string{"exchange", exchange}
	for phase, n := range b.Phases {
		s.gauge("venuegate_venue_books", "Order books by phase; waiting includes those with subscribers of trades or candles only.", n, "exchange", exchange, "phase", book.Phase(phase).String())
	}
	s.put(prometheus.GaugeValue, "venuegate_book_stale_seconds", "Time since the longest stale book became stale; 0 if no book is stale.", b.StaleFor.Seconds(), of)
	s.counter("venuegate_book_updates_total", "Order book messages of the venue.", b.Updates, of...)
	s.counter("venuegate_book_duplicates_total", "Repeated order book messages.", b.Duplicates, of...)
	s.counter("venuegate_book_gaps_total", "Order book messages that did not follow the previous one.", b.Gaps, of...)
	s.counter("venuegate_book_crossings_total", "Times that an order book was crossed.", b.Crossings, of...)
	s.counter("venuegate_book_overruns_total", "Times that a book fell behind its venue and lost messages.", b.Overruns, of...)
	s.counter("venuegate_book_resyncs_total", "Attempts to rebuild an order book.", b.Resyncs, of...)
	s.counter("venuegate_book_snapshots_total", "Snapshots from which order books were built.", b.Snapshots, of...)
	s.counter("venuegate_book_snapshot_failures_total", "Snapshots from which no book could be built.", b.SnapshotErrors, "exchange", exchange, "reason", "error")
	s.counter("venuegate_book_snapshot_failures_total", "Snapshots from which no book could be built.", b.SnapshotsTooOld, "exchange", exchange, "reason", "too_old")
	for result, n := range map[string]uint64{"matched": b.ChecksMatched, "mismatched": b.ChecksMismatched, "abandoned": b.ChecksAbandoned} {
		s.counter("venuegate_book_checks_total", "Comparisons of order books with the venue's snapshots.", n, "exchange", exchange, "result", result)
	}
	s.counter("venuegate_book_trades_total", "Public trades.", b.Trades, of...)
	s.counter("venuegate_book_candles_total", "States of candles.", b.Candles, of...)
	s.counter("venuegate_book_frames_total", "Encoded frames, counted once for all subscribers.", b.Frames, of...)
}

func (s sample) stream(h stream.Stats) {
	s.gauge("venuegate_stream_connections", "Open connections.", h.Connections)
	s.gauge("venuegate_stream_connections_unauthenticated", "Open connections that have not authenticated.", h.Unauthenticated)
	s.gauge("venuegate_stream_subscriptions", "Topic subscriptions of clients.", h.Subscriptions)
	s.gauge("venuegate_stream_topics", "Upstream subscriptions.", h.Topics)
	s.gauge("venuegate_stream_queued_bytes", "Bytes queued for slow readers.", int(h.QueuedBytes))
	s.counter("venuegate_stream_opened_total", "Accepted connections.", h.Opened)
	s.counter("venuegate_stream_refused_total", "Refused connections.", h.Refused)
	s.counter("venuegate_stream_deliveries_total", "Frames written to connections.", h.Deliveries)
	s.counter("venuegate_stream_writes_total", "Writes to connections; one may hold several frames.", h.Writes)
	s.counter("venuegate_stream_written_bytes_total", "Bytes written to sockets.", h.WrittenBytes)
	s.counter("venuegate_stream_slow_writes_total", "Writes that blocked.", h.SlowWrites)
	s.counter("venuegate_stream_conflations_total", "Subscriptions restarted from a snapshot for slow readers.", h.Conflations)
	s.counter("venuegate_stream_dropped_total", "Frames dropped by such restarts.", h.Dropped)
	s.counter("venuegate_stream_resyncs_total", "Snapshots requested from order books and candles.", h.Resyncs)
	s.counter("venuegate_stream_overruns_total", "Topics that overran the queue of a shard.", h.Overruns)
	s.counter("venuegate_stream_late_total", "Frames dropped because they had waited for longer than streams.maxAge.", h.Late)
	for code, n := range h.Closes {
		name := strconv.Itoa(code)
		if code == 0 {
			name = "other"
		}
		s.counter("venuegate_stream_closes_total", "Closed connections by close code; other is a code that the client chose.", n, "code", name)
	}
}

func (s sample) actors(a actors.Stats) {
	s.counter("venuegate_actors_dead_letters_total", "Messages that no actor received.", a.DeadLetters)
	for _, k := range a.Kinds {
		s.gauge("venuegate_actors", "Running actors.", k.Actors, "kind", k.Kind)
		s.gauge("venuegate_actors_waiting", "Messages in mailboxes.", k.Waiting, "kind", k.Kind)
		s.counter("venuegate_actors_messages_total", "Messages taken from mailboxes.", k.Messages, "kind", k.Kind)
		s.counter("venuegate_actors_unhandled_total", "Messages that an actor does not handle.", k.Unhandled, "kind", k.Kind)
		s.counter("venuegate_actors_rejections_total", "Messages rejected by full mailboxes.", k.Rejections, "kind", k.Kind)
		s.counter("venuegate_actors_failures_total", "Failures of actors.", k.Failures, "kind", k.Kind)
		s.counter("venuegate_actors_restarts_total", "Restarts of actors.", k.Restarts, "kind", k.Kind)
	}
	for _, p := range a.Pools {
		pool, exchange, _ := strings.Cut(p.Name, "/")
		labels := []string{"pool", pool, "exchange", exchange}
		s.gauge("venuegate_pool_running", "Running calls; exchange is empty for pools that belong to no venue.", p.Running, labels...)
		s.gauge("venuegate_pool_waiting", "Queued calls.", p.Waiting, labels...)
		s.counter("venuegate_pool_started_total", "Started calls.", p.Started, labels...)
		s.counter("venuegate_pool_refused_total", "Calls refused because the queue was full.", p.Refused, labels...)
	}
}
